"""Which paragraphs are taken, given how likely each is main content?

No fixed threshold fits all pages: on a product page nothing is certain, in an
article nearly everything is. So on each page the most likely paragraphs are taken,
as many as give the best expected balance of precision and recall of words (F-measure).
Strictness sets the weight of either.

The doubts about a page have one cause: either all the teasers below a short article are
main content, or none is. Were they independent, some could be counted on, and twenty
doubtful teasers would be taken for the sake of the few.

Of a paragraph that is repeated one copy is taken: pages write the same text for phones and
for desks. But a question that each guest of an interview is asked is taken each time.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from tiptoe.text.characters import Floats

__all__ = ["select"]

RECALL_WEIGHT: Final = 0.85
"""Weight of missed main text relative to boilerplate taken, at a strictness of 0.5."""

RECALL_RANGE: Final = 4.0
"""Factor by which that weight grows when strictness falls to 0, and shrinks when it rises to 1."""

GUESSES: Final = (np.arange(16) + 0.5) / 16
"""Equally likely guesses about the page, as shares of the highest probability: what is likelier than
the guess is main content."""

REPEATED_WORDS_MIN: Final = 3
"""Minimum number of words of a paragraph of which only one copy in the same place is taken."""

REPEATED_PROBABILITY_MIN: Final = 0.8
"""Minimum probability of a copy that is taken in another place."""


def select(
    texts: list[str], words: Floats, probabilities: Floats, strictness: float = 0.5
) -> npt.NDArray[np.bool_]:
    """Tell for each paragraph whether it is taken; `strictness` is from 0 to 1."""
    taken = _likeliest(words, probabilities, RECALL_WEIGHT * RECALL_RANGE ** (1 - 2 * strictness))
    is_likely = probabilities >= REPEATED_PROBABILITY_MIN
    first: dict[str, int] = {}
    dropped = []
    for number in np.flatnonzero(taken & (words >= REPEATED_WORDS_MIN)).tolist():
        earlier = first.setdefault(texts[number], number)
        if earlier != number and not (is_likely[number] and _is_elsewhere(texts, taken, earlier, number)):
            dropped.append(number)
    taken[dropped] = False
    return taken


def _is_elsewhere(texts: list[str], taken: npt.NDArray[np.bool_], first: int, later: int) -> bool:
    """Tell whether a repeated paragraph is in the midst of main content, and in another place of it."""
    if later + 1 == len(texts) or not (taken[later - 1] and taken[later + 1]):
        return False
    around_first = texts[max(first - 1, 0) : first + 2]
    return texts[later - 1] not in around_first and texts[later + 1] not in around_first


def _likeliest(words: Floats, probabilities: Floats, recall_weight: float) -> npt.NDArray[np.bool_]:
    order = np.argsort(-probabilities, kind="stable")
    in_order = np.concatenate(([0.0], np.cumsum(words[order])))
    likeliest_first = -probabilities[order]
    main = in_order[np.searchsorted(likeliest_first, likeliest_first[0] * GUESSES)]
    taken_words = in_order[1:, None]
    # Up to a factor, this is the F-measure of each cut, expected over the guesses.
    square = recall_weight * recall_weight
    promise = np.minimum(taken_words, main) / np.maximum(taken_words + square * main, 1)
    taken = np.zeros(len(words), dtype=np.bool_)
    taken[order[: int(np.argmax(promise.sum(axis=1))) + 1]] = True
    return taken
