"""How much of this text stands elsewhere already?

Duplicity is the share of a text's long paragraphs, by characters, that are known: 0 is
new, 1 a copy. Furniture of the site does not count. Pure: marks of the keeper in, a judgement out.

The known weakness of the measure is a page whose only long paragraph is a notice. So
a single known paragraph is weighed against the whole text, its short lines
too, and several against no less than a quarter of it.
"""

from dataclasses import dataclass, field
from typing import Final

from tiptoe.frontier.duplicity import CLAIMED, FURNITURE, KNOWN, NEW
from tiptoe.text.fingerprint import Fingerprint

__all__ = ["UNKNOWN", "DuplicityRules", "TextJudgement", "judge"]

PART_OF_ONE: Final = 1.0
PART_OF_SEVERAL: Final = 0.25
"""How much of a text its known paragraphs must be to be judged by them alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicityRules:
    """What counts as a copy."""

    chars_min: int = 50  # of a paragraph that is compared
    duplicity_max: float = 0.9

    def is_copy(self, duplicity: float) -> bool:
        """Whether a text is left out; never one of which nothing is known."""
        return duplicity > 0 and duplicity >= self.duplicity_max


@dataclass(frozen=True, slots=True)
class TextJudgement:
    """What is known of one text; as long as it is not certain, another page under way may decide it."""

    duplicity: float | None  # None: nobody could say
    repeated: list[int] = field(default_factory=list)  # places of the paragraphs that stand elsewhere
    is_certain: bool = True
    copy_of: str = ""  # the page of the corpus with this very text, if it is known


UNKNOWN: Final = TextJudgement(None)


def judge(fingerprint: Fingerprint, marks: bytes, rules: DuplicityRules) -> TextJudgement:
    """Return what the keeper's marks make of a text: one for the whole, then one a paragraph."""
    if not marks:
        return UNKNOWN
    if marks[0] == KNOWN:
        return TextJudgement(
            1.0,
            sorted([*fingerprint.places, *fingerprint.echoes]),
            copy_of=marks[1:].decode("utf-8", "replace"),
        )
    if not any(marks):
        return TextJudgement(0.0, fingerprint.echoes)  # most are new altogether
    own = marks[1:]
    least = _duplicity(fingerprint, own, frozenset((KNOWN,)))
    # What others claim stands in the corpus in a moment, or never.
    most = 1.0 if marks[0] == CLAIMED else _duplicity(fingerprint, own, frozenset((KNOWN, CLAIMED)))
    is_certain = rules.is_copy(least) == rules.is_copy(most)
    repeated = [place for place, known in zip(fingerprint.places, own, strict=False) if known != NEW]
    return TextJudgement(most if is_certain else least, sorted([*repeated, *fingerprint.echoes]), is_certain)


def _duplicity(fingerprint: Fingerprint, marks: bytes, counted: frozenset[int]) -> float:
    furniture = repeated = count = 0
    for weight, known in zip(fingerprint.weights, marks, strict=False):
        if known == FURNITURE:
            furniture += weight
        elif known in counted:
            repeated += weight
            count += 1
    if not repeated:
        return 0.0
    part = PART_OF_ONE if count == 1 else PART_OF_SEVERAL
    long = sum(fingerprint.weights) - furniture
    return min(1.0, repeated / max(long, part * (fingerprint.text_chars - furniture)))
