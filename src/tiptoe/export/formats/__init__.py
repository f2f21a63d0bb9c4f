"""In which formats can a corpus be exported?

There is one module per format, with one function that writes documents as they
arrive; none keeps more than a batch of them in memory.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from tiptoe.export.formats.duckdb_file import write_duckdb
from tiptoe.export.formats.jsonl import write_jsonl
from tiptoe.export.formats.parquet import write_parquet
from tiptoe.export.formats.txt import write_txt
from tiptoe.export.formats.vertical import write_vertical
from tiptoe.export.output import Output
from tiptoe.write.corpus import Document

__all__ = ["FORMATS", "Format"]


class Format(NamedTuple):
    """A format, with the usual suffix of its files. The last argument of `write`: with sentences?"""

    suffix: str
    write: Callable[[Iterable[Document], Output, bool], None]
    is_text: bool = True  # suitable for a terminal, and for pipes


FORMATS: Final[Mapping[str, Format]] = {
    "jsonl": Format(".jsonl", write_jsonl),
    "parquet": Format(".parquet", write_parquet, is_text=False),
    "duckdb": Format(".duckdb", write_duckdb, is_text=False),
    "vertical": Format(".vert", write_vertical),
    "txt": Format(".txt", write_txt),
}
