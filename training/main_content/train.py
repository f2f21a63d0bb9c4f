"""How is the model for main content made?

    PYTHONPATH=bench python training/main_content/train.py DATA... --out src/tiptoe/parse/main_content.json
    PYTHONPATH=bench python training/main_content/train.py DATA... --cross-validate --out DIR

See README.md in this folder.
"""

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import trafilatura
from catboost import CatBoostClassifier, Pool
from extraction import FOLDS, GoldPage, read_pages
from labels import label_by_gold, label_by_snippets
from plain_layouts import plain
from short_articles import PARAGRAPHS_MAX as SHORT_PARAGRAPHS_MAX
from short_articles import beginning, shorten

from tiptoe.parse.tree_blocks import read_blocks
from tiptoe.text.characters import count_characters
from tiptoe.text.features import FEATURES, measure
from tiptoe.text.outline import Outline

PARAMETERS: dict[str, Any] = {
    "loss_function": "CrossEntropy",  # a paragraph may be main content in part
    "iterations": 400,
    "depth": 6,
    "learning_rate": 0.07,
    "l2_leaf_reg": 20,  # leaves supported by few pages count little
    "rsm": 0.15,  # share of features per split: there are few pages and many features
    "bootstrap_type": "Bernoulli",
    "subsample": 0.7,
    "border_count": 32,
    "random_seed": 1,
    "thread_count": 1,
    "allow_writing_files": False,
    "verbose": 0,
}


PARAGRAPHS_MAX = 240
"""Maximum number of paragraphs of a page that are trained on, chosen at random."""

SNIPPETS_WEIGHT = 1.2
"""Weight of a page with snippets relative to one with its whole text: there are fewer of the former."""

COPY_WEIGHT = 0.5
"""Weight of a changed copy of a page relative to the page."""

PLAIN_SHARE = 0.4
"""Share of pages that have a copy in plainer markup."""

COPIES_SHARE = 0.35
"""Share in the score of the trees that know copies; with more, lists that are main content are lost."""

FIRST_ROUND = {"iterations": 60, "learning_rate": 0.2}
"""Parameters of the first model, which only has to make guesses."""


@dataclass(frozen=True)
class Example:
    """One page, ready for training."""

    page: GoldPage
    outline: Outline
    measured: npt.NDArray[np.float32]  # one row for each of FEATURES
    weights: npt.NDArray[np.float64]
    labels: npt.NDArray[np.float64]  # of a page with snippets: trafilatura's choice

    @property
    def is_whole(self) -> bool:
        """Whether all of the main content is known."""
        return not self.page.wanted


def read_examples(pages: Iterable[GoldPage]) -> list[Example]:
    """Measure and label all pages that have text."""
    examples = []
    for page in pages:
        outline = read_blocks(page.html)
        if outline.text:
            gold = page.text or trafilatura.extract(page.html) or ""
            examples.append(_example(page, outline, np.array(label_by_gold(outline.text, gold))))
    return examples


def shorten_articles(examples: Iterable[Example]) -> list[Example]:
    """Return copies of all long articles, each with the first of its paragraphs and all that is around it."""
    chance = np.random.default_rng(7)
    short = []
    for each in examples:
        if each.page.type == "article":
            words = count_characters(each.outline.text).words
            kept = beginning(each.labels, words, int(chance.integers(1, SHORT_PARAGRAPHS_MAX + 1)))
            if kept is not None:
                outline = shorten(each.outline, kept)
                short.append(_example(each.page, outline, each.labels[kept], COPY_WEIGHT))
    return short


def make_plain(examples: Iterable[Example]) -> list[Example]:
    """Return copies of some pages in plainer markup, of those whose main content is known."""
    chance = np.random.default_rng(5)
    copies = []
    for page in (each.page for each in examples if each.is_whole):
        if chance.random() < PLAIN_SHARE:
            outline = read_blocks(plain(page.html, chance))
            if outline.text:
                labels = np.array(label_by_gold(outline.text, page.text))
                copies.append(_example(page, outline, labels, COPY_WEIGHT))
    return copies


def _example(
    page: GoldPage, outline: Outline, labels: npt.NDArray[np.float64], weight: float = 1.0
) -> Example:
    words = count_characters(outline.text).words
    # Pages count equally, and within a page its words, as when extractions are judged.
    return Example(page, outline, measure(outline), weight * 100 * words / words.sum(), labels)


def train(examples: list[Example], copies: list[Example]) -> dict[str, Any]:
    """Train half of the trees on pages alone, half on copies as well; return the model as it is written."""
    alone, varied = _train(examples), _train([*examples, *copies])
    return as_tables([(alone, 1 - COPIES_SHARE), (varied, COPIES_SHARE)])


def _train(examples: list[Example]) -> CatBoostClassifier:
    """Train on examples, in two rounds.

    The first round uses pages whose main content is completely known. The mean of what that model and
    trafilatura regard as main content is the guess for pages of which only snippets are known.
    """
    chance = np.random.default_rng(1)
    rows = [_thinned(each, each.labels, each.weights, chance) for each in examples if each.is_whole]
    parts = [example for example in examples if not example.is_whole]
    if parts:
        first = _fit(rows, FIRST_ROUND)
        for each in parts:
            guessed = (each.labels + first.predict_proba(each.measured.T)[:, 1]) / 2
            page = each.page
            known = label_by_snippets(each.outline.text, page.wanted, page.unwanted, guessed, each.weights)
            rows.append(_thinned(each, known[0], SNIPPETS_WEIGHT * known[1], chance))
    return _fit(rows, {})


Rows = tuple[npt.NDArray[np.float32], npt.NDArray[np.float64], npt.NDArray[np.float64]]


def _thinned(
    example: Example,
    labels: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    chance: np.random.Generator,
) -> Rows:
    count = len(labels)
    if count <= PARAGRAPHS_MAX:
        return example.measured, labels, weights
    kept = np.sort(chance.choice(count, PARAGRAPHS_MAX, replace=False))
    return example.measured[:, kept], labels[kept], weights[kept] * count / PARAGRAPHS_MAX


def _fit(rows: list[Rows], parameters: dict[str, Any]) -> CatBoostClassifier:
    classifier = CatBoostClassifier(**PARAMETERS | parameters)
    measured, labels, weights = zip(*rows, strict=True)
    classifier.fit(
        Pool(
            np.concatenate(measured, axis=1).T,
            label=np.concatenate(labels),
            weight=np.concatenate(weights),
        )
    )
    return classifier


def as_tables(models: Iterable[tuple[CatBoostClassifier, float]]) -> dict[str, Any]:
    """Convert CatBoost models to the form that `tiptoe.text.trees` reads; each has a share in the score."""
    levels = PARAMETERS["depth"]
    bias, splits, leaves = 0.0, [], []
    for classifier, share in models:
        model = _as_json(classifier)
        scale, (own_bias,) = model["scale_and_bias"]
        bias += share * own_bias
        for tree in model["oblivious_trees"]:
            splits.append(_padded(tree["splits"], levels))
            leaves.append([round(share * scale * leaf, 4) for leaf in _spread(tree["leaf_values"], levels)])
    used = sorted({feature for tree in splits for feature, _ in tree})
    row = {feature: number for number, feature in enumerate(used)}
    return {
        "features": [FEATURES[feature] for feature in used],
        "bias": bias,
        "asked": [[row[tree[level][0]] for tree in splits] for level in range(levels)],
        "borders": [[tree[level][1] for tree in splits] for level in range(levels)],
        "leaves": leaves,
    }


def _as_json(classifier: CatBoostClassifier) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        classifier.save_model(str(path), format="json")
        return cast(dict[str, Any], json.loads(path.read_text("utf-8")))


def _padded(splits: list[dict[str, Any]], levels: int) -> list[tuple[int, float]]:
    asked = [(split["float_feature_index"], float(np.float32(split["border"]))) for split in splits]
    return asked + [(asked[0][0], 3.0e38)] * (levels - len(asked))


def _spread(leaves: list[float], levels: int) -> list[float]:
    """Return the leaves of a tree padded to `levels`: the missing questions are always answered with no."""
    return leaves + [0.0] * (2**levels - len(leaves))


def write_model(path: Path, model: dict[str, Any]) -> None:
    """Write one tree per line, so that a file of numbers stays readable."""
    fields = []
    for name, value in model.items():
        if isinstance(value, list) and isinstance(value[0], list):
            lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in value)
            fields.append(f'"{name}": [\n{lines}\n]')
        else:
            fields.append(f'"{name}": {json.dumps(value)}')
    path.write_text("{\n" + ",\n".join(fields) + "\n}\n", encoding="utf-8")


def main() -> None:
    """Train on everything, or for each fold on all the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+", metavar="DATA")
    parser.add_argument(
        "--cross-validate", action="store_true", help="leave out a fifth of the sites at a time"
    )
    parser.add_argument("--out", type=Path, required=True, help="file, or folder for --cross-validate")
    arguments = parser.parse_args()
    examples = read_examples(page for data in arguments.data for page in read_pages(data))
    plain_copies = make_plain(examples)
    copies = shorten_articles([*examples, *plain_copies]) + plain_copies
    print(f"{len(examples)} pages, {len(copies)} copies")
    if not arguments.cross_validate:
        write_model(arguments.out, train(examples, copies))
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    for fold in range(FOLDS):
        seen, seen_copies = (
            [example for example in each if example.page.fold != fold] for each in (examples, copies)
        )
        write_model(arguments.out / f"fold-{fold}.json", train(seen, seen_copies))
        print(f"fold {fold}: trained on {len(seen)} pages, {len(examples) - len(seen)} left out", flush=True)


if __name__ == "__main__":
    main()
