"""What can be chosen of an export?"""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

__all__ = [
    "AsOf", "Dedup", "Every", "ExportFormat", "Force", "Host", "Lang", "License", "MinUsability", "Out",
    "Sentences", "ShardSize",
]  # fmt: skip

ExportFormat: TypeAlias = Annotated[
    Literal["jsonl", "parquet", "duckdb", "vertical", "txt", "wacz", "site"],
    Parameter(help="Form of the output."),
]
Out: TypeAlias = Annotated[
    Path | None,
    Parameter(
        help="File to write, or folder with --shard-size; - is the standard output. Unless given, named "
        "after the crawl, here.",
        allow_leading_hyphen=True,
    ),
]
AsOf: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="One version of each page: the last one at this moment, and none of pages that were gone by "
        "then. now, a day in UTC such as 2026-12-31 (all of it), or a moment such as 2026-12-31T18:00. "
        "Unless given, every version of every page.",
        show_default=False,
    ),
]
Lang: TypeAlias = Annotated[
    list[str] | None,
    Parameter(
        help="Only documents in this language, such as cs; may be repeated. As detected, or as declared."
    ),
]
MinUsability: TypeAlias = Annotated[
    float, Parameter(help="Only documents of at least this usability, 0 to 1, as the segmenter rated them.")
]
Every: TypeAlias = Annotated[bool, Parameter(name="--all", help="Also what is labelled as boilerplate.")]
Dedup: TypeAlias = Annotated[
    Literal["paragraph", "document", "none"], Parameter(help="Which text is left out when met again.")
]
Sentences: TypeAlias = Annotated[
    bool,
    Parameter(
        help="Also split paragraphs into sentences: txt has one a line, jsonl and parquet a field of "
        "them, vertical has them anyway.",
    ),
]
ShardSize: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="A folder with files of about this size, such as 500MB, a list of them with checksums "
        "(manifest.json) and a dataset card (README.md) instead of one file.",
        show_default=False,
    ),
]
License: TypeAlias = Annotated[
    str | None,
    Parameter(help="Licence that the dataset card names, such as cc-by-4.0. Unless given: unknown."),
]
Host: TypeAlias = Annotated[
    list[str] | None, Parameter(help="For site: only pages of this host; may be repeated.")
]
Force: TypeAlias = Annotated[bool, Parameter(help="Replace a file that is there.")]
