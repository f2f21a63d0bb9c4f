"""What if the libraries of an extra are not installed? A crawl on one machine does without them."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from tiptoe.errors import SettingsError

__all__ = ["extra_libraries"]


@contextmanager
def extra_libraries(extra: str, modules: Collection[str], *, who: str) -> Iterator[None]:
    """Turn an import error inside the `with` into a message that says how to install the libraries."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in modules:
            raise
        raise SettingsError(
            f"{who} needs libraries that are not there; `scripts/install {extra}` adds them, "
            f"or `pip install 'tiptoe[{extra}]'`"
        ) from error
