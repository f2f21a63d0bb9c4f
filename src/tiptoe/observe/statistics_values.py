"""Which figures of a crawl are given to programs?

The figures of `tiptoe stats --json`: plain numbers, seconds, bytes, unchanged
names. New keys may be added, existing ones keep their meaning.
"""

from typing import Any

from tiptoe.observe.statistics import Statistics
from tiptoe.observe.statistics_upkeep import revisits_values
from tiptoe.observe.tally import BoundedTally, Spread

__all__ = ["spread_values", "statistics_values"]

QUANTILES = {"median": 0.5, "p90": 0.9, "p99": 0.99}


def statistics_values(found: Statistics, *, top: int) -> dict[str, Any]:
    """Return all figures in a form for JSON."""
    requests, documents, runs = found.requests, found.documents, found.runs
    fates = {fate.value: count for fate, count in found.fates().items() if count}
    return {
        "directory": str(found.directory),
        "first_request_at": requests.first_at if requests.count else None,
        "last_request_at": requests.last_at if requests.count else None,
        "requests": requests.count,
        "requests_cut_off": requests.cut_off,
        "bytes_received": requests.bytes,
        "documents": documents.count,
        "outcomes": fates,
        "outcome_shares": {name: round(count / sum(fates.values()), 6) for name, count in fates.items()},
        "answers": _names(requests.answers, top),
        "purposes": _names(requests.purposes, top),
        "text": {
            "characters": documents.text_chars,
            "bytes": documents.text_bytes,
            "paragraphs": documents.paragraphs,
            "html_bytes": documents.html_bytes,
            "share_of_html": _ratio(documents.measured_text_bytes, documents.html_bytes),
        },
        "usable_characters": runs.last.usable_chars if runs.last else None,
        "texts_not_judged": runs.last.unjudged if runs.last else None,
        "unproductive_hosts": runs.last.unproductive_hosts if runs.last else None,
        "unproductive_addresses": runs.last.unproductive if runs.last else None,
        "revisits": revisits_values(found),
        "types": _names(found.types, top, "bytes"),
        "charsets": _names(documents.charsets, top),
        "languages": _names(documents.languages, top, "characters"),
        "hosts": _hosts(found, top),
        "fields": _fields(found),
        "discards": dict(runs.last.discards) if runs.last else None,
        "activities_seconds": dict(runs.activities) if runs.count else None,
        "runs": _runs(found),
        "timeline": {
            "slot_seconds": found.timeline.slot_seconds,
            "slots": [
                {"at": at, "requests": int(asked), "pages": int(pages), "bytes": int(size)}
                for at, (asked, pages, size) in found.timeline.rows()
            ],
        },
        "response_seconds": spread_values(requests.seconds),
        "document_characters": spread_values(documents.chars),
        "depths": {str(depth): documents.depths[depth] for depth in sorted(documents.depths)},
        "unreadable_lines": found.bad_lines,
    }


def _fields(found: Statistics) -> list[dict[str, Any]] | None:
    """Return how often each rule has found its field; None for a crawl without rules."""
    if found.fields is None:
        return None
    return [
        {
            "rule": one.name,
            "host": one.host,
            "pages": one.pages,
            "matched": one.matched,
            "matched_at": one.matched_at or None,
            "missed_since": one.missed,
            "has_stopped": one.has_stopped,
        }
        for one in found.fields.counts()
    ]


def _names(tally: BoundedTally, top: int, amount: str = "") -> list[dict[str, Any]]:
    shown = tally.top(top)
    rest = tally.rest(shown)
    rows = [(row, {"name": row.name}) for row in shown] + ([(rest, {"name": None})] if rest else [])
    return [
        {**name, "count": row.count, **({amount: int(row.amounts[0])} if amount else {})}
        for row, name in rows
    ]


def _hosts(found: Statistics, top: int) -> dict[str, Any]:
    shown = found.hosts.top(top, by=3 if found.documents.count else 0)
    rest = found.hosts.rest(shown)
    named = [(row.name, row) for row in shown] + ([(None, rest)] if rest else [])
    columns = ("requests", "pages", "bytes_received", "documents", "characters")
    return {
        "count": len(found.hosts),
        "known": found.runs.last.hosts if found.runs.last else None,
        "error_max": found.hosts.error_max,
        "biggest": [
            {"name": name, **{column: int(row.amounts[place]) for place, column in enumerate(columns)}}
            for name, row in named
        ],
    }


def _runs(found: Statistics) -> dict[str, Any] | None:
    runs = found.runs
    if runs.last is None:
        return None
    return {
        "count": runs.count,
        "seconds": runs.seconds,
        "keeper_cpu_seconds": runs.cpu_seconds,
        "lost_harvesters": runs.lost_harvesters,
        "figures_written_at": runs.last.now,
        "stopped_because": runs.last.stopped_because,
        "queued": runs.last.queued,
        "urls": runs.last.urls,
    }


def spread_values(spread: Spread) -> dict[str, Any]:
    """Return the distribution of amounts in a form for JSON."""
    quantiles = {name: round(spread.quantile(share), 6) for name, share in QUANTILES.items()}
    columns = [{"from": low, "to": high, "count": count} for low, high, count in spread.doublings()]
    return {"count": spread.count, "mean": spread.mean, **quantiles, "columns": columns}


def _ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 6) if whole else None
