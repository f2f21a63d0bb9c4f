"""Which documents does the user want?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tiptoe.errors import SettingsError
from tiptoe.export.export_amounts import Omission
from tiptoe.write.corpus import Document

__all__ = ["Selection", "language_of", "read_languages"]

LANGUAGE = re.compile(r"[a-z]{2,3}", re.ASCII)

ALIASES = {
    "cz": "cs",
    "cze": "cs",
    "ces": "cs",
    "slo": "sk",
    "slk": "sk",
    "eng": "en",
    "ger": "de",
    "deu": "de",
}
"""What pages declare instead of the codes of ISO 639-1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Selects documents by language and quality; by default all."""

    languages: frozenset[str] = frozenset()
    usability_min: float = 0.0

    def omission(self, document: Document) -> Omission | None:
        """Return why a document is not wanted; None if it is."""
        if all(not paragraph or paragraph.isspace() for paragraph in document.paragraphs):
            return Omission.NO_TEXT
        if self.languages and language_of(document) not in self.languages:
            return Omission.OTHER_LANGUAGE
        if self.usability_min > 0.0:
            if not isinstance(document.usability, float):
                return Omission.UNKNOWN_USABILITY
            if document.usability < self.usability_min:
                return Omission.LOW_USABILITY
        return None


def language_of(document: Document) -> str:
    """Return the language of a document as a short code: as detected, else as declared; empty if unknown."""
    return _primary(document.lang or document.language or "")


def read_languages(given: Sequence[str], *, name: str = "--lang") -> frozenset[str]:
    """Return language codes given one by one or with commas: `cs`, `cs-CZ`.

    `name`: the option named in error messages.
    """
    codes = [_primary(code) for text in given for code in text.split(",") if code.strip()]
    for code in codes:
        if not LANGUAGE.fullmatch(code):
            raise SettingsError(f"{name} {code}: not a language code such as cs")
    return frozenset(codes)


def _primary(tag: str) -> str:
    primary = tag.strip().lower().replace("_", "-").partition("-")[0]
    return ALIASES.get(primary, primary)
