"""tiptoe: a quiet web crawler for people who build text corpora.

    seeds ─▶ url ─▶ frontier ─▶ keeper ─▶ harvest ─▶ fetch ─▶ parse ─▶ text ─▶ write
             one    which URL,  leases    visits     one      links,   para-   WARC,
             form   and when              in turn    answer   titles   graphs  corpus
                      ▲                                         │
                      └───────────────── new links ─────────────┘

`decide` says what is wanted: which URLs, answers and texts, and which revisits.
`store` keeps the frontier's state, `settings` what the operator decides,
`compose` builds each process, `testing` is a simulated web to rehearse on. `segment`
rates texts, `convert` reads documents that are not HTML, `export` turns the
corpus into formats that other tools load, `audit` and `observe` show what was done.
`ingest` reads archives gathered by others, `library` is for programs:

    from tiptoe import Crawl, extract, identify_language, read_corpus, rehearse, split_sentences
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiptoe.library.corpus_reading import read_corpus as read_corpus
    from tiptoe.library.crawl_run import Crawl as Crawl
    from tiptoe.library.crawl_run import rehearse as rehearse
    from tiptoe.library.extracting import ExtractedDocument as ExtractedDocument
    from tiptoe.library.extracting import extract as extract
    from tiptoe.library.languages import identify_language as identify_language
    from tiptoe.library.sentences import split_sentences as split_sentences
    from tiptoe.write.corpus import Document as Document

__version__ = "0.1.0"

__all__ = [
    "Crawl",
    "Document",
    "ExtractedDocument",
    "extract",
    "identify_language",
    "read_corpus",
    "rehearse",
    "split_sentences",
]

_HOMES = {
    "Crawl": "tiptoe.library.crawl_run",
    "Document": "tiptoe.write.corpus",
    "ExtractedDocument": "tiptoe.library.extracting",
    "extract": "tiptoe.library.extracting",
    "identify_language": "tiptoe.library.languages",
    "read_corpus": "tiptoe.library.corpus_reading",
    "rehearse": "tiptoe.library.crawl_run",
    "split_sentences": "tiptoe.library.sentences",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, because the command line needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tiptoe' has no attribute {name!r}")
    found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
