"""How is the freshness of a collection reported?

The same figures as sections for the terminal, as one HTML page, and as plain values for programs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from tiptoe.observe.amounts import Amount, Cell, Share, counted, human_count, human_seconds, human_share
from tiptoe.observe.charts import bars, cards
from tiptoe.observe.collection_freshness import Collection
from tiptoe.observe.page import html_page
from tiptoe.observe.section import ReportSection
from tiptoe.observe.statistics_report import section_part
from tiptoe.observe.statistics_sections import spread_section
from tiptoe.observe.statistics_values import spread_values

__all__ = ["Measured", "freshness_lead", "freshness_page", "freshness_sections", "freshness_values"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the keeper has counted on revisits, over all runs."""

    revisits: int = 0
    changed: int = 0
    unchanged: int = 0
    gone: int = 0
    queued: int = 0  # due, and waiting for their hosts
    leased: int = 0
    watched_seconds: float = 0.0
    fresh_seconds: float = 0.0
    aged_seconds: float = 0.0

    @property
    def compared(self) -> int:
        """Number of visits for which it is known whether they found a change."""
        return self.changed + self.unchanged

    def plus(self, other: "Measured") -> "Measured":
        """Return the sum of both."""
        names = (one.name for one in fields(self))
        return Measured(**{name: getattr(self, name) + getattr(other, name) for name in names})


def freshness_lead(found: Collection, measured: Measured) -> str:
    """Return the state of the collection in a sentence or two."""
    pages = f"{counted(found.pages, 'page')} of {counted(found.hosts_count, 'host')}"
    if not found.pages:
        return "There is no page in the collection yet."
    if not measured.compared:
        return f"{pages}. None was visited again yet, so their freshness cannot be estimated."
    return (
        f"{pages}: about {human_share(found.fresh, found.pages)} of them are as we know them; "
        f"our copies are {human_seconds(found.aged_seconds / found.pages)} behind the web on the mean."
    )


def freshness_sections(found: Collection, measured: Measured) -> list[ReportSection]:
    """Return all sections of the report."""
    is_estimated = measured.compared > 0
    made = [
        _now(found) if is_estimated else None,
        _visits(found, measured) if measured.revisits else None,
        _due(found, measured),
        spread_section("Mean time between changes, estimated", found.change_seconds, "seconds", "pages")
        if is_estimated
        else None,
        spread_section("Intervals between visits", found.intervals, "seconds", "pages"),
        _hosts(found, is_estimated),
    ]
    return [section for section in made if section is not None and section.rows]


def freshness_page(name: str, found: Collection, measured: Measured) -> str:
    """Return the report as one HTML page."""
    facts = [("pages", human_count(found.pages)), ("to be visited again", human_count(found.watched))]
    if measured.compared:
        facts[1:1] = [
            ("as we know them", human_share(found.fresh, found.pages)),
            ("behind the web", human_seconds(_mean(found.aged_seconds, found.pages))),
            ("of visits found a change", human_share(measured.changed, measured.compared)),
        ]
    parts = [("At a glance", cards(facts)), *map(section_part, freshness_sections(found, measured))]
    lead = f"{freshness_lead(found, measured)} As of {_moment(found.now)} UTC."
    return html_page(f"Freshness of the crawl {name}", lead, parts, footer="Made by tiptoe freshness.")


def freshness_values(found: Collection, measured: Measured) -> dict[str, Any]:
    """Return all figures in a form for JSON; unknown ones are null."""
    is_estimated = measured.compared > 0 and found.pages > 0
    return {
        "at": found.now,
        "pages": found.pages,
        "gone": found.gone,
        "visited_again": found.visited_again,
        "found_changed": found.changed,
        "changed_at_last_visit": found.changed_last,
        "watched": found.watched,
        "watched_beside": found.watched_beside,
        "estimated": {
            "freshness": found.fresh / found.pages,
            "mean_age_seconds": found.aged_seconds / found.pages,
            "changes_found": found.changes,
            "changes_caught": _ratio(found.changes, found.changes_expected),
            "change_seconds": spread_values(found.change_seconds),
        }
        if is_estimated
        else None,
        "measured": {
            "revisits": measured.revisits,
            "changed": measured.changed,
            "unchanged": measured.unchanged,
            "gone": measured.gone,
            "found_a_change": _ratio(measured.changed, measured.compared),
            "freshness": _ratio(measured.fresh_seconds, measured.watched_seconds),
            "mean_age_seconds": _ratio(measured.aged_seconds, measured.watched_seconds),
        },
        "due": dict(found.due),
        "queued": measured.queued,
        "leased": measured.leased,
        "next_visit_at": found.next_visit_at if math.isfinite(found.next_visit_at) else None,
        "intervals_seconds": spread_values(found.intervals),
        "hosts": {
            "count": found.hosts_count,
            "biggest": [
                {
                    "host": own.host,
                    "pages": own.pages,
                    "visits": own.visits,
                    "changes_found": own.changes,
                    "freshness": own.fresh / own.pages if is_estimated else None,
                    "mean_age_seconds": own.aged_seconds / own.pages if is_estimated else None,
                    "overdue": own.overdue,
                }
                for own in found.biggest_hosts()
            ],
        },
    }


# -- one subject -------------------------------------------------------------


def _now(found: Collection) -> ReportSection:
    rows: list[Sequence[Cell]] = [
        ("pages that are as we know them", Share(found.fresh, found.pages)),
        ("our copies are behind the web, mean", Amount(_mean(found.aged_seconds, found.pages), "seconds")),
        ("pages that had changed at their last visit", Share(found.changed_last, found.visited_again)),
        ("pages that were found changed at least once", Share(found.changed, found.visited_again)),
        ("changes found, all pages together", found.changes),
        ("changes caught, if they come at random moments", Share(found.changes, found.changes_expected)),
        ("visits of a page, mean", _mean(found.visits, found.pages)),
        ("pages that are gone", found.gone),
    ]
    return ReportSection(
        heading="The collection now, estimated",
        note="From what visits found, it is estimated how often each page changes, and from that what must "
        "have happened since. A page visited once is judged by its host.",
        head=("what", "how much"),
        rows=rows if found.pages else [],
    )


def _visits(found: Collection, measured: Measured) -> ReportSection:
    rows: list[Sequence[Cell]] = [
        ("visits of pages of the corpus", measured.revisits),
        ("found a change", Share(measured.changed, measured.compared)),
        ("found none", Share(measured.unchanged, measured.compared)),
        ("found the page gone", measured.gone),
        ("a copy was up to date", Share(measured.fresh_seconds, measured.watched_seconds)),
        (
            "a copy was behind the web, mean",
            Amount(_mean(measured.aged_seconds, measured.watched_seconds), "seconds"),
        ),
    ]
    return ReportSection(
        heading="All revisits so far",
        note="The time between two visits to the same page, over all runs. When a page changed in between is "
        "not known, so these are estimates.",
        head=("what", "how much"),
        rows=rows,
    )


def _due(found: Collection, measured: Measured) -> ReportSection:
    rows: list[Sequence[Cell]] = [
        (name, count, Share(count, found.watched)) for name, count in found.due.items()
    ]
    note = ""
    if math.isfinite(found.next_visit_at):
        note = f"The first was, or is, due at {_moment(found.next_visit_at)} UTC. "
    if found.watched_beside:
        note += (
            f"Not among them: {human_count(found.watched_beside)} sitemaps, feeds, redirects, pages without "
            "a text or gone, which are visited again, too. "
        )
    queued, leased = human_count(measured.queued), human_count(measured.leased)
    note += f"Of all, {queued} wait for their hosts and {leased} are being requested now."
    return ReportSection(
        heading="When pages are visited again",
        note=note,
        head=("due", "pages", "share"),
        rows=rows if found.watched else [],
        drawing=bars(list(found.due.items()), unit="pages", total=found.watched),
    )


def _hosts(found: Collection, is_estimated: bool) -> ReportSection:
    return ReportSection(
        heading="Biggest hosts",
        head=("host", "pages", "visits", "changes found", "as we know them", "behind, mean", "overdue"),
        rows=[
            (
                own.host,
                own.pages,
                own.visits,
                own.changes,
                Share(own.fresh, own.pages) if is_estimated else "-",
                Amount(own.aged_seconds / own.pages, "seconds") if is_estimated else "-",
                own.overdue,
            )
            for own in found.biggest_hosts()
        ],
        is_table_drawn=True,
    )


def _mean(total: float, count: float) -> float:
    return total / count if count else 0.0


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _moment(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"
