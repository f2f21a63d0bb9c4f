"""From which pieces is a page's text put together?

A paragraph with two links is an opening, a link's words, a middle, a link's
words and a closing, each drawn from a pool of 256: 2^40 different paragraphs
per language, at the cost of five list lookups. A pool is made once per language and
charset and holds every piece twice: as markup ready to be joined, and as its plain
text.
"""

import html
import unicodedata
from dataclasses import dataclass
from random import Random
from typing import Final

from tiptoe.testing.vocabulary import WORDS, Words

__all__ = ["FRAGMENTS", "Fragments", "make_fragments", "path_words"]

FRAGMENTS: Final = 256
SENTENCE_WORDS_MIN: Final = 7
SENTENCE_WORDS_SPREAD: Final = 9
SHORT_PIECE_BYTES: Final = 60  # below this a piece is the bare half-sentences around a link


@dataclass(frozen=True, slots=True)
class Fragments:
    """Pools of one language; `*_markup` is encoded and reaches up to or from a link's address."""

    openings: list[str]
    anchors: list[str]
    middles: list[str]
    closings: list[str]
    titles: list[str]
    openings_markup: list[bytes]  # `<p>words <a href="`
    anchors_markup: list[bytes]  # `">words</a>`
    middles_markup: list[bytes]  # ` words <a href="`
    closings_markup: list[bytes]  # ` words</p>`
    titles_markup: list[bytes]


class _Writer:
    """Writes sentences that look like the language, the same ones for the same seed."""

    def __init__(self, words: Words, seed: str) -> None:
        self._words = words
        self._random = Random(seed)

    def pick(self, choices: tuple[str, ...]) -> str:
        """Return one of the choices; only `random()` is promised never to change between versions."""
        return choices[int(self._random.random() * len(choices))]

    def phrase(self, length: int) -> str:
        """Return `length` words, alternating between glue and content."""
        return " ".join(self.pick(self._words.glue if i % 2 else self._words.content) for i in range(length))

    def sentence(self) -> str:
        """Return a whole sentence; now and then with a comma or an ampersand in it."""
        length = SENTENCE_WORDS_MIN + int(self._random.random() * SENTENCE_WORDS_SPREAD)
        first, second = self.phrase(length // 2), self.phrase(length - length // 2)
        mood = self._random.random()
        joint = " & " if mood < 0.03 else ", " if mood < 0.5 else " "
        return _capitalise(f"{first}{joint}{second}") + "."

    def sentences(self, size: int) -> str:
        """Return whole sentences of about this many characters, or none."""
        written: list[str] = []
        while size > SHORT_PIECE_BYTES:
            written.append(self.sentence())
            size -= len(written[-1]) + 1
        return " ".join(written)


def make_fragments(language: str, charset: str, piece_bytes: int, seed: int) -> Fragments:
    """Return the pools of a language; pieces of text are about `piece_bytes` long."""
    writer = _Writer(WORDS[language], f"{seed} {language}")
    half = int(piece_bytes * 0.9)
    pool = range(FRAGMENTS)
    openings = [f"{writer.sentences(half)} {_capitalise(writer.phrase(3))}".strip() for _ in pool]
    middles = [f"{writer.phrase(3)}. {writer.sentences(half)} {_capitalise(writer.phrase(3))}" for _ in pool]
    closings = [f"{writer.phrase(3)}. {writer.sentences(half)}".strip() for _ in pool]
    anchors = [writer.phrase(3) for _ in pool]
    titles = [_capitalise(writer.phrase(5)) for _ in pool]
    middles = [middle.replace("  ", " ") for middle in middles]
    return Fragments(
        openings, anchors, middles, closings, titles,
        [f'<p>{_mark_up(text)} <a href="'.encode(charset) for text in openings],
        [f'">{html.escape(text)}</a>'.encode(charset) for text in anchors],
        [f' {_mark_up(text)} <a href="'.encode(charset) for text in middles],
        [f" {_mark_up(text)}</p>\n".encode(charset) for text in closings],
        [html.escape(text).encode(charset) for text in titles],
    )  # fmt: skip


def path_words(language: str) -> list[str]:
    """Return the language's content words in a form usable in paths: ASCII, lower case, each once."""
    folded = (unicodedata.normalize("NFKD", word.replace("ł", "l")) for word in WORDS[language].content)
    ascii_words = (word.encode("ascii", "ignore").decode().lower() for word in folded)
    return list(dict.fromkeys(ascii_words))


def _capitalise(text: str) -> str:
    return text[0].upper() + text[1:]


def _mark_up(text: str) -> str:
    """Return the text as HTML, with its second word emphasised if the first is long."""
    words = html.escape(text).split(" ")
    if len(words) > 2 and len(words[0]) > 5:
        words[1] = f"<em>{words[1]}</em>"
    return " ".join(words)
