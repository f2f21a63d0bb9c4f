"""Which model finds the main content?

The one in this folder, made by `training/main_content/train.py`. It is read once per process
and passed to the functions that label paragraphs.
"""

from importlib.resources import files

from tiptoe.text.features import FEATURES
from tiptoe.text.trees import Trees

__all__ = ["load_trees"]


def load_trees() -> Trees:
    """Read the shipped model."""
    return Trees.from_json(files("tiptoe.parse").joinpath("main_content.json").read_bytes(), FEATURES)
