"""Which paragraphs of a page are its main content?

    outline  ->  features   what can be measured about each paragraph
             ->  trees      how likely it is main content, as learned from pages that people judged
             ->  selection  which ones to take

Main content is what the page is there for: the article without the menus around
it, all posts of a thread, the description of a product. The rest is boilerplate.
"""

from functools import partial
from typing import Final, NamedTuple

import numpy as np

from tiptoe.text.features import FEATURES, measure
from tiptoe.text.main_paragraphs import select
from tiptoe.text.outline import Outline
from tiptoe.text.trees import Trees

__all__ = ["Label", "label_paragraphs"]

_WORDS: Final = FEATURES.index("words")


class Label(NamedTuple):
    """What a paragraph is taken for."""

    is_main: bool
    probability: float


_LABELLED: Final = partial(tuple.__new__, Label)
"""Makes a label of a pair, in a third of the time that `Label(...)` takes: pages have hundreds."""


def label_paragraphs(outline: Outline, trees: Trees, *, strictness: float = 0.5) -> list[Label]:
    """Label each paragraph of a page, in order; at 1 rather too little is main content, at 0 too much."""
    if not outline.text:
        return []
    measured = measure(outline)
    probabilities = trees.probabilities(measured)
    words = measured[_WORDS].astype(np.float64)
    taken = select(outline.text, words, probabilities, strictness)
    return list(map(_LABELLED, zip(taken.tolist(), probabilities.tolist(), strict=True)))
