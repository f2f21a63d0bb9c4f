"""How good and how fast is our main content beside that of others?

    python bench/check_extraction.py DATA [--models DIR]

DATA is described in `extraction.py`. Where the whole main content of a page is known,
the score is F1 of words; where snippets are known that must or must not be in it, F1
of snippets. The shipped model has seen such pages in training, so for the pages it
was trained on its figures flatter; with `--models` each page is judged by the model of
`training/main_content/train.py --cross-validate` that never saw its site. Others take
part if installed (in an environment of their own, they are no dependencies):
`pip install trafilatura readability-lxml resiliparse justext lxml_html_clean`.
"""

import argparse
import importlib.util
import logging
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

from extraction import FOLDS, GoldPage, read_pages

from tiptoe.parse.trained import load_trees
from tiptoe.parse.tree_blocks import read_blocks
from tiptoe.text.features import FEATURES
from tiptoe.text.main_content import label_paragraphs
from tiptoe.text.trees import Trees

TURN_PAGES = 15

Extract = Callable[[GoldPage], str]


def ours(models: Path | None) -> Extract:
    """Return our extraction, by the shipped model or by those of a cross-validation."""
    if models is None:
        trees = [load_trees()] * FOLDS
    else:
        trees = [
            Trees.from_json((models / f"fold-{fold}.json").read_bytes(), FEATURES) for fold in range(FOLDS)
        ]

    def extract(page: GoldPage) -> str:
        outline = read_blocks(page.html, utf8=page.utf8)
        labels = label_paragraphs(outline, trees[page.fold])
        return "\n".join(text for text, label in zip(outline.text, labels, strict=True) if label.is_main)

    return extract


def others() -> dict[str, Extract]:
    """Return the extractions of others, as far as they are installed."""
    found: dict[str, Extract] = {}
    if importlib.util.find_spec("trafilatura"):
        import trafilatura

        found["trafilatura"] = lambda page: trafilatura.extract(page.html) or ""
        found["trafilatura, fast"] = lambda page: trafilatura.extract(page.html, fast=True) or ""
    if importlib.util.find_spec("readability"):
        from lxml.html import fromstring
        from readability import Document

        found["readability-lxml"] = lambda page: " ".join(
            fromstring(Document(page.html).summary()).itertext()
        )
    if importlib.util.find_spec("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        found["resiliparse"] = lambda page: str(extract_plain_text(page.html, main_content=True))
    if importlib.util.find_spec("justext"):
        import justext

        stop_words = justext.get_stoplist("English") | justext.get_stoplist("German")
        found["jusText"] = lambda page: "\n".join(
            paragraph.text
            for paragraph in justext.justext(page.html.encode(), stop_words)
            if not paragraph.is_boilerplate
        )
    return found


@dataclass
class Result:
    """How one extraction did."""

    scores: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # by type of page
    seconds: float = 0.0

    def f1(self, kind: str) -> float:
        """Return the mean over the pages of a type."""
        return mean(self.scores[kind])

    @property
    def milliseconds(self) -> float:
        """Return the CPU time per page."""
        return 1000 * self.seconds / len(self.scores["all"])


def judge(pages: list[GoldPage], extractions: dict[str, Extract]) -> dict[str, Result]:
    """Let all take turns, some pages each: what slows the machine down then slows all of them."""
    results = {name: Result() for name in extractions}
    for begin in range(0, len(pages), TURN_PAGES):
        for name, extract in extractions.items():
            for page in pages[begin : begin + TURN_PAGES]:
                begun_at = time.process_time()
                text = extract(page)
                results[name].seconds += time.process_time() - begun_at
                score = page.score(text)
                results[name].scores[page.type].append(score)
                results[name].scores["all"].append(score)
    return results


def main() -> int:
    """Print the table; answer 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--models", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    pages = read_pages(arguments.data)
    kinds = [*sorted({page.type for page in pages}), "all"]
    results = judge(pages, {"tiptoe": ours(arguments.models), **others()})
    print(f"{'':17}", *(f"{kind[:9]:>9}" for kind in kinds), f"{'ms/page':>9}")
    for name, result in results.items():
        print(f"{name:17}", *(f"{result.f1(kind):9.3f}" for kind in kinds), f"{result.milliseconds:9.2f}")
    return report_bars(results, kinds)


def report_bars(results: dict[str, Result], kinds: list[str]) -> int:
    """Print whether what we promise holds, as far as those are here who are compared with."""
    if not {"trafilatura", "resiliparse"} <= results.keys():
        return 0
    we, first, second = (results[name] for name in ("tiptoe", "trafilatura", "resiliparse"))
    bars = {
        "0.03 above trafilatura": we.f1("all") >= first.f1("all") + 0.03,
        "no type more than 0.02 below the better of trafilatura and resiliparse": all(
            we.f1(kind) >= max(first.f1(kind), second.f1(kind)) - 0.02 for kind in kinds
        ),
        "an eighth of trafilatura's time": we.seconds <= first.seconds / 8,
    }
    for bar, holds in bars.items():
        print(f"{'yes' if holds else 'NO':4} {bar}")
    return 0 if all(bars.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
