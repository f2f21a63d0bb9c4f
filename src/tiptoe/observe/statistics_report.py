"""How is a crawl reported as one HTML page?

Sections come from `statistics_sections.py`; this module adds the sentences and figures above them.
"""

from datetime import UTC, datetime
from html import escape

from tiptoe.observe.amounts import amount_text, counted, human_bytes, human_count, human_seconds, human_share
from tiptoe.observe.charts import cards, table
from tiptoe.observe.outcomes import Fate
from tiptoe.observe.page import html_page
from tiptoe.observe.section import ReportSection
from tiptoe.observe.statistics import Statistics
from tiptoe.observe.statistics_sections import Explain, sections

__all__ = ["lead", "section_part", "statistics_page"]


def statistics_page(found: Statistics, *, top: int, explain: Explain) -> str:
    """Return the whole report as one HTML page."""
    name = found.directory.resolve().name
    parts = [("At a glance", cards(_key_figures(found)))]
    parts += map(section_part, sections(found, top=top, explain=explain))
    return html_page(f"Statistics of the crawl {name}", lead(found), parts, footer="Made by tiptoe stats.")


def section_part(section: ReportSection) -> tuple[str, str]:
    """Return a section as a part of a page: its heading and its HTML."""
    said_first = " ".join(filter(None, (section.note, section.caption)))
    note = f'<p class="note">{escape(said_first)}</p>' if said_first else ""
    shown = table(section.head, section.rows) if section.is_table_drawn or not section.drawing else ""
    return section.heading, note + section.drawing + shown


def lead(found: Statistics) -> str:
    """Return a summary of the crawl in one or two sentences."""
    requests, documents = found.requests, found.documents
    text = (
        f"{counted(documents.count, 'document')} with {counted(documents.text_chars, 'character')} "
        "of text, boilerplate included"
    )
    if not requests.count:
        return f"{text}; no request was made."
    noun = "host" if len(found.hosts) == 1 and not found.hosts.error_max else "hosts"
    parts = (
        f"{text}, from {counted(requests.count, 'request')} to {_hosts_text(found)} {noun} "
        f"({human_bytes(requests.bytes)} received)"
    )
    return f"{parts}, {_moment(requests.first_at)} to {_moment(requests.last_at)} UTC.{_cut_off_text(found)}"


def _cut_off_text(found: Statistics) -> str:
    if not found.requests.cut_off:
        return ""
    verb = "was" if found.requests.cut_off == 1 else "were"
    return (
        f" {human_count(found.requests.cut_off)} of the requests {verb} under way when a harvester died: "
        "what came of that is not known."
    )


def _hosts_text(found: Statistics) -> str:
    """Return how many hosts received requests; the keeper knows more, which received none."""
    return human_count(len(found.hosts)) + ("" if not found.hosts.error_max else " or more")


def _key_figures(found: Statistics) -> list[tuple[str, str]]:
    requests, documents = found.requests, found.documents
    ok = found.requests.fates[Fate.OK]
    facts = [
        ("documents", human_count(documents.count)),
        ("text", human_bytes(documents.text_bytes)),
        ("requests", human_count(requests.count)),
        ("received", human_bytes(requests.bytes)),
        ("hosts", _hosts_text(found)),
        ("of page requests ok", human_share(ok, sum(requests.fates.values()))),
        ("median answer", amount_text(requests.seconds.quantile(0.5), "seconds")),
    ]
    if found.runs.last:
        facts.append(("addresses waiting", human_count(found.runs.last.queued)))
        facts.append(("time at work", human_seconds(found.runs.seconds)))
    return facts


def _moment(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"
