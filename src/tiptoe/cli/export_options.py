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
    Parameter(help="Format of the output."),
]
Out: TypeAlias = Annotated[
    Path | None,
    Parameter(
        help="File to write, or folder with --shard-size; - is standard output. By default it is named after "
        "the crawl, in the current directory.",
        allow_leading_hyphen=True,
    ),
]
AsOf: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="One version of each page: the latest at this time, without pages that were gone by then. now, "
        "a day in UTC such as 2026-12-31 (to its end), or a time such as 2026-12-31T18:00. By default, "
        "every version of every page.",
        show_default=False,
    ),
]
Lang: TypeAlias = Annotated[
    list[str] | None,
    Parameter(
        help="Only documents in this language, such as cs; may be repeated. As detected, or as declared.",
        negative="",
    ),
]
MinUsability: TypeAlias = Annotated[
    float,
    Parameter(
        help="Only documents of at least this usability, 0 to 1, as rated by the segmenter, "
        "which tells running text from lists and debris."
    ),
]
Every: TypeAlias = Annotated[
    bool, Parameter(name="--all", help="Include what is labelled as boilerplate.", negative="")
]
Dedup: TypeAlias = Annotated[
    Literal["paragraph", "document", "none"], Parameter(help="Which text is left out when it occurs again.")
]
Sentences: TypeAlias = Annotated[
    bool,
    Parameter(
        help="Also split paragraphs into sentences: txt has one per line, jsonl and parquet have a field for "
        "them, vertical always has them.",
        negative="",
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
    Parameter(help="Licence that the dataset card names, such as cc-by-4.0. By default: unknown."),
]
Host: TypeAlias = Annotated[
    list[str] | None, Parameter(help="For site: only pages of this host; may be repeated.", negative="")
]
Force: TypeAlias = Annotated[bool, Parameter(help="Replace an existing file.", negative="")]
