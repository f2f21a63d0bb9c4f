"""Where does a sentence end, in scripts that end it with a full stop?

At `.`, `!`, `?` or `…` followed by a space, unless the sentence continues: with a lower-case letter, after an
abbreviation (`abbreviations`), an initial, or a number that the full stop makes ordinal. Each mark is judged
by a few words around it, so time is proportional to the length of the text.

Rule: in doubt, a sentence continues after an abbreviation and ends after any other word.
"""

import re
from typing import Final

from tiptoe.text.abbreviations import ABBREVIATIONS, UNKNOWN, Abbreviations

__all__ = ["split_at_stops"]

_MARK: Final = re.compile(
    r"([.!?…]+(?:\s\.(?![^\W_]))*)(?:[\"'”“’‘»«›‹)\]}]|\s[»›](?=\s|\Z))*(?:\[\d{1,3}\])*(\s+)?"
)
"""A mark with closing quotes and brackets and the space after it; dots with spaces between them are one mark,
`. . .`. French puts a space before a closing quote; without a space after it, the quote opens the next
sentence."""

_GREEK_MARK: Final = re.compile(_MARK.pattern.replace("[.!?…]", "[.!?…;\u037e]"))
"""A semicolon is the question mark of Greek."""

_NEXT: Final = re.compile(r"[\"'”“„‚’‘»«›‹(\[{¿¡–—-]*\s?([^\W_]+(?:['’.][^\W_]+)*\.?)?")
_ELISION: Final = re.compile(r"(?:[cdjlmnst]|qu)['’](?=.)", re.IGNORECASE)
_INITIALS: Final = re.compile("[.-]+")
_ROMAN: Final = re.compile(r"[IVXLC]{1,7}")
_LEFT_OUT: Final = ("(", "[")
"""Marks directly after these stand for an omission, `[…]`, or a comment, `(!)`."""
_OPENING: Final = "\"'”“„‚’‘»«›‹([{<–—-/"
_WORD_CHARS_MAX: Final = 24
"""Maximum length of a word that is examined; no abbreviation is longer."""
_AROUND_CHARS: Final = 40
_DAY_MAX: Final = 31


def split_at_stops(text: str, language: str) -> list[str]:
    """Cut a paragraph after the marks that end its sentences; joined, the pieces are the paragraph."""
    known = ABBREVIATIONS.get(language, UNKNOWN)
    pieces, begin = [], 0
    for mark in (_GREEK_MARK if language == "el" else _MARK).finditer(text):
        if mark[2] and _is_end(text, mark, begin, known):
            end = mark.end()
            pieces.append(text[begin:end])
            begin = end
    if begin < len(text):
        pieces.append(text[begin:])
    return pieces


def _is_end(text: str, mark: re.Match[str], begin: int, known: Abbreviations) -> bool:
    """Tell whether a sentence that began at `begin` ends at a mark."""
    if text[mark.start() - 1 : mark.start()] in _LEFT_OUT:
        return False
    following = _following(text, mark.end())
    if following[:1].islower():
        return False
    if mark[1] != ".":
        return True
    return _ends_at_full_stop(text, mark.start(), begin, following, known)


def _ends_at_full_stop(text: str, stop: int, begin: int, following: str, known: Abbreviations) -> bool:
    words = text[max(begin, stop - _AROUND_CHARS) : stop].split()
    word = words[-1].lstrip(_OPENING) if words else ""
    if elided := _ELISION.match(word):
        word = word[elided.end() :]  # l'art. 5
    if not word or len(word) > _WORD_CHARS_MAX:
        return True
    is_first = len(words) == 1 and stop - begin < _AROUND_CHARS
    if word.isdigit():
        before = words[-2].rstrip(",") if len(words) > 1 else ""
        return _ends_after_number(word, before, following, known, is_first=is_first)
    is_numbered = following[:1].isdigit() or (_ROMAN.fullmatch(following) and following not in known.starters)
    if is_numbered and (_has(known.number, word) or word.endswith(known.endings)):
        return False
    if _has(known.before, word):
        return False
    is_within = _has(known.within, word) or word.endswith(known.endings)
    if is_within or _is_initial(word) or (known.has_ordinals and _ROMAN.fullmatch(word)):
        return following in known.starters
    return True


def _ends_after_number(
    number: str, before: str, following: str, known: Abbreviations, *, is_first: bool
) -> bool:
    """Tell whether a full stop after a number ends the sentence; otherwise it makes the number ordinal."""
    if is_first:
        return False  # the number of a list item: 1. Úvod
    if not known.has_ordinals or len(number) > 3:
        return True
    if following[:1].isdigit():
        return int(number) > _DAY_MAX  # 3. 5. 2020
    if following in known.months:
        return False
    return before not in known.articles or following in known.starters


def _is_initial(word: str) -> bool:
    """Tell whether a word is a letter, or letters with full stops between: J., s. r. o., J.-P., U.S.A."""
    return all(len(part) == 1 and part.isalpha() for part in _INITIALS.split(word))


def _has(abbreviations: frozenset[str], word: str) -> bool:
    return word in abbreviations or word[0].lower() + word[1:] in abbreviations


def _following(text: str, place: int) -> str:
    """Return the next word, without the quotes and brackets before it; empty if something else follows.

    An initial keeps its full stop, so that it does not pass for a word that begins a sentence: A. V. Novák.
    """
    found = _NEXT.match(text, place, place + _AROUND_CHARS)
    word = (found and found[1]) or ""
    return word if _is_initial(word[:-1]) else word.removesuffix(".")
