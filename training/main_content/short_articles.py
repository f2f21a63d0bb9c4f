"""What would a page look like if its article were short?

Most articles in the data are long. Elsewhere many have two or three paragraphs and stand among teasers to
twenty others: without examples, such a page is taken for a list of teasers.
"""

from itertools import compress

import numpy as np
import numpy.typing as npt

from tiptoe.text.outline import Outline

__all__ = ["PARAGRAPHS_MAX", "beginning", "shorten"]

PARAGRAPHS_MAX = 5
"""Maximum number of long paragraphs that are left of an article."""

LONG_WORDS = 8
"""Minimum number of words of a long paragraph."""


def beginning(
    labels: npt.NDArray[np.float64], words: npt.NDArray[np.float64], paragraphs: int
) -> npt.NDArray[np.bool_] | None:
    """Tell which paragraphs of a page are left if its main content ends after this many long ones.

    None if there are not more of them.
    """
    is_main = labels > 0.5
    long = np.flatnonzero(is_main & (words >= LONG_WORDS))
    if len(long) <= paragraphs + 1:
        return None
    return ~(is_main & (np.arange(len(labels)) >= long[paragraphs]))


def shorten(outline: Outline, kept: npt.NDArray[np.bool_]) -> Outline:
    """Return an outline with these paragraphs only, and without the elements that have lost all of theirs."""
    before = np.concatenate(([0], np.cumsum(kept)))
    first, end = np.array(outline.first), np.array(outline.end)
    is_lost = (first < end) & (before[first] == before[end])
    for element, parent in enumerate(outline.parent):
        is_lost[element] |= element > 0 and is_lost[parent]
    left = np.flatnonzero(~is_lost)
    number = np.cumsum(~is_lost) - 1
    _, shape = np.unique(np.array(outline.shape)[left], return_inverse=True)
    return Outline(
        abstract=outline.abstract,
        names=outline.names,
        text=list(compress(outline.text, kept)),
        place=number[np.array(outline.place)[kept]].tolist(),
        linked_chars=list(compress(outline.linked_chars, kept)),
        name=np.array(outline.name)[left].tolist(),
        parent=number[np.array(outline.parent)[left]].tolist(),
        depth=np.array(outline.depth)[left].tolist(),
        shape=shape.tolist(),
        first=before[first[left]].tolist(),
        end=before[end[left]].tolist(),
    )
