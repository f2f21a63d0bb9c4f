"""What holds for all tests."""

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

# How long one example takes depends on what else the machine does; benchmarks measure time, tests do not.
settings.register_profile("tiptoe", deadline=None, derandomize=True)  # what passes today passes tomorrow
settings.register_profile("search", deadline=None)
settings.load_profile("tiptoe")

# Each process of the tests imports all of them, and they start hundreds of others: what one has compiled
# shall serve the rest, also where the environment wants no files beside the sources.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

SHARED_MEMORY = Path("/dev/shm")
ROOM_BYTES = 2 << 30

# Tests write and sync hundreds of small databases and files, and wait for the disk most of that time. In
# memory it is done at once; what a disk may lose is what tests of damage do to the files themselves.
if SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free >= ROOM_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(SHARED_MEMORY))


WAITING = ("browser", "journeys")
"""Folders of tests that mostly wait for other processes; one may take as long as a thousand others."""

WORKING = ("simulation",)
"""Folders of tests that take as long, and work all the time."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let every process begin with long tests, module by module, so that none is left with some at the end.

    Those that wait are for all processes but the last, which works meanwhile, so that no core is idle. Each
    gets as many neighbours of the list as any other, and takes over from those who are behind.
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
