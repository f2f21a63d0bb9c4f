"""How is it made sure that no document is converted while something is forgotten?"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tiptoe.convert.progress import held, load, mend

__all__ = ["conversions_settled", "settle_conversions"]


@contextmanager
def conversions_settled(directory: Path, tell: Callable[[str], object]) -> Iterator[None]:
    """Keep out conversions, and cut off what an interrupted one has left; CrawlerError if one is running."""
    with held(directory):
        settle_conversions(directory, tell)
        yield


def settle_conversions(directory: Path, tell: Callable[[str], object]) -> None:
    """Cut off what an interrupted conversion has left, so that each file ends where it should."""
    for name, lost in mend(directory, load(directory)).items():
        tell(f"{name}: {lost:,} bytes are lost; `tiptoe convert --again` makes them anew")
