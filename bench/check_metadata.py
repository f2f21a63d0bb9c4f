"""How often are title, author and date right, compared with other extractors?

    python bench/check_metadata.py DATA

DATA is a folder as in `extraction.py` whose `gold.json` also names title, author and date of each page, or
null where the page shows none. A title is right if it has the same words in the same order, authors if they
have the same words in any order, and a date if it is the same day. Where the gold data has nothing, only the
number of answers is counted. CPU time covers everything from HTML to metadata: ours includes parsing the
page, its text and its links, which a crawl needs anyway; `added` is what metadata add to that. Other
extractors take part if installed (in a separate environment): `pip install trafilatura`.
"""

import argparse
import importlib.util
import json
import logging
import re
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from extraction import GoldPage, read_pages
from selectolax.lexbor import LexborHTMLParser

from tiptoe.harvest.line_metadata import settle_day, settle_title
from tiptoe.parse.html import read_page
from tiptoe.parse.metadata import read_metadata
from tiptoe.parse.page_evidence import PageEvidence
from tiptoe.parse.page_metadata import describe_page
from tiptoe.parse.tree_search import TreeSearch

_WORD = re.compile(r"\w+")
TURN_PAGES = 15


class Said(NamedTuple):
    """What was found on one page, or what is right."""

    title: str
    author: str
    date: str


@dataclass
class Score:
    """What one way of finding metadata got right."""

    right: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Said._fields, 0))
    unasked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Said._fields, 0))
    cpu_seconds: float = 0.0

    def add(self, said: Said, gold: Said) -> None:
        """Judge what was found on one page."""
        for name, found, wanted in zip(Said._fields, said, gold, strict=True):
            if wanted:
                self.right[name] += _same(name, found, wanted)
            else:
                self.unasked[name] += bool(found)


def _same(name: str, found: str, wanted: str) -> bool:
    if name == "date":
        return found[:10] == wanted[:10]
    ours, theirs = _words(found), _words(wanted)
    if name == "author":  # "A and B" are the same as "A, B"
        ours, theirs = (sorted(word for word in words if word != "and") for words in (ours, theirs))
    return ours == theirs


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def ours(page: GoldPage) -> Said:
    """Return the metadata that a harvester would write."""
    read = read_page(page.html, agent="tiptoe", utf8=page.utf8).described
    settle_day(read, page.url or "")
    settle_title(read, page.url or "")
    return Said(read.title or "", ", ".join(read.authors or ()), read.published or "")


def added_seconds(pages: list[GoldPage]) -> float:
    """Return the time for the metadata alone, once the page is parsed and its elements are known."""
    spent = 0.0
    for page in pages:
        tree = LexborHTMLParser(page.utf8)
        elements = [(node.tag or "", node.attributes) for node in tree.css("html, meta")]
        headings, times, scripts = (list(tree.css(tag)) for tag in ("h1", "time", "script"))
        title = tree.css_first("title")
        began = time.process_time()
        metadata = read_metadata(elements, agent="tiptoe")
        evidence = PageEvidence(TreeSearch(tree), headings=headings, times=times, scripts=scripts)
        describe_page(title.text() if title else "", metadata.named, evidence, language=metadata.language)
        spent += time.process_time() - began
    return spent


def others() -> dict[str, Callable[[GoldPage], Said]]:
    """Return those of the other extractors that are installed."""
    if not importlib.util.find_spec("trafilatura"):
        return {}
    logging.disable(logging.CRITICAL)
    from trafilatura.metadata import extract_metadata

    def theirs(page: GoldPage) -> Said:
        found = extract_metadata(page.html, default_url=page.url or None)
        return Said(found.title or "", found.author or "", found.date or "")

    return {"trafilatura": theirs}


def main() -> None:
    """Print how often each is right, and what it costs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    golds = [
        Said(*(gold[name] or "" for name in Said._fields))
        for gold in json.loads((data / "gold.json").read_text("utf-8"))
    ]
    pages = read_pages(data)
    ways = {"tiptoe": ours, **others()}
    scores = {name: Score() for name in ways}
    for first in range(0, len(pages), TURN_PAGES):  # take turns, so that a busy machine slows all alike
        for name, way in ways.items():
            began = time.process_time()
            found = [way(page) for page in pages[first : first + TURN_PAGES]]
            scores[name].cpu_seconds += time.process_time() - began
            for said, gold in zip(found, golds[first : first + TURN_PAGES], strict=True):
                scores[name].add(said, gold)
    wanted = {name: sum(bool(getattr(gold, name)) for gold in golds) for name in Said._fields}
    for name, score in scores.items():
        right = ", ".join(
            f"{field} {score.right[field]} of {wanted[field]} ({score.right[field] / wanted[field]:.3f}), "
            f"unasked {score.unasked[field]}"
            for field in Said._fields
        )
        print(f"{name}: {right}; {1000 * score.cpu_seconds / len(pages):.2f} ms a page")
    print(f"tiptoe, added by metadata: {1000 * added_seconds(pages) / len(pages):.2f} ms a page")


if __name__ == "__main__":
    main()
