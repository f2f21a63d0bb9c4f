"""The largest number by hash, for more hashes than memory holds."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tiptoe.export.hash_tables import SLOTS_FIRST, LastMoments

KEYS = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(1, 40),
    st.integers(1, 40).map(lambda number: number << 20),  # all want the same slot
)


@settings(deadline=None)
@given(st.lists(st.tuples(KEYS, st.integers(0, 2**64 - 1)), max_size=100))
def test_it_keeps_the_largest_number_of_each(pairs: list[tuple[int, int]]) -> None:
    model: dict[int, int] = {}
    with LastMoments() as moments:
        for key, number in pairs:
            assert moments.get(key) == model.get(key or 1)
            moments.note(key, number)
            model[key or 1] = max(number, model.get(key or 1, 0))
        assert len(moments) == len(model)
        assert {key: moments.get(key) for key in model} == model


def test_it_grows_without_losing_anything() -> None:
    count = 3 * SLOTS_FIRST
    with LastMoments() as moments:
        for number in range(count):
            moments.note(number << 8 | 1, number)  # all in one segment
        assert all(moments.get(number << 8 | 1) == number for number in range(count))
        assert moments.get(count << 8 | 1) is None


def test_its_files_are_gone_afterwards(tmp_path: Path) -> None:
    """Also after a crash: they have no name from the beginning."""
    with LastMoments(tmp_path) as moments:
        moments.note(1, 1)
        assert list(tmp_path.iterdir()) == []
