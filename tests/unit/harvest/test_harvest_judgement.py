"""How much of a text stands elsewhere already."""

import pytest

from tiptoe.frontier.duplicity import CLAIMED, FURNITURE, KNOWN, NEW
from tiptoe.harvest.judgement import UNKNOWN, DuplicityRules, TextJudgement, judge
from tiptoe.text.fingerprint import Fingerprint

RULES = DuplicityRules()


def text_of(*weights: int, short: int = 0, echoes: tuple[int, ...] = ()) -> Fingerprint:
    """Return the fingerprint of a text with long paragraphs of so many characters, and short ones."""
    return Fingerprint(
        hashes=bytes(8 * (1 + len(weights))),
        weights=list(weights),
        places=list(range(len(weights))),
        echoes=list(echoes),
        text_chars=sum(weights) + short,
    )


def judged(mark: Fingerprint, *marks: int) -> TextJudgement:
    return judge(mark, bytes((NEW, *marks)), RULES)


@pytest.mark.parametrize(
    ("marks", "expected"),
    [((NEW, NEW), 0.0), ((KNOWN, NEW), 0.25), ((NEW, KNOWN), 0.75), ((KNOWN, KNOWN), 1.0)],
)
def test_duplicity_is_the_known_share_of_the_long_paragraphs(marks: tuple[int, ...], expected: float) -> None:
    """By characters, as INC-5 defines it."""
    assert judged(text_of(100, 300), *marks).duplicity == expected


def test_from_the_limit_on_a_text_is_a_copy() -> None:
    assert [RULES.is_copy(value) for value in (0.0, 0.89, 0.9, 1.0)] == [False, False, True, True]
    assert not DuplicityRules(duplicity_max=0.0).is_copy(0.0)


def test_the_same_text_is_a_copy_whatever_its_paragraphs() -> None:
    """Also one without a long paragraph."""
    assert judge(text_of(), bytes((KNOWN,)), RULES) == TextJudgement(1.0, [])
    assert judge(text_of(100, echoes=(1,)), bytes((KNOWN,)), RULES) == TextJudgement(1.0, [0, 1])


def test_a_text_without_long_paragraphs_is_no_copy_unless_it_is_the_same() -> None:
    assert judged(text_of(short=500)).duplicity == 0.0


def test_furniture_counts_neither_way() -> None:
    """A notice makes no copy of a page, and does not hide one."""
    assert judged(text_of(170, short=200), FURNITURE).duplicity == 0.0
    assert judged(text_of(170, 300), FURNITURE, NEW).duplicity == 0.0
    assert judged(text_of(170, 300, 300), FURNITURE, KNOWN, KNOWN).duplicity == 1.0


def test_one_known_paragraph_is_weighed_against_the_whole_text() -> None:
    """The first pages of a crawl: nobody knows yet that it is a notice."""
    found = judged(text_of(170, short=170), KNOWN)
    assert found.duplicity == 0.5
    assert not RULES.is_copy(found.duplicity or 0.0)
    assert judged(text_of(500, short=20), KNOWN).duplicity == pytest.approx(500 / 520)


def test_several_known_paragraphs_make_a_copy_among_menus() -> None:
    """A site's menus are short lines, often more than the article; they must not hide that it is a copy."""
    assert judged(text_of(300, 300, 400, short=2000), KNOWN, KNOWN, KNOWN).duplicity == 1.0
    assert judged(text_of(100, 100, short=1800), KNOWN, KNOWN).duplicity == 0.4


def test_a_claim_that_decides_leaves_it_open() -> None:
    """It becomes text of the corpus in a moment, or never."""
    open_yet = judged(text_of(100, 100), CLAIMED, CLAIMED)
    assert (open_yet.is_certain, open_yet.duplicity) == (False, 0.0)
    whole = judge(text_of(100, 100), bytes((CLAIMED, NEW, NEW)), RULES)
    assert not whole.is_certain


def test_a_claim_that_decides_nothing_does_not_matter() -> None:
    small = judged(text_of(100, 900), CLAIMED, NEW)
    assert (small.is_certain, small.duplicity) == (True, 0.1)
    copy = judged(text_of(50, 950, 10), CLAIMED, KNOWN, KNOWN)
    assert (copy.is_certain, copy.duplicity) == (True, 1.0)


def test_repeated_paragraphs_are_named_by_their_places() -> None:
    """Whoever wants each paragraph once needs nothing else; notices and inner repetition included."""
    mark = Fingerprint(hashes=bytes(32), weights=[60, 60, 600], places=[1, 4, 6], echoes=[2], text_chars=900)
    assert judged(mark, KNOWN, FURNITURE, NEW).repeated == [1, 2, 4]
    assert judged(mark, NEW, NEW, NEW).repeated == [2]


def test_without_an_answer_nobody_can_say() -> None:
    assert judge(text_of(100), b"", RULES) == UNKNOWN
    assert UNKNOWN.is_certain


def test_an_answer_of_another_length_is_taken_as_far_as_it_goes() -> None:
    assert judge(text_of(100, 300), bytes((NEW, KNOWN)), RULES).duplicity == 0.25
    assert judge(text_of(100), bytes((NEW, NEW, KNOWN, KNOWN)), RULES).duplicity == 0.0
