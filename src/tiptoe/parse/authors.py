"""Who wrote a page, according to the texts that name its authors?

Metadata for machines contain only names. A byline is written for people: several names in one line, with
words, days and punctuation around them. If it does not look like names, but like a sentence or a button, no
author is found.
"""

import re
from collections.abc import Iterable
from typing import Final

from tiptoe.parse.month_names import MONTHS
from tiptoe.text.paragraphs import clean

__all__ = ["has_lead", "read_authors", "read_byline"]

AUTHORS_MAX: Final = 50
LINE_CHARS_MAX: Final = 1_000
NAME_CHARS_MAX: Final = 100
NAME_WORDS_MAX: Final = 8
BYLINE_WORDS_MAX: Final = 5
PARTICLE_CHARS_MAX: Final = 3
"""Maximum length of a word in lower case within a name: `van`, `de`, `la`."""

_LEADS: Final = (
    "by", "written by", "posted by", "post by", "author", "authors", "von", "vom", "autor", "autorin",
    "autoren", "par", "auteur", "por", "autores", "di", "autore", "door", "av", "text", "autoři", "napsal",
    "napsala", "przez", "автор", "авторы", "автори", "текст", "συντάκτης", "作者", "文", "記者", "记者",
    "기자",
)  # fmt: skip
"""Words before names, in the languages whose pages use them most often."""

_LEAD = re.compile(
    rf"(?:(?:{'|'.join(sorted(_LEADS, key=len, reverse=True))})(?:\s*[:：]\s*|\s+))+", re.IGNORECASE
)
_AND = r"(?:&|and|und|et|y|e|och|og|en|i|и|та|και|oraz)"
_BETWEEN = re.compile(rf"\s*[;|•·]\s*|\s+{_AND}\s+|\s*,\s*(?:{_AND}\s+)?")
_FIRM = re.compile(r"\s*[;|•·]\s*")
_END = re.compile(r"\s[|•·–—/»-]|[|•·»(]|,?\s+\S*[0-9]|\s(?=[{<\[])|\s\S+?：")
"""The end of the names in a byline."""

_MAIL = re.compile(r"(?<![^\s,;])[(<\[]?[^\s@,;]++@[^\s@,;)>\]]++[)>\]]?")
_DEFAULTS: Final = frozenset({
    "admin", "administrator", "super user", "webmaster", "wordpress", "null", "none", "undefined",
    "unknown", "n/a", "name", "your name", "未知",
})  # fmt: skip
"""Default names that programs write when none is configured."""

_BEFORE_DAYS: Final = frozenset({"on", "at", "am", "vom", "le", "el", "il", "op", "dne", "dnia", "den"})
_ABOUT_DAYS: Final = frozenset({
    "published", "updated", "posted", "modified", "reviewed", "last", "date", "veröffentlicht",
    "aktualisiert", "stand", "publié", "publicado", "actualizado", "atualizado", "pubblicato",
    "aggiornato", "gepubliceerd", "vydáno", "publikováno", "aktualizováno", "opublikowano",
    "aktualizacja", "опубликовано", "обновлено", "monday", "tuesday", "wednesday", "thursday", "friday",
    "saturday", "sunday", "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag",
    "sonntag", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche",
})  # fmt: skip
"""Words that may be between the names of a byline and a day."""

_NOBODY = re.compile(r"https?:|www\.|@|[<>{}\[\]=]|\d{4}")


def read_authors(lines: Iterable[str]) -> list[str]:
    """Return the names in lines that contain only names, each once."""
    found: dict[str, str] = {}
    for line in lines:
        for name in _split(_strip_lead(_line(line))):
            found.setdefault(name.casefold(), name)
            if len(found) >= AUTHORS_MAX:
                return list(found.values())
    return list(found.values())


def read_byline(text: str) -> list[str]:
    """Return the names in a line written for readers; none if they do not look like names."""
    line = _line(text)
    names = _strip_lead(line)
    is_led = names != line
    end = _END.search(names)
    names = _without_day(names[: end.start()] if end else names)
    found = _split(names)
    return found if found and all(_is_like_name(name, is_led=is_led) for name in found) else []


def has_lead(text: str) -> bool:
    """Tell whether a text begins like a byline."""
    return _LEAD.match(text) is not None


def _line(text: str) -> str:
    text = text[: 2 * LINE_CHARS_MAX]
    return clean(_MAIL.sub(" ", text) if "@" in text else text)[:LINE_CHARS_MAX]


def _strip_lead(line: str) -> str:
    lead = _LEAD.match(line)
    return line[lead.end() :] if lead else line


def _without_day(names: str) -> str:
    """Remove words before a day from the end of the names: its month, or `updated on`."""
    words = names.split()
    while words and _leads_to_day(words[-1].strip(".,:")):
        words.pop()
    return " ".join(words)


def _leads_to_day(word: str) -> bool:
    # Prepositions only in lower case: Le is a name.
    return word in _BEFORE_DAYS or word.lower() in MONTHS or word.lower() in _ABOUT_DAYS


def _split(line: str) -> list[str]:
    parts = [part for part in _BETWEEN.split(line) if part]
    # "Jan Novák, Petr Malý" are two; "Jan Novák, PhD" and "Novák, Jan" are one.
    if not all(" " in part or len(part) > 20 for part in parts):
        parts = _FIRM.split(line)
    return [name for part in parts if (name := _name(part))]


def _name(part: str) -> str:
    name = part.strip(" ,.:-–—|/*")
    if not name or len(name) > NAME_CHARS_MAX or len(name.split()) > NAME_WORDS_MAX or _NOBODY.search(name):
        return ""
    return name if any(map(str.isalpha, name)) and name.lower() not in _DEFAULTS else ""


def _is_like_name(name: str, *, is_led: bool) -> bool:
    words = name.split()
    if len(words) == 1:
        return is_led
    return len(words) <= BYLINE_WORDS_MAX and all(
        not word[0].islower() or len(word) <= PARTICLE_CHARS_MAX for word in words
    )
