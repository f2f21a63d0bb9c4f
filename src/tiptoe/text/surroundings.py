"""What do the elements around a paragraph contain?

An outline as arrays. The paragraphs of an element are consecutive, so any total of
a subtree is the difference of two running totals: each figure costs the same, however
deep or wide the page is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tiptoe.text.characters import Characters, Floats
from tiptoe.text.outline import Name, Outline
from tiptoe.text.signs import TAGS, read_signs

__all__ = [
    "AMOUNTS",
    "PROSE_WORDS_MIN",
    "RATIOS",
    "Amounts",
    "Bits",
    "Indices",
    "Surroundings",
    "tags_of_names",
]

Indices: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.uint64]

PROSE_WORDS_MIN: Final = 8
"""Minimum number of words of *prose*: a paragraph that also has a full stop or comma and few linked words."""

AMOUNTS: Final = ("paragraphs", "words", "linked", "prose", "priced", "short", "quoted")
"""What is summed for paragraphs, subtrees and sections: paragraphs; words, and those in links and in prose;
paragraphs with a currency sign, and those of up to three words; words of paragraphs quoted in the
abstract."""

RATIOS: Final = (
    "words", "share", "prose share", "each", "linked", "prose", "priced", "short", "quoted",
)  # fmt: skip
"""What is computed from amounts: shares of the page, words per paragraph, shares of words and paragraphs."""

_TAG_NUMBER: Final = {tag: number for number, tag in enumerate(TAGS)}


class Amounts:
    """The amounts in parts of a page; arrays have a row for each of `AMOUNTS`."""

    def __init__(self, characters: Characters, linked_share: Floats, is_quoted: Floats) -> None:
        words = characters.words
        is_sentence = (characters.stops > 0) | (characters.commas > 0)
        is_prose = (linked_share < 0.5) & (words >= PROSE_WORDS_MIN) & is_sentence
        # Rows are filled one by one: stacking arrays costs more than computing them.
        self.single = np.empty((len(AMOUNTS), len(words)))
        self.single[0] = 1
        self.single[1] = words
        self.single[2] = words * linked_share
        self.single[3] = words * is_prose
        self.single[4] = characters.money > 0
        self.single[5] = words <= 3
        self.single[6] = words * is_quoted
        self.before = np.zeros((len(AMOUNTS), len(words) + 1))
        np.cumsum(self.single, axis=1, out=self.before[:, 1:])
        self.page = self.before[:, -1:]

    def between(self, begin: Indices, end: Indices) -> Floats:
        """Sum up the paragraphs from `begin` to `end`, for each pair of them."""
        return self.before[:, end] - self.before[:, begin]

    def ratios(self, amounts: Floats) -> npt.NDArray[np.float32]:
        """Return one row for each of `RATIOS`."""
        _, words, linked, prose, priced, short, quoted = amounts
        some_paragraphs, some_words = np.maximum(amounts[:2], 1)
        ratios = np.empty((len(RATIOS), len(words)), dtype=np.float32)
        ratios[0] = words
        ratios[1] = words / max(self.page[1, 0], 1)
        ratios[2] = prose / max(self.page[3, 0], 1)
        ratios[3] = words / some_paragraphs
        ratios[4] = linked / some_words
        ratios[5] = prose / some_words
        ratios[6] = priced / some_paragraphs
        ratios[7] = short / some_paragraphs
        ratios[8] = quoted / some_words
        return ratios


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The elements of an outline, by number, and the place of each paragraph among them."""

    place: Indices
    parent: Indices
    depth: Indices
    first: Indices
    end: Indices
    tag: Indices  # index of `TAGS`, or one more than there are
    signs: Bits
    signs_above: Bits  # of an element and all its ancestors
    shape: Indices
    twins: Indices  # number of children of the same parent with the same name

    @classmethod
    def of(cls, outline: Outline) -> "Surroundings":
        """Turn the columns of an outline into arrays."""
        name, parent, depth = _indices(outline.name), _indices(outline.parent), _indices(outline.depth)
        first, end = _indices(outline.first), _indices(outline.end)
        # Every fifth name is used only by elements without text; their signs are not needed.
        is_asked = np.zeros(len(outline.names), dtype=np.bool_)
        is_asked[name[first < end]] = True
        named = zip(outline.names, is_asked.tolist(), strict=True)
        signs = np.array([read_signs(*each) if asked else 0 for each, asked in named], dtype=np.uint64)[name]
        tags = tags_of_names(outline.names)
        pairs = parent * len(outline.names) + name
        _, pair, twins = np.unique(pairs, return_inverse=True, return_counts=True)
        return cls(
            place=_indices(outline.place),
            parent=parent,
            depth=depth,
            first=first,
            end=end,
            tag=tags[name],
            signs=signs,
            signs_above=_handed_down(signs, parent, depth),
            shape=_indices(outline.shape),
            twins=twins[pair],
        )

    def of_shapes(self, amounts: Floats) -> Floats:
        """Return for each element the amounts of all elements of its shape together."""
        together = np.array([np.bincount(self.shape, row) for row in amounts])
        return together[:, self.shape]


def tags_of_names(names: list[Name]) -> Indices:
    """Return the number of each name's tag, see `TAGS`."""
    return _indices([_TAG_NUMBER.get(name[0], len(TAGS)) for name in names])


def _indices(column: Sequence[int]) -> Indices:
    # Takes half the time of `np.array(...)`.
    return np.fromiter(column, np.int64, len(column))


def _handed_down(signs: Bits, parent: Indices, depth: Indices) -> Bits:
    """Let each element inherit the signs of its ancestors, level by level."""
    above = signs.copy()
    order = np.argsort(depth, kind="stable")
    ends = np.cumsum(np.bincount(depth))
    for begin, end in pairwise(ends):
        level = order[begin:end]
        above[level] |= above[parent[level]]
    return above
