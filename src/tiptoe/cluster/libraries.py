"""What if the libraries for a crawl on many machines are not there?

They are an extra: a crawl on one machine does without them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from tiptoe.errors import SettingsError

__all__ = ["cluster_libraries"]

EXTRA = ("nats", "cryptography")


@contextmanager
def cluster_libraries() -> Iterator[None]:
    """Tell an operator how to get what an import inside of this does not find."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in EXTRA:
            raise
        raise SettingsError(
            "a crawl on many machines needs libraries that are not there; `scripts/install cluster` adds them"
        ) from error
