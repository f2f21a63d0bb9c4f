"""Is a stranger's text shown as text, and nothing else?"""

import re
from importlib.resources import files
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tiptoe.control.page_formats import moment_html
from tiptoe.control.page_rendering import PageRenderer
from tiptoe.control.shown_text import HARMFUL, shown


def test_marks_of_direction_and_control_characters_become_visible() -> None:
    """Else moc.elpmaxe could be read as example.com, and an escape could end a line of a log."""
    assert shown("a\u202emoc.elpmaxe\u202c") == "a⟨U+202E⟩moc.elpmaxe⟨U+202C⟩"
    assert shown("\x1b[31m\x00") == "⟨U+001B⟩[31m⟨U+0000⟩"


def test_words_of_all_languages_stay_as_they_are() -> None:
    for text in ("žluťoučký kůň", "日本語", "می\u200cخواهم", "👩\u200d🔬", "tab\tand\nline"):
        assert shown(text) == text


@given(st.text())
def test_nothing_harmful_is_left(text: str) -> None:
    assert HARMFUL.search(shown(text)) is None
    shown(text).encode()


def test_moments_are_told_alike_however_a_file_writes_them() -> None:
    """An archive has 14 digits, a corpus ISO 8601, a database seconds; readers want to compare them."""
    told = moment_html(1795306211.0)
    assert "2026-11-22 00:10:11 UTC" in told
    for written in ("20261122001011", "2026-11-22T00:10:11Z", "2026-11-22T01:10:11+01:00"):
        assert moment_html(written) == told, written
    assert moment_html("<b>soon") == "<b>soon"  # text, which the renderer escapes
    assert moment_html("") == "never"


def test_a_template_cannot_forget_it() -> None:
    """Cleaning and escaping are done by the renderer, not by whoever writes a template."""
    renderer = PageRenderer("0")
    page = renderer.render(
        "problem_part.html", {"problem": {"detail": "<script>\u202e", "title": ""}}, visit=None
    )
    assert "&lt;script&gt;⟨U+202E⟩" in page


MANY = re.compile(
    r"(?<!looked_at )\| count }} (?:hosts|pages|characters|documents|requests)\b(?! more| that were read)"
)
"""A number with a plural behind it; of a part that is shown, or left over, there is never just one."""


def test_no_page_counts_one_of_many() -> None:
    """`1 hosts` looks like a mistake, and makes people doubt the number."""
    folder = Path(str(files("tiptoe.control"))) / "templates"
    found = {
        path.name: match[0]
        for path in folder.glob("*.html")
        for match in MANY.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == {}, 'say {{ number | counted("host") }}'
