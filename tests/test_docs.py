"""Do the pages of reference say what the code says?"""

from pathlib import Path

from tiptoe.settings.reference import REFERENCE, reference_page
from tiptoe.settings.schema import SETTINGS

ROOT = Path(__file__).parents[1]


def test_the_reference_of_settings_is_what_the_declarations_give() -> None:
    """After a change: `python -m tiptoe.settings.reference`."""
    assert (ROOT / REFERENCE).read_text(encoding="utf-8") == reference_page()


def test_the_reference_has_a_row_for_every_setting() -> None:
    rows = [line for line in reference_page().splitlines() if line.startswith("| `")]
    assert len(rows) == len(SETTINGS)
