"""How is the model for main content made?

    PYTHONPATH=bench python training/main_content/train.py DATA --out src/tiptoe/parse/main_content.json
    PYTHONPATH=bench python training/main_content/train.py DATA --cross-validate --out DIR

See README.md beside this file.
"""

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
from catboost import CatBoostClassifier, Pool
from extraction import FOLDS, GoldPage, read_pages
from labels import label_by_gold

from tiptoe.parse.tree_blocks import read_blocks
from tiptoe.text.characters import count_characters
from tiptoe.text.features import FEATURES, measure

PARAMETERS: dict[str, Any] = {
    "loss_function": "CrossEntropy",  # a paragraph may be main content in part
    "iterations": 200,
    "depth": 6,
    "learning_rate": 0.08,
    "l2_leaf_reg": 5,
    "rsm": 0.15,  # each split sees so many of the features: there are few pages and many features
    "bootstrap_type": "Bernoulli",
    "subsample": 0.7,
    "border_count": 32,
    "random_seed": 1,
    "thread_count": 1,
    "allow_writing_files": False,
    "verbose": 0,
}


@dataclass(frozen=True)
class Example:
    """One page, ready for training."""

    fold: int
    measured: npt.NDArray[np.float32]  # one row for each of FEATURES
    labels: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]


def read_examples(pages: Iterable[GoldPage]) -> list[Example]:
    """Measure and label all pages that have text."""
    examples = []
    for page in pages:
        outline = read_blocks(page.html)
        if outline.text:
            words = count_characters(outline.text).words
            labels = np.array(label_by_gold(outline.text, page.text))
            # Pages count alike, and within a page its words: that is how extractions are judged.
            examples.append(Example(page.fold, measure(outline), labels, 100 * words / words.sum()))
    return examples


def train(examples: list[Example]) -> dict[str, Any]:
    """Train on examples; return the model as it is written to a file."""
    classifier = CatBoostClassifier(**PARAMETERS)
    classifier.fit(
        Pool(
            np.concatenate([example.measured for example in examples], axis=1).T,
            label=np.concatenate([example.labels for example in examples]),
            weight=np.concatenate([example.weights for example in examples]),
        )
    )
    return as_tables(classifier)


def as_tables(classifier: CatBoostClassifier) -> dict[str, Any]:
    """Turn a model of CatBoost into what `tiptoe.text.trees` reads."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        classifier.save_model(str(path), format="json")
        model = json.loads(path.read_text("utf-8"))
    trees = model["oblivious_trees"]
    scale, (bias,) = model["scale_and_bias"]
    levels = PARAMETERS["depth"]
    used = sorted({split["float_feature_index"] for tree in trees for split in tree["splits"]})
    row = {feature: number for number, feature in enumerate(used)}
    splits = [_padded(tree["splits"], levels) for tree in trees]
    return {
        "features": [FEATURES[feature] for feature in used],
        "bias": bias,
        "asked": [[row.get(tree[level][0], 0) for tree in splits] for level in range(levels)],
        "borders": [[tree[level][1] for tree in splits] for level in range(levels)],
        "leaves": [
            [round(scale * value, 4) for value in _spread(tree["leaf_values"], levels)] for tree in trees
        ],
    }


def _padded(splits: list[dict[str, Any]], levels: int) -> list[tuple[int, float]]:
    asked = [(split["float_feature_index"], float(np.float32(split["border"]))) for split in splits]
    return asked + [(asked[0][0], 3.0e38)] * (levels - len(asked))


def _spread(leaves: list[float], levels: int) -> list[float]:
    """Leaves of a tree with fewer levels: the missing questions are always answered with no."""
    return leaves + [0.0] * (2**levels - len(leaves))


def write_model(path: Path, model: dict[str, Any]) -> None:
    """Write one tree to a line, so that a file of numbers can still be looked at."""
    fields = []
    for name, value in model.items():
        if isinstance(value, list) and isinstance(value[0], list):
            lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in value)
            fields.append(f'"{name}": [\n{lines}\n]')
        else:
            fields.append(f'"{name}": {json.dumps(value)}')
    path.write_text("{\n" + ",\n".join(fields) + "\n}\n", encoding="utf-8")


def main() -> None:
    """Train on everything, or once for each fold on all the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument(
        "--cross-validate", action="store_true", help="leave out a fifth of the sites at a time"
    )
    parser.add_argument("--out", type=Path, required=True, help="file, or folder for --cross-validate")
    arguments = parser.parse_args()
    examples = read_examples(read_pages(arguments.data))
    print(f"{len(examples)} pages, {sum(len(example.labels) for example in examples)} paragraphs")
    if not arguments.cross_validate:
        write_model(arguments.out, train(examples))
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    for fold in range(FOLDS):
        seen = [example for example in examples if example.fold != fold]
        write_model(arguments.out / f"fold-{fold}.json", train(seen))
        print(f"fold {fold}: trained on {len(seen)} pages, {len(examples) - len(seen)} left out", flush=True)


if __name__ == "__main__":
    main()
