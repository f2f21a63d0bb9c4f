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
