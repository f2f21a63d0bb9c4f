"""Documents and crawl directories to export."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from tiptoe.export.export_amounts import ExportAmounts
from tiptoe.export.exporter import ExportPlan, export
from tiptoe.export.selection import Selection
from tiptoe.write.corpus import CorpusWriter, Document

ALL = Selection()


def make_document(*paragraphs: str, **changes: object) -> Document:
    """Return a document with these paragraphs."""
    fields: dict[str, object] = {
        "id": "urn:uuid:0ec51bc6-d601-451d-81d0-11dbadcd302d", "url": "https://a.example/x?a=1&b=2",
        "title": "Titulek", "language": "cs-CZ", "charset": "utf-8",
        "fetched_at": "2026-11-15T20:26:55.659223Z", "last_modified": "2026-01-01T00:00:00.000000Z",
        "depth": 2, "digest": "sha1:SLUOUITGCEXLERWBT4ECZAJ44CRNG3N2", "warc_file": "tiptoe-h1-00001.warc.gz",
        "warc_offset": 17184, "paragraphs": list(paragraphs), "html_bytes": 1234,
    }  # fmt: skip
    return Document(**(fields | changes))  # type: ignore[arg-type]


def make_crawl(folder: Path, documents: Iterable[Document], *, encoding: str = "utf-8") -> Path:
    """Return the directory of a crawl that has kept these documents."""
    directory = folder / "czech"
    (directory / "log").mkdir(parents=True)
    (directory / "crawl.json").write_text('{"seeds": ["https://a.example/"]}')
    (directory / "log" / "figures-1.json").write_text(
        f'{{"started_at": 1.0, "now": 2.0, "encoding": "{encoding}"}}'
    )
    writer = CorpusWriter(directory, "h1", encoding=encoding, size_max=10**9)
    for document in documents:
        writer.write_document(document)
    writer.files.close()
    return directory


def export_to(
    out: Path,
    directory: Path,
    format: str,
    *,
    selection: Selection = ALL,
    as_of: datetime | None = None,
    dedup: str = "none",
    sentences: bool = False,
) -> ExportAmounts:
    """Export a crawl, and see that the figures add up."""
    plan = ExportPlan(
        directory=directory, format=format, out=out, selection=selection, as_of=as_of, dedup=dedup,
        sentences=sentences,
    )  # fmt: skip
    amounts = export(plan)
    amounts.check()
    return amounts
