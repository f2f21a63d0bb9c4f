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
    """The options of an export."""

    format: Annotated[ExportFormat, Parameter(help="Format of the output.")]
    out: Annotated[
        Path | None,
        Parameter(
            help="File to write, or folder with --shard-size; - is standard output. By default it is "
            "named after the crawl, in the current directory.",
            allow_leading_hyphen=True,
        ),
    ] = None
    as_of: Annotated[
        str | None,
        Parameter(
            help="One version of each page: the latest at this time, without pages that were gone by then. "
            "now, a day in UTC such as 2026-12-31 (to its end), or a time such as 2026-12-31T18:00. By "
            "default, every version of every page.",
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
        Parameter(
            help="Only documents of at least this usability, 0 to 1, as rated by the segmenter, "
            "which tells running text from lists and debris."
        ),
    ] = 0.0
    every: Annotated[bool, Parameter(name="--all", help="Include what is labelled as boilerplate.")] = False
    dedup: Annotated[
        Literal["paragraph", "document", "none"],
        Parameter(help="Which text is left out when it occurs again."),
    ] = "none"
    sentences: Annotated[
        bool,
        Parameter(
            help="Also split paragraphs into sentences: txt has one per line, jsonl and parquet have a "
            "field for them, vertical always has them.",
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
        Parameter(help="Licence that the dataset card names, such as cc-by-4.0. By default: unknown."),
    ] = None
    host: Annotated[
        list[str] | None, Parameter(help="For site: only pages of this host; may be repeated.")
    ] = None
    local: Local = False
    force: Annotated[bool, Parameter(help="Replace an existing file.")] = False
