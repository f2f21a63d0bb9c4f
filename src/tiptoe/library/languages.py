"""In which language is a text?"""

from collections.abc import Sequence
from functools import cache

from tiptoe.text.language import DocumentLanguage, LanguageIdentifier

__all__ = ["identify_language", "language_identifier"]


def identify_language(text: str | Sequence[str]) -> DocumentLanguage:
    """Return the language of a text and of each of its paragraphs: lines of a string, or the items of a list.

    `language` is a code of ISO 639-1, or `und` if it is unknown; `confidence` is from 0 to 1.
    """
    if text is None or isinstance(text, bytes | bytearray):
        raise TypeError(f"text: expected str or a list of str, not {type(text).__name__}")
    paragraphs = [line for line in text.splitlines() if line.strip()] if isinstance(text, str) else list(text)
    return language_identifier().identify_document(paragraphs)


@cache
def language_identifier() -> LanguageIdentifier:
    """Return the model, which takes a moment to load and needs up to 65 MB."""
    return LanguageIdentifier.load()
