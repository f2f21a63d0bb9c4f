"""Does the reference of filters say what the tables say?"""

from pathlib import Path

from tiptoe.filters.filter_reference import FILTERS_REFERENCE, filters_page

ROOT = Path(__file__).parents[3]


def test_the_reference_is_what_the_tables_give() -> None:
    """After a change: `python -m tiptoe.filters.filter_reference`."""
    assert (ROOT / FILTERS_REFERENCE).read_text(encoding="utf-8") == filters_page()
