"""Which paragraphs of a page are its main content, as people have it?

Gold texts have no marks that lead back to the page, so the words of both are
aligned. What is on the page more often than in the gold text counts only as
often as it is there. Where only snippets are known, most paragraphs have nothing
but a guess.
"""

from collections import Counter
from collections.abc import Collection
from difflib import SequenceMatcher

import numpy as np
import numpy.typing as npt
from extraction import words_of

RUN = 4
"""So many words in a row are taken for the same words, also out of order."""

KNOWN_WEIGHT = 10.0
"""What a snippet counts, where a whole page counts 100: there are five to a page."""

DOUBT_WEIGHT = 0.3
"""What a paragraph counts whose guess is as good as none, beside one whose guess is certain."""

CAREFUL_PRODUCT_MAX = 40_000_000
"""Above this number of pairs of words the alignment leaves out frequent ones."""


def label_by_gold(paragraphs: list[str], gold: str) -> list[float]:
    """Return for each paragraph the share of its words that the gold text has.

    The same text is as good wherever it stands, and only one of them is taken in
    the end (`tiptoe.text.main_paragraphs`): all have the label of the best of them.
    """
    ours, theirs = [words_of(paragraph) for paragraph in paragraphs], words_of(gold)
    found = iter(_found([word for words in ours for word in words], theirs))
    shares = [sum(next(found) for _ in words) / max(len(words), 1) for words in ours]
    best: dict[str, float] = {}
    for paragraph, share in zip(paragraphs, shares, strict=True):
        best[paragraph] = max(share, best.get(paragraph, 0.0))
    return [best[paragraph] for paragraph in paragraphs]


def _found(page: list[str], gold: list[str]) -> list[bool]:
    """Tell for each word of a page whether it is one of the gold text."""
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
    """Return labels and weights: what snippets say, else what is guessed, which counts by how sure it is.

    A wanted snippet that stands in several paragraphs says nothing, unless none of them is likely; an
    unwanted one may stand in none.
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
