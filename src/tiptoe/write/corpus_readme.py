"""How do other tools learn to load a corpus?

From a README.md in its directory, as Hugging Face's libraries read it: `load_dataset("czech")` takes the
files and the types of all columns from there. It also tells people how to load the corpus elsewhere.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from tiptoe.write.corpus_schema import ColumnKind, Line, corpus_columns, features_of

__all__ = ["CORPUS_README", "crawl_readme", "leave_readme", "polars_schema"]

CORPUS_README: Final = "README.md"
HEAD: Final = """\
---
configs:
- config_name: default
  data_files:
  - split: train
    path: corpus/*.jsonl
dataset_info:
  features:
"""

BODY: Final = """\
---
# A corpus made by tiptoe

`corpus/*.jsonl` has one document per line. Every line has all fields; they are `null` where nothing is known.
If the texts were crawled, `warc/` has the pages as they were received, and `log/` has every request.
`tiptoe export` makes one file of the corpus. To load it as it is, in this directory:

```python
from pathlib import Path
from datasets import load_dataset

corpus = load_dataset(str(Path.cwd()), split="train")
```

```python
import pandas
from pathlib import Path

corpus = pandas.concat(pandas.read_json(file, lines=True) for file in sorted(Path("corpus").glob("*.jsonl")))
```

```sql
select url, title, text from read_json('corpus/*.jsonl', sample_size=-1); -- DuckDB
```

```python
import polars as pl

schema = {
%s
}
corpus = pl.scan_ndjson("corpus/*.jsonl", schema=schema)
```
"""

_POLARS: Final = {
    ColumnKind.STRING: "pl.String",
    ColumnKind.INTEGER: "pl.Int64",
    ColumnKind.NUMBER: "pl.Float64",
    ColumnKind.MOMENT: 'pl.Datetime("us", "UTC")',
    ColumnKind.STRINGS: "pl.List(pl.String)",
    ColumnKind.INTEGERS: "pl.List(pl.Int64)",
    ColumnKind.OBJECT: "pl.String",
}


def crawl_readme(line: Line, *, has_fields: bool) -> str:
    """Return the contents of the file; `has_fields` if the operator's rules extract further fields."""
    features = features_of(corpus_columns(line), has_fields=has_fields)
    return HEAD + "\n".join(features) + "\n" + BODY % polars_schema(line)


def leave_readme(directory: Path, line: Line, *, has_fields: bool) -> None:
    """Write the file, unless the operator has put one of their own there.

    Several harvesters may do so at once. A crawl goes on if this fails.
    """
    path = directory / CORPUS_README
    with suppress(OSError):
        # One of ours that says more is kept: another process has found fields.
        poorer = crawl_readme(line, has_fields=False).encode()
        if not path.exists() or (has_fields and path.read_bytes() == poorer):
            part = path.with_name(f".{CORPUS_README}-{os.getpid()}")
            part.write_text(crawl_readme(line, has_fields=has_fields), encoding="utf-8")
            os.replace(part, path)


def polars_schema(line: Line) -> str:
    """Return the columns as a dictionary for polars, which would guess types from the first file alone."""
    lines: list[str] = []
    for column in corpus_columns(line):
        if column.kind is ColumnKind.RECORD:
            names = "\n".join(f'            "{name}": pl.String,' for name in column.names)
            kind = f"pl.Struct(\n        {{\n{names}\n        }}\n    )"
        else:
            kind = _POLARS[column.kind]
        lines.append(f'    "{column.name}": {kind},')
    return "\n".join(lines)
