"""What did it cost to keep a collection fresh, and how much of its text is usable?

Figures of the keeper, supplemented from request log and archive. Bytes that were not sent or not stored
cannot be counted; they are estimated from the mean answer of this crawl.
"""

from collections.abc import Sequence
from typing import Any

from tiptoe.observe.amounts import Amount, Cell, Share
from tiptoe.observe.section import ReportSection
from tiptoe.observe.statistics import Statistics

__all__ = ["revisits_section", "revisits_values", "usable_section"]


def usable_section(found: Statistics) -> ReportSection:
    """Return a section on the results of rating texts."""
    run = found.runs.last
    rows: list[Sequence[Cell]] = []
    if run is not None and run.usable_chars:
        rows.append(("usable characters, of pages that were judged", run.usable_chars))
    if run is not None and run.unjudged:
        rows.append(("texts that the segmenter did not judge in time", run.unjudged))
    if run is not None and run.unproductive_hosts:
        rows.append(("hosts left for a long while because of their yield", run.unproductive_hosts))
        rows.append(("addresses that wait there", run.unproductive))
    note = ""
    if run is not None and (run.unjudged or run.segmenter):
        fault = f"The segmenter did not answer: {run.segmenter}. " if run.segmenter else ""
        note = f"{fault}What was not judged can be rated later: tiptoe segmenter catch-up."
    return ReportSection(heading="Usable text", head=("what", "how much"), rows=rows, note=note)


def revisits_section(found: Statistics) -> ReportSection:
    """Return a section on what revisits have found and saved."""
    told = revisits_values(found)
    if told is None:
        return ReportSection(heading="Revisits", head=("what", "how much"), rows=[])
    compared = told["changed"] + told["unchanged"]
    rows: list[Sequence[Cell]] = [
        ("visits to pages of the corpus", told["revisits"]),
        ("found a change", Share(told["changed"], compared)),
        ("found none", Share(told["unchanged"], compared)),
        ("found the page gone", told["gone"]),
        ("versions in the corpus beyond the first", told["later_versions"]),
        ("answered with 304, without a body", told["not_modified"]),
        ("not sent again, about", Amount(told["bytes_not_sent"], "bytes")),
        ("kept as a revisit record, without a body", told["revisit_records"]),
        ("not stored again, about", Amount(told["bytes_not_stored"], "bytes")),
    ]
    return ReportSection(
        heading="Revisits",
        note="What was not sent and not stored is estimated: so many times the mean answer of this crawl.",
        head=("what", "how much"),
        rows=rows,
    )


def revisits_values(found: Statistics) -> dict[str, Any] | None:
    """Return the figures of revisits; None for a crawl that made none."""
    run, requests = found.runs.last, found.requests
    not_modified, records = requests.not_modified, found.revisit_records
    if not (not_modified or records or found.documents.later_versions or (run and run.revisits)):
        return None
    mean_sent = requests.page_bytes / requests.pages if requests.pages else 0.0
    mean_stored = found.stored_bytes / found.types.count if found.types.count else 0.0
    return {
        "revisits": run.revisits if run else 0,
        "changed": run.revisits_changed if run else 0,
        "unchanged": run.revisits_unchanged if run else 0,
        "gone": run.revisits_gone if run else 0,
        "later_versions": found.documents.later_versions,
        "not_modified": not_modified,
        "bytes_not_sent": int(not_modified * mean_sent),
        "revisit_records": records,
        "bytes_not_stored": int(records * mean_stored),
    }
