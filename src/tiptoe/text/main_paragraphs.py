"""Which paragraphs are taken, given how likely each is main content?

A fixed threshold fits no page: on a product page nothing is certain, in an
article nearly all is. So of every page as many of the likeliest paragraphs are
taken as promise the best balance (F-measure) of words caught and words missed.
How much either weighs is a matter of strictness.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from tiptoe.text.characters import Floats

__all__ = ["select"]

RECALL_WEIGHT: Final = 0.8
"""How much text that is missed weighs beside boilerplate that is taken, at a strictness of 0.5."""

RECALL_RANGE: Final = 4.0
"""By how much that grows when strictness falls to 0; towards 1 it shrinks by as much."""

REPEATED_WORDS_MIN: Final = 3
"""Minimum number of words of a paragraph that is taken once, wherever else on the page it stands again."""


def select(
    texts: list[str], words: Floats, probabilities: Floats, strictness: float = 0.5
) -> npt.NDArray[np.bool_]:
    """Tell for each paragraph whether it is taken; strictness is from 0 to 1."""
    taken = _likeliest(words, probabilities, RECALL_WEIGHT * RECALL_RANGE ** (1 - 2 * strictness))
    seen: set[str] = set()
    for number in np.flatnonzero(taken & (words >= REPEATED_WORDS_MIN)).tolist():
        text = texts[number]
        if text in seen:
            taken[number] = False
        seen.add(text)
    return taken


def _likeliest(words: Floats, probabilities: Floats, recall_weight: float) -> npt.NDArray[np.bool_]:
    order = np.argsort(-probabilities, kind="stable")
    expected = words * probabilities
    caught = np.cumsum(expected[order])
    # What is caught, over all that is taken and, by its weight, all that should be: but for a factor this is
    # the expected F-measure of each cut.
    square = recall_weight * recall_weight
    promise = caught / np.maximum(np.cumsum(words[order]) + square * expected.sum(), 1)
    taken = np.zeros(len(words), dtype=np.bool_)
    taken[order[: int(np.argmax(promise)) + 1]] = True
    return taken
