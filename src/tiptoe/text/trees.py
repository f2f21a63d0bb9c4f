"""How likely is it that a column of measurements is what the trees were trained to find?

Boosted oblivious trees: all nodes of one level ask the same question, so a
tree is a list of questions, and the answers, read as a binary number, are the
number of a leaf. No walk from node to node is needed: all trees are evaluated
for all columns at once, and a question that many trees share is answered once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from tiptoe.text.characters import Floats

try:
    from tiptoe.text.compiled_trees import score
except ImportError:  # see setup.py
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = ["Trees"]

BATCH: Final = 1_000
"""Number of columns judged at once: this bounds memory, not time."""


class _File(msgspec.Struct):
    features: list[str]
    bias: float
    asked: list[list[int]]
    borders: list[list[float]]
    leaves: list[list[float]]


LEVELS_MAX: Final = 8
"""Maximum depth of a tree, so that the number of a leaf fits into a byte."""


@dataclass(frozen=True, slots=True)
class Trees:
    """A trained model, as `training/main_content/train.py` writes it."""

    bias: float
    asked: npt.NDArray[np.intp]  # [question]: which row of the measurements
    borders: npt.NDArray[np.float32]  # [question]: is it above this?
    questions: npt.NDArray[np.intp]  # [level, tree]
    leaves: npt.NDArray[np.float32]  # of all trees, one after the other

    @classmethod
    def from_json(cls, file: bytes, features: Sequence[str]) -> "Trees":
        """Read a model from the content of its file; `features` names the rows of the measurements."""
        model = msgspec.json.decode(file, type=_File)
        assert len(model.asked) <= LEVELS_MAX
        rows = np.array([features.index(feature) for feature in model.features])
        asked, borders = rows[np.array(model.asked)], np.array(model.borders, dtype=np.float32)
        pairs = np.stack((asked.ravel(), borders.ravel()))
        different, questions = np.unique(pairs, axis=1, return_inverse=True)
        return cls(
            bias=model.bias,
            asked=different[0].astype(np.intp),
            borders=different[1].astype(np.float32),
            questions=questions.reshape(asked.shape),
            leaves=np.array(model.leaves, dtype=np.float32).ravel(),
        )

    def probabilities(self, measured: npt.NDArray[np.float32]) -> Floats:
        """Judge measurements, which have a row for each feature."""
        batches = range(0, measured.shape[1], BATCH)
        scores = [self._scores(measured[:, begin : begin + BATCH]) for begin in batches]
        odds: Floats = np.exp(-np.concatenate(scores))
        return 1.0 / (1.0 + odds)

    def _scores(self, measured: npt.NDArray[np.float32]) -> Floats:
        if not IS_COMPILED:
            return self.scores_by_numpy(measured)
        columns = np.ascontiguousarray(measured)
        return score(columns, self.asked, self.borders, self.questions, self.leaves) + self.bias

    def scores_by_numpy(self, measured: npt.NDArray[np.float32]) -> Floats:
        """Add up the leaves that each column leads to, without the compiled module."""
        levels, trees = self.questions.shape
        answers = (measured.take(self.asked, axis=0) > self.borders[:, None]).view(np.uint8)
        leaf = np.zeros((trees, measured.shape[1]), dtype=np.uint8)
        for level in reversed(range(levels)):
            leaf += leaf  # numpy adds bytes faster than it shifts them
            leaf += answers.take(self.questions[level], axis=0)
        place = leaf.astype(np.intp)
        place += np.arange(trees)[:, None] << levels
        scores: Floats = self.leaves.take(place).sum(axis=0, dtype=np.float64)
        return scores + self.bias
