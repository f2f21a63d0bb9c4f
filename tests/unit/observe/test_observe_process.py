"""A process of ours is a good guest on its machine."""

import ctypes
import subprocess
import sys

import pytest

KEPT_AND_RETURNED = """
import psutil
from tiptoe.observe.process import give_memory_back

def megabytes():
    return psutil.Process().memory_info().rss / 1e6

# Small enough that the C library keeps what is freed, with some left in between and at the end.
blocks = [bytes(100_000) for _ in range(2000)]
left = blocks[::100] + [blocks[-1]]
full = megabytes()
del blocks
freed = megabytes()
give_memory_back()
print(full - freed, freed - megabytes())
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"),
    reason="only the C library of Linux keeps what is freed, and can be told",
)
def test_what_was_freed_is_given_back() -> None:
    """Else a keeper would hold on to every buffer its database ever filled."""
    told = subprocess.run(
        [sys.executable, "-c", KEPT_AND_RETURNED], capture_output=True, text=True, check=True
    )
    by_itself, when_told = map(float, told.stdout.split())
    assert by_itself < 50
    assert when_told > 100


WHERE_THREADS_TAKE_MEMORY = """
import ctypes, sys, threading
from tiptoe.observe.process import share_one_arena

if sys.argv[1] == "shared":
    share_one_arena()
take = ctypes.CDLL(None).malloc
take.restype = ctypes.c_void_p
taken = []
thread = threading.Thread(target=lambda: taken.append(take(50_000)))
thread.start()
thread.join()
with open("/proc/self/maps") as maps:
    heaps = [line.split()[0].split("-") for line in maps if line.rstrip().endswith("[heap]")]
print(any(int(first, 16) <= taken[0] < int(end, 16) for first, end in heaps))
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallopt"),
    reason="only the C library of Linux gives each thread memory of its own, and can be told",
)
@pytest.mark.parametrize(("way", "is_common"), [("shared", "True"), ("apart", "False")])
def test_threads_take_memory_from_one_place_if_told(way: str, is_common: str) -> None:
    """What one thread of an index has freed is there for the next one: else a catalog takes a tenth more."""
    told = subprocess.run(
        [sys.executable, "-c", WHERE_THREADS_TAKE_MEMORY, way], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == is_common
