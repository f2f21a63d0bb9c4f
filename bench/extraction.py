"""Which pages are judged, and how good is an extraction?

A data set is a folder with `gold.json` (a list of objects with id, type, url and
text: what people took for the main content) and `html/ID.html.gz`.
"""

import gzip
import json
import re
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

FOLDS = 5
_WORD = re.compile(r"\w+")
_SECOND_LEVEL = {"ac", "co", "com", "edu", "gov", "net", "org"}


@dataclass(frozen=True)
class GoldPage:
    """A page and the text that an extraction should give."""

    name: str
    type: str
    url: str
    text: str
    html: str
    utf8: bytes  # the same, as it came

    @property
    def fold(self) -> int:
        """Return the part of the data that the page belongs to; pages of one site are never apart."""
        return zlib.crc32(_site(self.url).encode()) % FOLDS


def _site(url: str) -> str:
    """Return the registered domain, nearly: good enough to keep the hosts of one site together."""
    labels = (urlsplit(url).hostname or "").split(".")
    is_deep = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3 if is_deep else -2 :])


def read_pages(data: Path) -> list[GoldPage]:
    """Read all pages of a data set into memory."""
    golds = json.loads((data / "gold.json").read_text("utf-8"))
    return [
        GoldPage(gold["id"], gold["type"], gold["url"], gold["text"], *_read_html(data / "html", gold["id"]))
        for gold in golds
    ]


def _read_html(folder: Path, name: str) -> tuple[str, bytes]:
    html = gzip.decompress((folder / f"{name}.html.gz").read_bytes()).decode("utf-8", "replace")
    return html, html.encode()


def words_of(text: str) -> list[str]:
    """Return the words that are compared."""
    return _WORD.findall(text.lower())


def f1(extracted: str, gold: str) -> float:
    """Compare two texts as bags of words: 1 is the same, 0 is nothing in common."""
    ours, theirs = Counter(words_of(extracted)), Counter(words_of(gold))
    if not ours and not theirs:
        return 1.0
    common = (ours & theirs).total()
    return 2 * common / (ours.total() + theirs.total())
