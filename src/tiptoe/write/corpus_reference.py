"""What do the reference page and the published schema of the corpus say?

`python -m tiptoe.write.corpus_reference` writes docs/reference/corpus.md and corpus.schema.json beside it. A
test checks that the files in the repository are up to date.
"""

import json
from pathlib import Path
from typing import Final

from tiptoe.write.corpus import Document
from tiptoe.write.corpus_readme import polars_schema
from tiptoe.write.corpus_schema import ColumnKind, corpus_columns, corpus_schema

__all__ = ["CORPUS_PAGE", "CORPUS_SCHEMA", "corpus_page", "schema_file"]

CORPUS_PAGE: Final = Path("docs/reference/corpus.md")
CORPUS_SCHEMA: Final = Path("docs/reference/corpus.schema.json")

PREFACE: Final = """\
# A line of the corpus

`corpus/*.jsonl` and the output of `tiptoe export --format jsonl` have one document per line, in UTF-8. Every
line has all fields in this order, `null` where nothing is known. Times are in UTC, always in the form
`2026-11-15T20:26:55.659223Z`. [corpus.schema.json](corpus.schema.json) says the same for programs (JSON
Schema, draft 2020-12). New fields may be added; the meaning of these stays.
[Read the corpus](../howto/read-the-corpus.md) says more about some of them,
[load the corpus](../howto/load-the-corpus.md) how other tools read it.

This page is made by `python -m tiptoe.write.corpus_reference`.

| field | type | meaning |
|---|---|---|
"""

AFTERWARDS: Final = """
## With polars

Polars infers the types of columns from the first lines, where a column may have nothing but `null`; so it has
to be told. (DuckDB looks at more lines, pandas at all, and Hugging Face's `datasets` reads the types from the
README.md of the crawl.)

```python
import polars as pl

schema = {
%s
}
corpus = pl.scan_ndjson("czech/corpus/*.jsonl", schema=schema)
```
"""

_HOLDS: Final = {
    ColumnKind.STRING: "text",
    ColumnKind.INTEGER: "integer",
    ColumnKind.NUMBER: "number",
    ColumnKind.MOMENT: "time",
    ColumnKind.STRINGS: "list of texts",
    ColumnKind.INTEGERS: "list of integers",
    ColumnKind.RECORD: "object",
    ColumnKind.OBJECT: "object with any names",
}


def corpus_page() -> str:
    """Return the page in Markdown."""
    properties = corpus_schema(Document)["properties"]
    rows = []
    for name, kind, meaning, _ in corpus_columns(Document):
        may_be_null = {"type": "null"} in properties[name].get("anyOf", [])
        holds = f"{_HOLDS[kind]} or null" if may_be_null else _HOLDS[kind]
        rows.append(f"| `{name}` | {holds} | {meaning} |\n")
    return PREFACE + "".join(rows) + AFTERWARDS % polars_schema(Document)


def schema_file() -> str:
    """Return the contents of the schema file."""
    return json.dumps(corpus_schema(Document), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    CORPUS_PAGE.write_text(corpus_page(), encoding="utf-8")
    CORPUS_SCHEMA.write_text(schema_file(), encoding="utf-8")
