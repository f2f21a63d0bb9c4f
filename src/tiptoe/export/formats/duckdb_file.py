"""What does a corpus look like in DuckDB?

It is a database with one table, `documents`, with the columns of a Parquet file; objects are of type JSON. It
is made from such a file, beside the output, in limited memory.
"""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tiptoe.errors import SettingsError
from tiptoe.export.formats.parquet import write_parquet
from tiptoe.export.output import Output
from tiptoe.observe.extra_libraries import extra_libraries
from tiptoe.write.corpus import Document

__all__ = ["write_duckdb"]

MEMORY: Final = "512MB"
THREADS: Final = 2
"""Number of threads; more would keep more rows in memory."""

TABLE: Final = """
create table documents as
select * replace (sources::json as sources, fields::json as fields) from read_parquet(?)
"""


def write_duckdb(documents: Iterable[Document], output: Output, sentences: bool) -> None:
    """Write documents as rows of a table, in order."""
    with extra_libraries("duckdb", ("duckdb",), who="an export to DuckDB"):
        import duckdb
    if output.is_stream:
        raise SettingsError("--out -: a DuckDB file cannot be piped; name a file")
    with TemporaryDirectory(dir=output.folder, prefix=".duckdb-") as scratch:
        table, database = Path(scratch, "table.parquet"), Path(scratch, "made.duckdb")
        with Output(table) as through:
            write_parquet(documents, through, sentences)
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": MEMORY,
            "threads": THREADS,
            "temp_directory": scratch,
        }
        try:
            with duckdb.connect(str(database), config=settings) as connection:
                connection.execute(TABLE, [str(table)])
                # When it closes, it does this itself, and keeps quiet about a disk that is full.
                connection.execute("checkpoint")
        except duckdb.Error as problem:  # above all a full disk, in many of its classes
            said = str(problem).partition("\n")[0]
            raise SettingsError(f"{output.folder}: DuckDB cannot write there: {said}") from None
        output.adopt(database)
