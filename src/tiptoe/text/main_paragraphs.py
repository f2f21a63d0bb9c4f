"""Which paragraphs are taken, given how likely each is main content?

A fixed threshold fits no page: on a product page nothing is certain, in an
article nearly all is. So of every page as many of the likeliest paragraphs are
taken as promise the best balance (F1) of words caught and words missed.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from tiptoe.text.characters import Floats

__all__ = ["select"]

REPEATED_WORDS_MIN: Final = 3
"""Minimum number of words of a paragraph that is taken once, wherever else on the page it stands again."""


def select(texts: list[str], words: Floats, probabilities: Floats) -> npt.NDArray[np.bool_]:
    """Tell for each paragraph whether it is taken."""
    taken = _likeliest(words, probabilities)
    seen: set[str] = set()
    for number in np.flatnonzero(taken & (words >= REPEATED_WORDS_MIN)).tolist():
        text = texts[number]
        if text in seen:
            taken[number] = False
        seen.add(text)
    return taken


def _likeliest(words: Floats, probabilities: Floats) -> npt.NDArray[np.bool_]:
    order = np.argsort(-probabilities, kind="stable")
    expected = words * probabilities
    caught = np.cumsum(expected[order])
    # Twice what is caught, over all that is taken and all that should be: the expected F1 of each cut.
    promise = 2 * caught / np.maximum(np.cumsum(words[order]) + expected.sum(), 1)
    taken = np.zeros(len(words), dtype=np.bool_)
    taken[order[: int(np.argmax(promise)) + 1]] = True
    return taken
