"""How likely is each column of measurements what the trees were trained to find?

Boosted oblivious trees: all nodes of one level ask the same question, so a
tree is a list of questions, and the answers, read as a binary number, are the
number of a leaf. That needs no walk from node to node: all trees are asked
about all columns at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from tiptoe.text.characters import Floats

__all__ = ["Trees"]

BATCH: Final = 1_000
"""So many columns are judged at once: this bounds memory, not time."""


class _File(msgspec.Struct):
    features: list[str]
    bias: float
    asked: list[list[int]]
    borders: list[list[float]]
    leaves: list[list[float]]


@dataclass(frozen=True, slots=True)
class Trees:
    """A trained model, as `training/main_content/train.py` writes it."""

    bias: float
    asked: npt.NDArray[np.intp]  # [level, tree]: which row of the measurements
    borders: npt.NDArray[np.float32]  # [level, tree]: is it above this?
    leaves: npt.NDArray[np.float32]  # of all trees, one after the other

    @classmethod
    def from_json(cls, file: bytes, features: Sequence[str]) -> "Trees":
        """Read a model from the content of its file; `features` are those that will be measured."""
        model = msgspec.json.decode(file, type=_File)
        rows = np.array([features.index(feature) for feature in model.features], dtype=np.intp)
        return cls(
            bias=model.bias,
            asked=rows[np.array(model.asked)],
            borders=np.array(model.borders, dtype=np.float32),
            leaves=np.array(model.leaves, dtype=np.float32).ravel(),
        )

    def probabilities(self, measured: npt.NDArray[np.float32]) -> Floats:
        """Judge measurements, which have a row for each feature."""
        batches = range(0, measured.shape[1], BATCH)
        scores = [self._scores(measured[:, begin : begin + BATCH]) for begin in batches]
        odds: Floats = np.exp(-np.concatenate(scores))
        return 1.0 / (1.0 + odds)

    def _scores(self, measured: npt.NDArray[np.float32]) -> Floats:
        levels, trees = self.asked.shape
        leaf = np.zeros((trees, measured.shape[1]), dtype=np.int32)
        for level in reversed(range(levels)):
            leaf <<= 1
            leaf |= measured.take(self.asked[level], axis=0) > self.borders[level][:, None]
        leaf += np.arange(trees, dtype=np.int32)[:, None] << levels
        scores: Floats = self.leaves.take(leaf).sum(axis=0, dtype=np.float64)
        return scores + self.bias
