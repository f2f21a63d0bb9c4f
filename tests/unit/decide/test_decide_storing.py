"""The decision point `store`: what enters the corpus."""

import pytest

from tiptoe.decide.discard import Discard
from tiptoe.decide.storing import CandidateText, store_point

STRICT = store_point(chars_min=10, languages={"cs", "sk"}, is_copy=lambda duplicity: duplicity >= 0.9)
GOOD = ["Dlouhý odstavec.", "A ještě jeden."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CandidateText(is_noindex=True), Discard.NOINDEX),
        (CandidateText(is_reserved=True), Discard.TDM_RESERVED),
        (CandidateText(has_text=False), Discard.NO_TEXT),
        (CandidateText(paragraphs=[]), Discard.NO_MAIN_TEXT),
        (CandidateText(paragraphs=["Krátký."]), Discard.TOO_SHORT),
        (CandidateText(paragraphs=["四百年前的故"]), None),  # as much as fifteen letters
        (CandidateText(paragraphs=GOOD, repeats=1), None),
        (CandidateText(paragraphs=GOOD, repeats=2), Discard.REPEATED_TEXT),
        (CandidateText(paragraphs=GOOD, language="sk"), None),
        (CandidateText(paragraphs=GOOD, language="en"), Discard.OTHER_LANGUAGE),
        (CandidateText(paragraphs=GOOD, language=""), Discard.OTHER_LANGUAGE),
        (CandidateText(paragraphs=GOOD, duplicity=0.8), None),
        (CandidateText(paragraphs=GOOD, duplicity=0.9), Discard.DUPLICATE),
    ],
)
def test_each_rule_gives_its_reason(text: CandidateText, expected: Discard | None) -> None:
    assert STRICT.refusal(text) is expected


def test_what_is_not_known_yet_is_refused_by_no_rule() -> None:
    """The point is asked before a text is compared, recognised, even read."""
    assert STRICT.refusal(CandidateText("http://a.example/")) is None


def test_the_wish_of_the_owner_comes_first() -> None:
    """It is what the owner is told, whatever else could be said of the page."""
    text = CandidateText(is_noindex=True, is_reserved=True, has_text=False, repeats=9, duplicity=1.0)
    assert STRICT.refusal(text) is Discard.NOINDEX


def test_rules_that_the_operator_has_not_set_do_not_exist() -> None:
    """By default everything with a word is stored, unless its owner says otherwise."""
    lenient = store_point(respects_tdm=False)
    text = CandidateText(is_reserved=True, paragraphs=["x"], language="en", duplicity=1.0)
    assert lenient.refusal(text) is None
