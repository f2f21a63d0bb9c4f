"""Which paragraphs of a page do people regard as its main content?

Gold texts do not say where on the page they come from, so the words of both are
aligned. Words that are more frequent on the page than in the gold text count only
as often as in the latter. If only snippets are known, most paragraphs have only a
guess.
"""

from collections import Counter
from collections.abc import Collection
from difflib import SequenceMatcher

import numpy as np
import numpy.typing as npt
from extraction import words_of

RUN = 4
"""Number of words in a row that are taken for the same passage, even out of order."""

KNOWN_WEIGHT = 10.0
"""Weight of a snippet, relative to 100 for a whole page: there are about five per page."""

DOUBT_WEIGHT = 0.3
"""Weight of a paragraph with a worthless guess, relative to one with a certain guess."""

CAREFUL_PRODUCT_MAX = 40_000_000
"""Maximum number of pairs of words for a full alignment; above it, frequent words are left out."""


def label_by_gold(paragraphs: list[str], gold: str) -> list[float]:
    """Return for each paragraph the share of its words that the gold text has.

    Repeated paragraphs are equally good wherever they are, and only one of them is used
    in the end (`tiptoe.text.main_paragraphs`): all get the label of the best one.
    """
    ours, theirs = [words_of(paragraph) for paragraph in paragraphs], words_of(gold)
    found = iter(_found([word for words in ours for word in words], theirs))
    shares = [sum(next(found) for _ in words) / max(len(words), 1) for words in ours]
    best: dict[str, float] = {}
    for paragraph, share in zip(paragraphs, shares, strict=True):
        best[paragraph] = max(share, best.get(paragraph, 0.0))
    return [best[paragraph] for paragraph in paragraphs]


def _found(page: list[str], gold: list[str]) -> list[bool]:
    """Return for each word of a page whether it belongs to the gold text."""
    matcher = SequenceMatcher(None, page, gold, autojunk=len(page) * len(gold) > CAREFUL_PRODUCT_MAX)
    found = [False] * len(page)
    runs = Counter(tuple(gold[at : at + RUN]) for at in range(len(gold) - RUN + 1))
    for ours, theirs, length in matcher.get_matching_blocks():
        found[ours : ours + length] = [True] * length
        runs.subtract(tuple(gold[at : at + RUN]) for at in range(theirs, theirs + length - RUN + 1))
    aligned = found.copy()
    for at in range(len(page) - RUN + 1):
        run = tuple(page[at : at + RUN])
        if not aligned[at] and runs.get(run, 0) > 0:
            runs[run] -= 1
            found[at : at + RUN] = [True] * RUN
    return found


def label_by_snippets(
    paragraphs: list[str],
    wanted: Collection[str],
    unwanted: Collection[str],
    guessed: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return labels and weights: from snippets, otherwise from the guess, weighted by its certainty.

    A wanted snippet that is in several paragraphs says nothing, unless none of them is likely; an
    unwanted one must not be in any.
    """
    labels, weights = guessed.copy(), weights * (DOUBT_WEIGHT + (1 - DOUBT_WEIGHT) * np.abs(2 * guessed - 1))
    texts = [" ".join(text.split()) for text in paragraphs]
    known: set[int] = set()
    for snippets, label in ((wanted, 1.0), (unwanted, 0.0)):
        for snippet in snippets:
            needle = " ".join(snippet.split())
            places = [place for place, text in enumerate(texts) if needle in text]
            if label and len(places) > 1:
                best = max(places, key=lambda place: guessed[place])
                places = [] if guessed[best] > 0.5 else [best]
            for place in places:
                labels[place] = 0.5 if place in known else label
                weights[place] += KNOWN_WEIGHT / len(places)
                known.add(place)
    return labels, weights
