"""Which paragraphs of a page are its main content?

    outline  ->  features   what can be measured about each paragraph
             ->  trees      how likely it is main content, learned from pages judged by people
             ->  selection  which ones to take

Main content is what the page is about: the article without the menus around it,
all posts of a thread, the description of a product. The rest is boilerplate.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tiptoe.text.characters import Floats
from tiptoe.text.features import FEATURES, measure
from tiptoe.text.main_paragraphs import select
from tiptoe.text.outline import Outline
from tiptoe.text.trees import Trees

__all__ = ["Label", "are_main", "label_paragraphs"]

_WORDS: Final = FEATURES.index("words")


class Label(NamedTuple):
    """The judgement of one paragraph."""

    is_main: bool
    probability: float


def are_main(outline: Outline, trees: Trees, *, strictness: float = 0.5) -> list[bool]:
    """Tell for each paragraph of a page whether it is main content; a higher strictness takes fewer."""
    if not outline.text:
        return []
    taken: list[bool] = _judge(outline, trees, strictness)[0].tolist()
    return taken


def label_paragraphs(outline: Outline, trees: Trees, *, strictness: float = 0.5) -> list[Label]:
    """Tell for each paragraph whether it is main content, and how likely."""
    if not outline.text:
        return []
    taken, probabilities = _judge(outline, trees, strictness)
    return list(map(Label, taken.tolist(), probabilities.tolist()))


def _judge(outline: Outline, trees: Trees, strictness: float) -> tuple[npt.NDArray[np.bool_], Floats]:
    measured = measure(outline)
    probabilities = trees.probabilities(measured)
    words = measured[_WORDS].astype(np.float64)
    return select(outline.text, words, probabilities, strictness), probabilities
