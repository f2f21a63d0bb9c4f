"""Boosted trees, asked all at once."""

import json
import math

import numpy as np
import pytest

from tiptoe.text.trees import BATCH, Trees

MODEL = {
    "features": ["words", "linked"],
    "bias": 0.5,
    "asked": [[0, 1], [1, 0]],  # first level of both trees, then the second
    "borders": [[10.0, 0.5], [0.2, 100.0]],
    "leaves": [[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]],
}


@pytest.fixture
def trees() -> Trees:
    return Trees.from_json(json.dumps(MODEL).encode(), ["depth", "linked", "words"])


@pytest.mark.parametrize(
    ("words", "linked", "score"),
    [
        (5, 0.0, 0.5 + 1 + 10),
        (11, 0.0, 0.5 + 2 + 10),
        (5, 0.3, 0.5 + 3 + 10),
        (11, 0.6, 0.5 + 4 + 20),
        (101, 0.6, 0.5 + 4 + 40),
        (10, 0.2, 0.5 + 1 + 10),  # on the border is not above it
    ],
)
def test_the_answers_are_the_number_of_the_leaf(
    trees: Trees, words: float, linked: float, score: float
) -> None:
    measured = np.array([[0], [linked], [words]], dtype=np.float32)
    assert trees.probabilities(measured)[0] == pytest.approx(1 / (1 + math.exp(-score)))


def test_a_question_of_several_trees_is_answered_once() -> None:
    """Else asking costs half as much again."""
    model = {**MODEL, "asked": [[0, 0], [1, 0]], "borders": [[10.0, 10.0], [0.2, 100.0]]}
    trees = Trees.from_json(json.dumps(model).encode(), ["linked", "words"])
    assert len(trees.asked) == 3
    measured = np.array([[0.3], [11]], dtype=np.float32)
    assert trees.probabilities(measured)[0] == pytest.approx(1 / (1 + math.exp(-(0.5 + 4 + 20))))


def test_many_columns_are_judged_like_one(trees: Trees) -> None:
    """A long page is cut into batches."""
    measured = np.tile(np.array([[0], [0.3], [11]], dtype=np.float32), 2 * BATCH + 1)
    assert set(trees.probabilities(measured)) == set(trees.probabilities(measured[:, :1]))
