"""Settings and hooks for all tests."""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings

from open_files import close_all

pytest_plugins = ("cluster_fixtures",)

# The time of one example depends on the load of the machine; benchmarks measure time, tests do not.
settings.register_profile("tiptoe", deadline=None, derandomize=True)  # every run uses the same examples
settings.register_profile("search", deadline=None)
settings.load_profile("tiptoe")

# Each test process imports all tests, and they start hundreds of other processes: all should share what one
# has compiled, even if the environment forbids writing bytecode.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

SHARED_MEMORY = Path("/dev/shm")
ROOM_BYTES = 2 << 30

# Tests write and sync hundreds of small databases and files, and mostly wait for the disk. In memory there is
# no wait; tests of what a disk may lose damage the files themselves.
if SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free >= ROOM_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(SHARED_MEMORY))


WAITING = ("browser", "journeys")
"""Folders of tests that mostly wait for other processes; one may take as long as a thousand unit tests."""

WORKING = ("simulation",)
"""Folders of tests that take as long, but keep a core busy."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each process long tests first, module by module, so that none is left with them at the end.

    Waiting tests go to all processes except the last, which gets the working ones, so that no core is idle.
    Each process gets an equally long part of the list, and later takes over tests from slower ones.
    """
    count = getattr(config, "workerinput", {}).get("workercount", 1)
    if count == 1:
        return
    shares: list[list[pytest.Item]] = [[] for _ in range(count)]
    waiting: dict[Path, list[pytest.Item]] = {}
    short: list[pytest.Item] = []
    for item in items:
        folder = item.path.relative_to(config.rootpath).parts[1]
        if folder in WAITING:
            waiting.setdefault(item.path, []).append(item)
        else:
            (shares[-1] if folder in WORKING else short).append(item)
    for number, module in enumerate(waiting.values()):
        shares[number % (count - 1)] += module
    size = -(-len(items) // count)
    rest = iter(short)
    items[:] = [item for share in shares for item in (*share, *islice(rest, max(size - len(share), 0)))]
    items += rest


@pytest.fixture(autouse=True)
def _files_are_closed(request: pytest.FixtureRequest) -> Iterator[None]:
    if "tmp_path" in request.fixturenames:
        request.getfixturevalue("tmp_path")  # set up first, to be removed after its files are closed
    yield
    close_all()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Unfreeze the garbage collector, so that the test process ends normally.

    Some tests crawl in their own process, and a crawl freezes all objects it finds, since its process usually
    does nothing else. Frozen objects are not freed at the end of the process; extension modules that count
    theirs, such as DuckDB's, would report them as leaks below the summary of the tests.
    """
    gc.unfreeze()
