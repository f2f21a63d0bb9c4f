"""What does a dataset say about itself?

A README.md as Hugging Face's hub and libraries read it: a YAML header, then text for people. Anything that
comes from pages is shown within code marks, short and printable, so that it cannot act as markup.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiptoe.export.dataset_statistics import DatasetStatistics
from tiptoe.write.corpus import Document
from tiptoe.write.corpus_schema import corpus_columns, features_of

__all__ = ["CardFacts", "dataset_card"]

LANGUAGES_MAX, SHOWN_MAX, SEEDS_MAX, CELL_CHARS_MAX = 50, 15, 20, 80
UNDETERMINED: Final = ("", "und")
LICENSE_UNKNOWN: Final = "unknown"
SIZES: Final = (
    (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"), (1_000_000_000, "100M<n<1B"),
    (10_000_000_000, "1B<n<10B"), (100_000_000_000, "10B<n<100B"), (1_000_000_000_000, "100B<n<1T"),
)  # fmt: skip
LOADED_BY: Final = {"jsonl": "json", "parquet": "parquet", "txt": "text"}
"""Formats that the libraries of Hugging Face can load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """What a card contains besides the statistics."""

    name: str
    format: str
    files: str  # a pattern, relative to the card
    license: str | None = None  # as given by the operator
    is_crawled: bool = True  # False: it was read from other sources
    seeds: Sequence[str] = ()
    choices: Sequence[str] = ()  # what was exported, in words
    version: str = ""
    has_fields: bool = False
    has_sentences: bool = False


def dataset_card(facts: CardFacts, found: DatasetStatistics) -> str:
    """Return the whole file."""
    return "\n".join([*_head(facts, found), *_body(facts, found)]) + "\n"


def _head(facts: CardFacts, found: DatasetStatistics) -> list[str]:
    languages = [name for name, _ in found.languages.most_common(LANGUAGES_MAX) if name not in UNDETERMINED]
    size = next((label for most, label in SIZES if found.documents < most), "n>1T")
    lines = ["---", f"pretty_name: {_quoted(facts.name)}"]
    if languages:
        lines += ["language:", *(f"- {_quoted(name)}" for name in languages)]  # `no` is a language
    lines += [f"license: {_quoted(facts.license or LICENSE_UNKNOWN)}"]
    lines += ["size_categories:", f"- {size}", "tags:", "- web", "- crawl"]
    if facts.format in LOADED_BY:
        lines += ["configs:", "- config_name: default", "  data_files:", "  - split: train"]
        lines.append(f"    path: {_quoted(facts.files)}")
    if facts.format == "jsonl" and not facts.has_sentences:
        lines += ["dataset_info:", "  features:"]
        lines += features_of(corpus_columns(Document), has_fields=facts.has_fields)
    return [*lines, "---"]


def _body(facts: CardFacts, found: DatasetStatistics) -> list[str]:
    kind = "Text from the web, one document per page." if facts.is_crawled else "Text from existing sources."
    lines = [f"# {_plain(facts.name)}", "", kind]
    lines += ["", "## Statistics", "", "| | |", "|---|---|"]
    figures = {
        "documents": found.documents, "paragraphs": found.paragraphs, "characters": found.characters,
        "hosts": found.hosts,
    }  # fmt: skip
    lines += [f"| {name} | {count:,} |" for name, count in figures.items()]
    lines += _table("language", found.languages, found.documents)
    if len(found.types) > 1:
        lines += _table("type", found.types, found.documents)
    lines += ["", "## Licence", ""]
    if facts.license:
        lines.append(f"`{_plain(facts.license)}`, according to whoever made this dataset.")
    else:
        lines.append(
            "Unknown. The texts belong to those who wrote and published them; see `url` of each document."
        )
    if found.licenses:
        lines += ["Pages that name one:", *_table("licence", found.licenses, found.documents)]
    lines += ["", "## Provenance", ""]
    span = f", from {found.first_at[:10]} to {found.last_at[:10]}" if found.first_at else ""
    if facts.is_crawled:
        lines.append(f"Crawled with tiptoe {facts.version}{span}; robots.txt, `noindex` and reservations")
        lines.append("against text and data mining were obeyed.")
    else:
        lines.append(f"Read with tiptoe {facts.version} from sources that already existed{span}.")
    lines.append("Every document names its page (`url`, `fetched_at`) and its record in the archive")
    lines.append("(`id`, `warc_file`, `warc_offset`).")
    if facts.seeds:
        lines += ["", "Seeds:", "", *(f"- `{_plain(seed)}`" for seed in facts.seeds[:SEEDS_MAX])]
        if len(facts.seeds) > SEEDS_MAX:
            lines.append(f"- and {len(facts.seeds) - SEEDS_MAX:,} others")
    if facts.choices:
        lines += ["", "What was exported:", "", *(f"- {choice}" for choice in facts.choices)]
    return lines


def _table(name: str, counts: Counter[str], documents: int) -> list[str]:
    """Return the most frequent of some labels as a table."""
    lines = ["", f"| {name} | documents | share |", "|---|---|---|"]
    for label, count in counts.most_common(SHOWN_MAX):
        lines.append(f"| `{_plain(label) or 'unknown'}` | {count:,} | {count / documents:.1%} |")
    rest = documents - sum(count for _, count in counts.most_common(SHOWN_MAX))
    if len(counts) > SHOWN_MAX:
        lines.append(f"| others | {rest:,} | {rest / documents:.1%} |")
    return lines


def _plain(text: str) -> str:
    """Return a text that cannot act as markup within code marks or table cells, or as terminal control."""
    shown = "".join(char if char.isprintable() and char not in "`|<>" else " " for char in text)
    return " ".join(shown.split())[:CELL_CHARS_MAX]


def _quoted(text: str) -> str:
    """Return a text as a string of YAML."""
    return "'" + _plain(text).replace("'", "''") + "'"
