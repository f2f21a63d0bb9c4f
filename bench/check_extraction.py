"""How good and how fast is our main content beside that of others?

    python bench/check_extraction.py DATA [--models DIR]

DATA is described in `extraction.py`. The shipped model has seen such pages in
training, so for the pages it was trained on its figures flatter; with `--models`
each page is judged by the model of `training/train.py --cross-validate` that
never saw its site. Others take part if installed (in an environment of their own,
they are no dependencies): `pip install trafilatura resiliparse justext lxml_html_clean`.
"""

import argparse
import importlib.util
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from extraction import FOLDS, GoldPage, f1, read_pages

from tiptoe.parse.blocks import read_blocks
from tiptoe.parse.trained import load_trees
from tiptoe.text.main_content import label_paragraphs
from tiptoe.text.trees import Trees

Extract = Callable[[GoldPage], str]


def ours(models: Path | None) -> Extract:
    """Return our extraction, by the shipped model or by those of a cross-validation."""
    if models is None:
        trees = [load_trees()] * FOLDS
    else:
        trees = [Trees.from_json((models / f"fold-{fold}.json").read_bytes()) for fold in range(FOLDS)]

    def extract(page: GoldPage) -> str:
        outline = read_blocks(page.html)
        labels = label_paragraphs(outline, trees[page.fold])
        return "\n".join(text for text, label in zip(outline.text, labels, strict=True) if label.is_main)

    return extract


def others() -> dict[str, Extract]:
    """Return the extractions of others, as far as they are installed."""
    found: dict[str, Extract] = {}
    if importlib.util.find_spec("trafilatura"):
        import trafilatura

        found["trafilatura"] = lambda page: trafilatura.extract(page.html) or ""
    if importlib.util.find_spec("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        found["resiliparse"] = lambda page: str(extract_plain_text(page.html, main_content=True))
    if importlib.util.find_spec("justext"):
        import justext

        stop_words = justext.get_stoplist("English")
        found["jusText"] = lambda page: "\n".join(
            paragraph.text
            for paragraph in justext.justext(page.html.encode(), stop_words)
            if not paragraph.is_boilerplate
        )
    return found


def judge(pages: list[GoldPage], extract: Extract) -> tuple[dict[str, float], float]:
    """Return the F1 of each type and of all pages, and the CPU time per page in milliseconds."""
    scores = defaultdict(list)
    seconds = 0.0
    for page in pages:
        begun_at = time.process_time()
        text = extract(page)
        seconds += time.process_time() - begun_at
        score = f1(text, page.text)
        scores[page.type].append(score)
        scores["all"].append(score)
    return {kind: sum(each) / len(each) for kind, each in scores.items()}, 1000 * seconds / len(pages)


def main() -> int:
    """Print the table; answer 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--models", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    pages = read_pages(arguments.data)
    kinds = [*sorted({page.type for page in pages}), "all"]
    extractions = {"tiptoe": ours(arguments.models), **others()}
    print(f"{'':12}", *(f"{kind[:9]:>9}" for kind in kinds), f"{'ms/page':>9}")
    results = {}
    for name, extract in extractions.items():
        scores, milliseconds = results[name] = judge(pages, extract)
        print(f"{name:12}", *(f"{scores[kind]:9.3f}" for kind in kinds), f"{milliseconds:9.2f}", flush=True)
    return report_bars(results, kinds)


def report_bars(results: dict[str, tuple[dict[str, float], float]], kinds: list[str]) -> int:
    """Print whether what we promise holds, as far as those are here who are compared with."""
    if not {"trafilatura", "resiliparse"} <= results.keys():
        return 0
    scores, milliseconds = results["tiptoe"]
    rival, rival_milliseconds = results["trafilatura"]
    best = {kind: max(rival[kind], results["resiliparse"][0][kind]) for kind in kinds}
    bars = {
        "0.03 above trafilatura": scores["all"] >= rival["all"] + 0.03,
        "no type 0.02 below the better of trafilatura and resiliparse": all(
            scores[kind] >= best[kind] - 0.02 for kind in kinds
        ),
        "an eighth of trafilatura's time": milliseconds <= rival_milliseconds / 8,
    }
    for bar, holds in bars.items():
        print(f"{'yes' if holds else 'NO':4} {bar}")
    return 0 if all(bars.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
