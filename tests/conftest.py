"""What holds for all tests."""

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from open_files import close_all

SHARED_MEMORY = Path("/dev/shm")
ROOM_BYTES = 2 << 30

# Tests write and sync hundreds of small databases and files, and wait for the disk most of that time. In
# memory it is done at once; what a disk may lose is what tests of damage do to the files themselves.
if SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free >= ROOM_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(SHARED_MEMORY))


@pytest.fixture(autouse=True)
def _files_are_closed(request: pytest.FixtureRequest) -> Iterator[None]:
    if "tmp_path" in request.fixturenames:
        request.getfixturevalue("tmp_path")  # which is removed after the files in it are closed
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
