"""How good and how fast is our extraction of main content, compared with that of others?

    python bench/check_extraction.py DATA... [--models DIR] [--cache DIR] [--curve]

DATA is described in `extraction.py`. Where the whole main content of a page is known, the score is F1 of
words, mean over pages; where snippets are known that must or must not be in it, precision, recall and F1 of
all snippets together, as trafilatura's own evaluation counts them. The shipped model was trained on such
pages, so its figures for the pages it was trained on are too good; with `--models` each page is judged by the
model of `training/main_content/train.py --cross-validate` that never saw its site. `--curve` shows the effect
of strictness.

Other extractors take part if installed (in a separate environment, as they are not dependencies):
`pip install trafilatura readability-lxml resiliparse justext lxml_html_clean`. With `--cache`, their
results and times are kept in a folder, so that they run only once.
"""

import argparse
import importlib.util
import json
import logging
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

from extraction import FOLDS, Found, GoldPage, f1, f1_parts, read_pages, snippet_f1

from tiptoe.parse.trained import load_trees
from tiptoe.parse.tree_blocks import read_blocks
from tiptoe.text.features import FEATURES
from tiptoe.text.language import LanguageIdentifier
from tiptoe.text.main_content import label_paragraphs
from tiptoe.text.trees import Trees

TURN_PAGES = 15
LANGUAGE_PAGES_MIN = 5
"""Minimum number of pages for a row of its own per language; fewer say nothing."""

STRICTNESS = (0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0)
TRAFILATURA, RESILIPARSE, OURS = "trafilatura", "resiliparse", "tiptoe"

Extract = Callable[[GoldPage], str]


def ours(models: Path | None, strictness: float = 0.5) -> Extract:
    """Return our extraction, with the shipped model or those of a cross-validation."""
    if models is None:
        trees = [load_trees()] * FOLDS
    else:
        trees = [
            Trees.from_json((models / f"fold-{fold}.json").read_bytes(), FEATURES) for fold in range(FOLDS)
        ]

    def extract(page: GoldPage) -> str:
        outline = read_blocks(page.html, utf8=page.utf8)
        labels = label_paragraphs(outline, trees[page.fold], strictness=strictness)
        return "\n".join(text for text, label in zip(outline.text, labels, strict=True) if label.is_main)

    return extract


def others() -> dict[str, Extract]:
    """Return those of the other extractors that are installed."""
    found: dict[str, Extract] = {}
    if importlib.util.find_spec("trafilatura"):
        import trafilatura

        found[TRAFILATURA] = lambda page: trafilatura.extract(page.html) or ""
    if importlib.util.find_spec("readability"):
        from lxml.html import fromstring
        from readability import Document

        found["readability-lxml"] = lambda page: " ".join(
            fromstring(Document(page.html).summary()).itertext()
        )
    if importlib.util.find_spec("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        found[RESILIPARSE] = lambda page: str(extract_plain_text(page.html, main_content=True))
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
    """The result of one extraction for a data set."""

    texts: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def milliseconds(self) -> float:
        """Return the CPU time per page."""
        return 1000 * self.seconds / len(self.texts)

    def word_f1(self, pages: list[GoldPage]) -> float:
        """Return the mean over pages whose main content is known."""
        return mean(f1(self.texts[page.name], page.text) for page in pages)

    def found(self, pages: list[GoldPage]) -> Found:
        """Count the snippets of all pages together."""
        each = [page.find(self.texts[page.name]) for page in pages]
        return Found(*(sum(counts) for counts in zip(*each, strict=True)))

    def score(self, pages: list[GoldPage]) -> float:
        """Return the score that the gold data of these pages permits."""
        return snippet_f1(self.found(pages)) if pages[0].wanted else self.word_f1(pages)


def ask(pages: list[GoldPage], extractions: dict[str, Extract]) -> dict[str, Result]:
    """Let all take turns, some pages each, so that a slow machine slows all of them alike."""
    results = {name: Result() for name in extractions}
    for begin in range(0, len(pages), TURN_PAGES):
        for name, extract in extractions.items():
            for page in pages[begin : begin + TURN_PAGES]:
                begun_at = time.process_time()
                results[name].texts[page.name] = extract(page)
                results[name].seconds += time.process_time() - begun_at
    return results


def ask_others(pages: list[GoldPage], data: str, cache: Path | None) -> dict[str, Result]:
    """Run the other extractors, or read their cached results."""
    extractions, known = others(), {}
    for path in sorted(cache.glob(f"{data}-*.json")) if cache else ():
        kept = json.loads(path.read_text("utf-8"))
        name = path.stem.removeprefix(f"{data}-")
        known[name] = Result(kept["texts"], kept["seconds"])
        extractions.pop(name, None)
    asked = ask(pages, extractions)
    for name, result in asked.items() if cache else ():
        kept = {"seconds": result.seconds, "texts": result.texts}
        (cache / f"{data}-{name}.json").write_text(json.dumps(kept), encoding="utf-8")
    return known | asked


def by(key: Callable[[GoldPage], str], pages: list[GoldPage]) -> dict[str, list[GoldPage]]:
    """Group pages by a key."""
    found: dict[str, list[GoldPage]] = defaultdict(list)
    for page in pages:
        found[key(page)].append(page)
    return dict(sorted(found.items()))


def by_language(pages: list[GoldPage]) -> dict[str, list[GoldPage]]:
    """Group pages by the language of their known main content."""
    identify = LanguageIdentifier.load().identify
    found = by(lambda page: identify(page.text or " ".join(page.wanted)).language, pages)
    return {language: each for language, each in found.items() if len(each) >= LANGUAGE_PAGES_MIN}


def precision_recall(found: Found) -> tuple[float, float]:
    """Return precision and recall of snippets."""
    return (
        found.wanted / max(found.wanted + found.stray, 1),
        found.wanted / max(found.wanted + found.missed, 1),
    )


def print_table(results: dict[str, Result], pages: list[GoldPage]) -> None:
    """Print the results of all extractors for a data set."""
    has_snippets = bool(pages[0].wanted)
    groups = (by_language(pages) if has_snippets else by(lambda page: page.type, pages)) | {"all": pages}
    head = [f"{kind[:6]} {len(each)}" for kind, each in groups.items()]
    more = ["precision", "recall"] if has_snippets else []
    print(f"{'':17}", *(f"{kind:>10}" for kind in [*head, *more, "ms/page"]))
    for name, result in results.items():
        figures = [result.score(each) for each in groups.values()]
        figures += precision_recall(result.found(pages)) if has_snippets else ()
        print(f"{name:17}", *(f"{figure:10.3f}" for figure in figures), f"{result.milliseconds:10.2f}")


def bars_of(results: dict[str, Result], pages: list[GoldPage]) -> dict[str, bool]:
    """Return which bars are met, for those extractors that are installed."""
    if not {TRAFILATURA, RESILIPARSE} <= results.keys():
        return {}
    we, first, second = (results[name] for name in (OURS, TRAFILATURA, RESILIPARSE))
    bars = {"an eighth of trafilatura's time": we.seconds <= first.seconds / 8}
    if pages[0].wanted:
        bars["F1 of snippets above trafilatura's"] = we.score(pages) > first.score(pages)
        precision, theirs = (precision_recall(each.found(pages))[0] for each in (we, first))
        bars["precision within 0.01 of trafilatura's"] = precision >= theirs - 0.01
        languages = by_language(pages).items()
        low = [language for language, each in languages if we.score(each) < first.score(each)]
        bars[f"no language below trafilatura ({', '.join(low) or 'none is'})"] = not low
    else:
        bars["0.05 above trafilatura"] = we.score(pages) >= first.score(pages) + 0.05
        low = [
            kind
            for kind, each in by(lambda page: page.type, pages).items()
            if we.score(each) < max(first.score(each), second.score(each))
        ]
        bars[f"no type below trafilatura and resiliparse ({', '.join(low) or 'none is'})"] = not low
    return bars


def print_curve(pages: list[GoldPage], models: Path | None) -> None:
    """Print the effect of strictness."""
    for strictness in STRICTNESS:
        result = ask(pages, {OURS: ours(models, strictness)})[OURS]
        if pages[0].wanted:
            precision, recall = precision_recall(result.found(pages))
        else:
            pairs = [f1_parts(result.texts[page.name], page.text) for page in pages]
            precision, recall = (mean(part) for part in zip(*pairs, strict=True))
        score = result.score(pages)
        print(f"strictness {strictness:.1f}: precision {precision:.3f}, recall {recall:.3f}, F1 {score:.3f}")


def main() -> int:
    """Print the tables; return 1 when a bar is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="+", metavar="DATA")
    parser.add_argument("--models", type=Path, metavar="DIR")
    parser.add_argument("--cache", type=Path, metavar="DIR")
    parser.add_argument("--curve", action="store_true", help="only what strictness does to our extraction")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    is_met = True
    for data in arguments.data:
        pages = read_pages(data)
        print(f"{data.name}: {len(pages)} pages")
        if arguments.curve:
            print_curve(pages, arguments.models)
            continue
        results = ask(pages, {OURS: ours(arguments.models)})
        results |= ask_others(pages, data.name, arguments.cache)
        print_table(results, pages)
        for bar, holds in bars_of(results, pages).items():
            print(f"{'yes' if holds else 'NO':4} {bar}")
            is_met &= holds
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
