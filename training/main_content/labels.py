"""Which paragraphs of a page stand in its gold text?

Gold texts have no marks that lead back to the page, so the words of both are
aligned. What is on the page more often than in the gold text counts only as
often as it is there.
"""

from collections import Counter
from difflib import SequenceMatcher

from extraction import words_of

RUN = 4
"""So many words in a row are taken for the same words, also out of order."""

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
