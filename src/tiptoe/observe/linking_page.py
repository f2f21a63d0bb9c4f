"""Which page linked to another one, according to the archive?

The database no longer knows this once a page was visited; the archive records it with each answer.
"""

from pathlib import Path

from tiptoe.observe.traces import index_entries
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.archive import Record, exchange_records
from tiptoe.write.cdxj import IndexEntry
from tiptoe.write.surt import surt

__all__ = ["linking_page"]


def linking_page(directory: Path, url: str) -> str:
    """Return the page with the link that led to the last visit; empty if unknown."""
    visits = [entry for entry in index_entries([directory], surt(url)) if entry.url == url]
    return _via(directory, max(visits, key=lambda visit: visit.timestamp)) if visits else ""


def _via(directory: Path, visit: IndexEntry) -> str:
    path = directory / "warc" / visit.filename
    if not path.exists():
        path = path.with_name(visit.filename + OPEN_SUFFIX)
    try:
        records = [record for record, _ in exchange_records(path, visit.offset)]
    except (OSError, ValueError):
        return ""  # `tiptoe repair` reports damage
    return next((via for via in map(_via_of, records) if via), "")


def _via_of(record: Record) -> str:
    if record.kind != "metadata":
        return ""
    fields = (line.partition(":") for line in record.block.decode("utf-8", "replace").splitlines())
    return next((value.strip() for name, _, value in fields if name == "via"), "")
