"""A set of hashes that may be larger than memory."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiptoe.export.hash_tables import SLOTS_FIRST, SeenHashes

NUMBERS = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(0, 40),
    st.integers(0, 40).map(lambda number: number << 20),  # all want the same slot
)


@settings(deadline=None)
@given(st.lists(NUMBERS, max_size=100))
def test_it_holds_exactly_what_was_put_in(numbers: list[int]) -> None:
    """0 marks an empty slot and stands for 1: the two are one hash here, which chance allows."""
    model = set()
    with SeenHashes() as seen:
        for number in numbers:
            assert (number in seen) == ((number or 1) in model)
            assert seen.add(number) == ((number or 1) not in model)
            model.add(number or 1)
        assert len(seen) == len(model)
        assert all(number in seen for number in model)


def test_it_grows_without_losing_anything() -> None:
    count = 3 * SLOTS_FIRST
    with SeenHashes() as seen:
        assert all(seen.add(number << 8 | 1) for number in range(count))  # all in one segment
        assert not any(seen.add(number << 8 | 1) for number in range(count))
        assert count << 8 | 1 not in seen


def test_its_files_are_gone_afterwards(tmp_path: Path) -> None:
    """Also after a crash: they have no name from the beginning."""
    with SeenHashes(tmp_path) as seen:
        seen.add(1)
        assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_an_error_not_a_death(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing to a mapped page for which there is no room would end the process."""

    def no_room(descriptor: int, offset: int, size: int) -> None:
        raise OSError(28, "No space left on device")

    with SeenHashes() as seen:
        monkeypatch.setattr(os, "posix_fallocate", no_room)
        with pytest.raises(OSError, match="No space left"):
            all(seen.add(number << 8 | 1) for number in range(SLOTS_FIRST))
