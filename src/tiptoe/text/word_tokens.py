"""Where do sentences and tokens begin and end?

Sentences are found by the marks of their script (`punctuation`) and by the words around a full stop
(`sentence_ends`). MorphoDiTa's tokenizers, which use rules and no model, find the tokens of each. They return
positions in the text, so that it is never changed. Their time is quadratic in the length of a run without
spaces, so longer runs are cut.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from ufal.morphodita import Forms
from ufal.morphodita import Tokenizer as MorphoditaTokenizer

from tiptoe.text.punctuation import split_at_ends
from tiptoe.text.sentence_ends import split_at_stops

__all__ = ["Splitter", "Token"]

RUN_CHARS_MAX: Final = 300
"""Maximum length of a run without spaces; a longer one is cut, and the sentence ends there. So 1 MB of dots
takes 3 seconds instead of days."""

_LONG_RUN = re.compile(rf"\S{{{RUN_CHARS_MAX + 1}}}")
_PIECE = re.compile(rf"(?s)\s*(?:\S{{1,{RUN_CHARS_MAX - 1}}}(?:\s+|\Z))+|\S{{{RUN_CHARS_MAX}}}|\s+")

_MAKERS: Final[Mapping[str, Callable[[], Any]]] = {
    "cs": MorphoditaTokenizer.newCzechTokenizer,
    "sk": MorphoditaTokenizer.newCzechTokenizer,
    "en": MorphoditaTokenizer.newEnglishTokenizer,
}
"""Languages with tokenizers for their abbreviations and contractions; all others share one tokenizer."""

_JOINERS: Final = frozenset("\u200c\u200d")


Token: TypeAlias = tuple[str, bool]
"""A word, number or mark; and whether it is glued, that is, follows the token before without a space."""


class Splitter:
    """Splits paragraphs into sentences and tokens."""

    def __init__(self) -> None:
        self._tokenizers: dict[Callable[[], Any], Any] = {}
        self._forms = Forms()

    def sentences(self, paragraph: str, language: str) -> list[list[Token]]:
        """Return the sentences of a paragraph, each as its tokens; joined, they are the paragraph."""
        sentences: list[list[Token]] = []
        place = 0
        for forms in self._forms_of(paragraph, language):
            tokens: list[Token] = []
            for form in forms:
                is_glued = place > 0 and paragraph.startswith(form, place)
                place = (place if is_glued else paragraph.index(form, place)) + len(form)
                # The tokenizer may split what belongs together only outside ASCII.
                if is_glued and tokens and form[0] > "\x7f" and _is_one(tokens[-1][0], form):
                    before, was_glued = tokens[-1]
                    tokens[-1] = (before + form, was_glued)
                else:
                    tokens.append((form, is_glued))
            sentences.append(tokens)
        return sentences

    def sentence_texts(self, paragraph: str, language: str) -> list[str]:
        """Return the sentences of a paragraph, exactly as written in it."""
        return [text for piece in _sentences(paragraph, language) if (text := piece.strip())]

    def _forms_of(self, paragraph: str, language: str) -> Iterator[list[str]]:
        """Yield the tokens of each sentence: pieces of the text with only white space between them."""
        tokenizer, forms = self._tokenizer(language), self._forms
        for sentence in _sentences(paragraph, language):
            tokenizer.setText(sentence)
            found: list[str] = []
            while tokenizer.nextSentence(forms, None):  # its own sentence ends are ignored
                found += forms
            if found:
                yield found

    def _tokenizer(self, language: str) -> Any:
        make = _MAKERS.get(language, MorphoditaTokenizer.newGenericTokenizer)
        if make not in self._tokenizers:
            self._tokenizers[make] = make()
        return self._tokenizers[make]


def _sentences(text: str, language: str) -> list[str]:
    """Return the sentences of a text, with the space after them, in pieces that the tokenizer can handle."""
    if "\0" in text:
        text = text.replace("\0", " ")  # the tokenizer, written in C++, would stop there
    sentences = [part for piece in split_at_ends(text) for part in split_at_stops(piece, language)]
    if not _LONG_RUN.search(text):
        return sentences
    return [part for sentence in sentences for part in _PIECE.findall(sentence)]


def _is_one(before: str, after: str) -> bool:
    """Tell whether two glued tokens are one to readers: emoji with modifiers, words spelled with joiners."""
    first = after[0]
    return (
        first in _JOINERS
        or before[-1] in _JOINERS
        or "\U0001f3fb" <= first <= "\U0001f3ff"  # colours of skin
        or unicodedata.category(first) in ("Mn", "Me", "Mc")
    )
