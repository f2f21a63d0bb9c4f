"""Which paragraphs show at a glance that they are in the language of their document?

Those with words that no other language has, and entries of menus, which are too short to show anything else.
Most paragraphs of a page are settled here; only the others are compared with all languages.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from tiptoe.text.language_scripts import SAMPLE_CHARS

try:
    from tiptoe.text.compiled_telltales import Telltales
except ImportError:  # see setup.py
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = [
    "IS_COMPILED",
    "SKIMMED_CHARS",
    "WORDS_MIN",
    "SomeTelltales",
    "UncompiledTelltales",
    "make_telltales",
]

SKIMMED_CHARS: Final = 100
"""Maximum number of characters that are read of a paragraph."""

TELLTALES, WORDS_FEW = 2, 10
"""Number of words unique to one language that decide the language of a paragraph; among fewer than
`WORDS_FEW` words, one is enough."""

WORDS_MIN: Final = 4
"""Minimum number of words that can contradict the document around them."""


class UncompiledTelltales:
    """The words that are unique to one language, in lower case."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = sorted(words)
        self._known = frozenset(self.words)

    def settle(
        self,
        paragraphs: Sequence[str],
        main: str,
        und: str,
        agrees: Callable[[list[str]], bool],
        is_latin: bool,
    ) -> list[str | int]:
        """Return the language of each paragraph, or its number of words if it takes a closer look."""
        labels: list[str | int] = []
        for paragraph in paragraphs:
            small = paragraph[:SKIMMED_CHARS].lower()
            words = small.split()
            if is_latin and len(words) < WORDS_MIN and len(paragraph) <= SAMPLE_CHARS and paragraph.isascii():
                # A menu entry: a closer look would only check that it has letters.
                labels.append(main if small != paragraph.upper() else und)
                continue
            telling = len(self._known.intersection(words))
            is_settled = telling >= TELLTALES or (telling and len(words) < WORDS_FEW)
            if is_settled or (len(words) >= WORDS_MIN and agrees(words)):
                labels.append(main)
            else:
                labels.append(len(words))
        return labels


SomeTelltales: TypeAlias = "Telltales | UncompiledTelltales"


def make_telltales(words: Iterable[str]) -> SomeTelltales:
    """Return the words that are unique to one language, ready to be looked for."""
    return Telltales(words) if IS_COMPILED else UncompiledTelltales(words)
