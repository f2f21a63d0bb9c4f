"""Which pages are extractions judged on, and how good is one?

A data set is a folder with `gold.json` (a list of objects with id, type, url and
text: what people chose as the main content) and `html/ID.html.gz`. In place of id,
type and text the objects may have file, the name of the page, and snippets: `with`,
which must be part of the main content, and `without`, which must not.
"""

import gzip
import json
import re
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tiptoe.parse.charset import decode

FOLDS = 5
_WIDE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
"""A Chinese character or kana counts as a word: the words that they form are not separated."""

_SECOND_LEVEL = {"ac", "co", "com", "edu", "gov", "net", "org"}


class Found(NamedTuple):
    """How many snippets an extraction has, of those it should have and of others."""

    wanted: int
    missed: int
    stray: int


@dataclass(frozen=True)
class GoldPage:
    """A page and the text that an extraction should give."""

    name: str
    type: str
    url: str
    text: str
    html: str
    utf8: bytes  # the page in UTF-8
    wanted: tuple[str, ...] = ()  # required snippets, if the whole text is not known
    unwanted: tuple[str, ...] = ()

    def score(self, extracted: str) -> float:
        """Return the score of an extraction: 1 is perfect, 0 has nothing in common with the text."""
        return snippet_f1(self.find(extracted)) if self.wanted else f1(extracted, self.text)

    def find(self, extracted: str) -> "Found":
        """Look for the snippets, ignoring differences in white space."""
        text = _spaced(extracted)
        found, stray = (
            sum(_spaced(snippet) in text for snippet in each) for each in (self.wanted, self.unwanted)
        )
        return Found(found, len(self.wanted) - found, stray)

    @property
    def fold(self) -> int:
        """Return the fold that the page belongs to; pages of one site are in the same one."""
        return zlib.crc32(_site(self.url).encode()) % FOLDS


def _site(url: str) -> str:
    """Return roughly the registered domain, good enough to keep the hosts of one site together."""
    labels = (urlsplit(url if "//" in url else f"//{url}").hostname or "").split(".")
    is_deep = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3 if is_deep else -2 :])


def read_pages(data: Path) -> list[GoldPage]:
    """Read all pages of a data set into memory."""
    golds = json.loads((data / "gold.json").read_text("utf-8"))
    return [_read_page(data / "html", gold) for gold in golds]


def _read_page(folder: Path, gold: dict[str, Any]) -> GoldPage:
    name = gold["file"].removesuffix(".html.gz") if "file" in gold else gold["id"]
    html = decode(gzip.decompress((folder / f"{name}.html.gz").read_bytes()), None).text
    return GoldPage(
        name, gold.get("type", "page"), gold["url"], gold.get("text", ""), html, html.encode(),
        wanted=tuple(gold.get("with", ())), unwanted=tuple(gold.get("without", ())),
    )  # fmt: skip


def words_of(text: str) -> list[str]:
    """Return the words that are compared."""
    return _WORD.findall(text.lower())


def f1(extracted: str, gold: str) -> float:
    """Compare two texts as bags of words: 1 is the same, 0 is nothing in common."""
    precision, recall = f1_parts(extracted, gold)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def f1_parts(extracted: str, gold: str) -> tuple[float, float]:
    """Return precision and recall of two texts as bags of words."""
    ours, theirs = Counter(words_of(extracted)), Counter(words_of(gold))
    if not ours and not theirs:
        return 1.0, 1.0
    common = (ours & theirs).total()
    return common / max(ours.total(), 1), common / max(theirs.total(), 1)


def snippet_f1(found: Found) -> float:
    """Return the score by snippets that are present or missing."""
    return 2 * found.wanted / max(2 * found.wanted + found.missed + found.stray, 1)


def _spaced(text: str) -> str:
    return " ".join(text.split())
