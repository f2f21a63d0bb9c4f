"""What can be chosen of an export?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tiptoe.cli.arguments import Local

__all__ = ["ExportFormat", "ExportOptions"]

ExportFormat = Literal["jsonl", "parquet", "duckdb", "vertical", "txt", "wacz", "site"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What a command line says of an export."""

    format: Annotated[ExportFormat, Parameter(help="Form of the output.")]
    out: Annotated[
        Path | None,
        Parameter(
            help="File to write, or folder with --shard-size; - is the standard output. Unless given, named "
            "after the crawl, here.",
            allow_leading_hyphen=True,
        ),
    ] = None
    as_of: Annotated[
        str | None,
        Parameter(
            help="One version of each page: the last one at this moment, and none of pages that were gone by "
            "then. now, a day in UTC such as 2026-12-31 (all of it), or a moment such as 2026-12-31T18:00. "
            "Unless given, every version of every page.",
            show_default=False,
        ),
    ] = None
    lang: Annotated[
        list[str] | None,
        Parameter(
            help="Only documents in this language, such as cs; may be repeated. As detected, or as declared."
        ),
    ] = None
    min_usability: Annotated[
        float,
        Parameter(help="Only documents of at least this usability, 0 to 1, as the segmenter rated them."),
    ] = 0.0
    every: Annotated[bool, Parameter(name="--all", help="Also what is labelled as boilerplate.")] = False
    dedup: Annotated[
        Literal["paragraph", "document", "none"], Parameter(help="Which text is left out when met again.")
    ] = "none"
    sentences: Annotated[
        bool,
        Parameter(
            help="Also split paragraphs into sentences: txt has one a line, jsonl and parquet a field of "
            "them, vertical has them anyway.",
        ),
    ] = False
    shard_size: Annotated[
        str | None,
        Parameter(
            help="A folder with files of about this size, such as 500MB, a list of them with checksums "
            "(manifest.json) and a dataset card (README.md) instead of one file.",
            show_default=False,
        ),
    ] = None
    license: Annotated[
        str | None,
        Parameter(help="Licence that the dataset card names, such as cc-by-4.0. Unless given: unknown."),
    ] = None
    host: Annotated[
        list[str] | None, Parameter(help="For site: only pages of this host; may be repeated.")
    ] = None
    local: Local = False
    force: Annotated[bool, Parameter(help="Replace a file that is there.")] = False
