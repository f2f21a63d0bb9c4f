"""Language and usability decide which documents are wanted."""

import pytest
from export_samples import make_document

from tiptoe.errors import SettingsError
from tiptoe.export.export_amounts import Omission
from tiptoe.export.selection import Selection, language_of, read_languages

CZECH = Selection(languages=frozenset({"cs"}))
GOOD = Selection(usability_min=0.5)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [("cs", "cs"), ("cs-CZ", "cs"), ("CS_cz", "cs"), (" cz ", "cs"), ("ces", "cs"), ("", ""), ("sk", "sk")],
)
def test_a_declared_language_has_one_short_form(declared: str, expected: str) -> None:
    assert language_of(make_document("text", language=declared)) == expected


def test_what_was_detected_counts_more_than_what_was_declared() -> None:
    """Templates declare English on pages in every language."""
    assert language_of(make_document("text", language="en", lang="cs")) == "cs"
    assert language_of(make_document("text", language="en", lang="")) == "en"


def test_other_languages_are_omitted() -> None:
    assert CZECH.omission(make_document("text", language="cs-CZ")) is None
    assert CZECH.omission(make_document("text", language="sk")) is Omission.OTHER_LANGUAGE
    assert CZECH.omission(make_document("text", language="")) is Omission.OTHER_LANGUAGE


def test_usability_is_a_lower_bound_and_unknown_is_not_good() -> None:
    assert GOOD.omission(make_document("text", usability=0.5)) is None
    assert GOOD.omission(make_document("text", usability=0.49)) is Omission.LOW_USABILITY
    assert GOOD.omission(make_document("text", usability=None)) is Omission.UNKNOWN_USABILITY
    assert GOOD.omission(make_document("text")) is Omission.UNKNOWN_USABILITY


def test_a_document_without_text_is_omitted() -> None:
    assert Selection().omission(make_document("", " ")) is Omission.NO_TEXT
    assert Selection().omission(make_document("", "a")) is None


def test_languages_are_taken_as_people_give_them() -> None:
    assert read_languages(["cs,SK", "de-AT"]) == {"cs", "sk", "de"}
    assert read_languages([]) == frozenset()


@pytest.mark.parametrize("given", ["Czech", "c", "čs", "12"])
def test_what_is_no_language_code_is_a_message(given: str) -> None:
    with pytest.raises(SettingsError, match="not a language code such as cs"):
        read_languages([given])
