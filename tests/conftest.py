"""What holds for all tests."""

import gc
from collections.abc import Iterator

import pytest

from open_files import close_all


@pytest.fixture(autouse=True)
def _files_are_closed() -> Iterator[None]:
    yield
    close_all()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Let the process of the tests end as any other.

    Some tests crawl in their own process, and a crawl freezes what it finds there, since its process does
    nothing else. What is frozen is not taken apart at the end of the process; extension modules that count
    what they have made, as that of DuckDB does, report all of it as leaks, below the summary of the tests.
    """
    gc.unfreeze()
