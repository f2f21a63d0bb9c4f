"""Where do the sentences of a text begin and end?"""

from functools import lru_cache
from threading import get_ident

from tiptoe.export.selection import read_languages
from tiptoe.library.languages import identify_language
from tiptoe.text.word_tokens import Splitter

__all__ = ["split_sentences"]

THREADS_MAX = 16
"""Maximum number of threads whose splitters are cached; above it some are created again."""


def split_sentences(text: str, language: str | None = None) -> list[str]:
    """Return the sentences of a text unchanged; every line ends a sentence.

    `language` is a code such as `cs`; its abbreviations do not end a sentence. If it is not given, the
    language is detected. SettingsError if it is not a valid code.
    """
    if not isinstance(text, str):
        raise TypeError(f"text: expected str, not {type(text).__name__}")
    if language is None:
        language = identify_language(text).language
    elif language:
        (language,) = read_languages([language], name="language")
    splitter = _splitter(get_ident())
    return [
        sentence
        for line in text.splitlines()
        if line.strip()
        for sentence in splitter.sentence_texts(line, language)
    ]


@lru_cache(maxsize=THREADS_MAX)
def _splitter(thread: int) -> Splitter:
    """Return the splitter of a thread; it is not shared, since it holds the current text."""
    return Splitter()
