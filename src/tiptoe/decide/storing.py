"""The decision point `store`: does this text enter the corpus?

Evaluated for pages and for converted documents, in several steps: with the owner's reservations, then with
the text, then with facts that have to be looked up (earlier texts of its host, its language, the index of the
corpus). Not decided here: which part of a page is its text (`harvest/extraction.py`), and whether a known
page has changed (`harvest/page_change.py`).
"""

from collections.abc import Callable, Collection, Sequence

import msgspec

from tiptoe.decide.discard import Discard
from tiptoe.decide.point import DecisionPoint, Rule
from tiptoe.text.density import is_shorter

__all__ = ["CandidateText", "StorePoint", "store_point"]

REPEATS_MAX = 2
"""Maximum number of URLs of a host with which the same text enters the corpus: `/` and `/index.html` are
common."""


class CandidateText(msgspec.Struct, gc=False):
    """A text that may enter the corpus, with what is known about it so far."""

    url: str = ""
    is_noindex: bool = False  # its owner asks not to index it
    is_reserved: bool = False  # its owner reserves it against text and data mining
    has_text: bool = True  # before boilerplate is removed
    paragraphs: Sequence[str] | None = None  # as they would be stored; None: not read yet
    repeats: int = 0  # other URLs of its host with exactly this text
    language: str | None = None  # as recognised; None: not determined
    duplicity: float | None = None  # None: unknown
    filtered: Discard | None = None  # what the operator's filters say about it


StorePoint = DecisionPoint[CandidateText, Discard]


def store_point(
    *,
    respects_tdm: bool = True,
    chars_min: int = 0,
    languages: Collection[str] = (),
    is_copy: Callable[[float], bool] | None = None,
) -> StorePoint:
    """Return the point that decides whether a text is stored: in any language unless some are named."""
    rules: list[Rule[CandidateText, Discard]] = [noindex]
    if respects_tdm:
        rules.append(reserved)
    rules += [denied, no_text, no_main_text]
    if chars_min:
        rules.append(shorter_than(chars_min))
    rules.append(repeated)
    if languages:
        rules.append(in_none_of(languages))
    if is_copy is not None:
        rules.append(copied(is_copy))
    return DecisionPoint(*rules)


def noindex(text: CandidateText) -> Discard | None:
    """Refuse texts whose owner asks not to index them (X-Robots-Tag, or a robots meta tag)."""
    return Discard.NOINDEX if text.is_noindex else None


def reserved(text: CandidateText) -> Discard | None:
    """Refuse texts that are reserved by the TDM Reservation Protocol."""
    return Discard.TDM_RESERVED if text.is_reserved else None


def denied(text: CandidateText) -> Discard | None:
    """Refuse texts that the operator's filters deny; they were evaluated when the answer was read."""
    return text.filtered


def no_text(text: CandidateText) -> Discard | None:
    """Refuse pages without any text."""
    return None if text.has_text else Discard.NO_TEXT


def no_main_text(text: CandidateText) -> Discard | None:
    """Refuse pages with nothing but boilerplate."""
    return Discard.NO_MAIN_TEXT if text.paragraphs is not None and not text.paragraphs else None


def shorter_than(chars_min: int) -> Rule[CandidateText, Discard]:
    """Return the rule that refuses shorter texts."""

    def shorter(text: CandidateText) -> Discard | None:
        is_short = text.paragraphs is not None and is_shorter(text.paragraphs, chars_min)
        return Discard.TOO_SHORT if is_short else None

    return shorter


def repeated(text: CandidateText) -> Discard | None:
    """Refuse texts that their host has at other URLs too."""
    return Discard.REPEATED_TEXT if text.repeats >= REPEATS_MAX else None


def in_none_of(languages: Collection[str]) -> Rule[CandidateText, Discard]:
    """Return the rule that refuses texts in any other language."""
    wanted = frozenset(languages)

    def other_language(text: CandidateText) -> Discard | None:
        is_other = text.language is not None and text.language not in wanted
        return Discard.OTHER_LANGUAGE if is_other else None

    return other_language


def copied(is_copy: Callable[[float], bool]) -> Rule[CandidateText, Discard]:
    """Return the rule that refuses texts whose duplicity makes them copies."""

    def duplicate(text: CandidateText) -> Discard | None:
        is_duplicate = text.duplicity is not None and is_copy(text.duplicity)
        return Discard.DUPLICATE if is_duplicate else None

    return duplicate
