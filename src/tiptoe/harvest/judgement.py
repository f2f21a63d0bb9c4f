"""How much of this text is already in the corpus?

Duplicity is the share of a text's long paragraphs, by characters, that are known: 0 is new, 1 a copy.
Paragraphs that a site repeats on its pages (furniture) do not count. Pure: the keeper's marks in, a
judgement out.

A page whose only long paragraph is, say, a legal notice must not pass for a copy. So a single known paragraph
is measured against the whole text, including short lines, and several against at least a quarter of it.
"""

from dataclasses import dataclass, field
from typing import Final

from tiptoe.frontier.duplicity import CLAIMED, FURNITURE, KNOWN, NEW
from tiptoe.text.fingerprint import Fingerprint

__all__ = ["UNKNOWN", "DuplicityRules", "TextJudgement", "judge"]

PART_OF_ONE: Final = 1.0
PART_OF_SEVERAL: Final = 0.25
"""Minimum share of the whole text, by characters, that duplicity is measured against: with one known
paragraph, and with several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicityRules:
    """What counts as a copy."""

    chars_min: int = 50  # of a paragraph that is compared
    duplicity_max: float = 0.9

    def is_copy(self, duplicity: float) -> bool:
        """Whether a text is left out as a copy; never one without known paragraphs."""
        return duplicity > 0 and duplicity >= self.duplicity_max


@dataclass(frozen=True, slots=True)
class TextJudgement:
    """What is known about one text."""

    duplicity: float | None  # None: unknown
    repeated: list[int] = field(default_factory=list)  # places of the paragraphs that are known
    is_certain: bool = True  # False: whether it is a copy depends on another page under way
    copy_of: str = ""  # the page of the corpus with exactly this text, if known


UNKNOWN: Final = TextJudgement(None)


def judge(fingerprint: Fingerprint, marks: bytes, rules: DuplicityRules) -> TextJudgement:
    """Judge a text by the keeper's marks: one for the whole text, then one for each long paragraph."""
    if not marks:
        return UNKNOWN
    if marks[0] == KNOWN:
        return TextJudgement(
            1.0,
            sorted([*fingerprint.places, *fingerprint.echoes]),
            copy_of=marks[1:].decode("utf-8", "replace"),
        )
    if not any(marks):
        return TextJudgement(0.0, fingerprint.echoes)  # shortcut: most texts are entirely new
    own = marks[1:]
    least = _duplicity(fingerprint, own, frozenset((KNOWN,)))
    # Paragraphs claimed by other pages will be in the corpus soon, or never.
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
