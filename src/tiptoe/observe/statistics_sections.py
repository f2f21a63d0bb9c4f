"""In which tables and plots is a crawl shown?

One list of sections serves the terminal and the page: rows of figures, and for
the page a drawing. Names from the web are not escaped here; the code that prints them does that.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from tiptoe.observe.amounts import Amount, Cell, Share, amount_text, human_count, human_seconds, human_share
from tiptoe.observe.charts import bars, histogram, line
from tiptoe.observe.outcomes import FATES
from tiptoe.observe.section import ReportSection
from tiptoe.observe.statistics import DEPTH_MAX, Statistics
from tiptoe.observe.statistics_upkeep import revisits_section, usable_section
from tiptoe.observe.tally import BoundedTally, Row, Spread

__all__ = ["Explain", "sections", "spread_section"]

Explain = Callable[[str], str]
"""Returns in plain words what a short name means."""

MINUTE_BELOW = 2.0
"""Minimum rate, in requests per second, that is given per second; lower ones are given per minute."""

ACTIVITIES = {
    "fetch": "waiting for answers, many at a time",
    "robots": "reading robots.txt",
    "read": "decoding and reading pages",
    "links": "resolving links",
    "write": "composing archive and corpus",
    "flush": "handing files to the system",
}


def sections(found: Statistics, *, top: int, explain: Explain) -> list[ReportSection]:
    """Return all sections, biggest names first, at most `top` names in each."""
    documents = found.documents
    made = [
        _outcomes(found),
        _answers(found, top, explain),
        _text(found),
        usable_section(found),
        revisits_section(found),
        _tally("Content types", "type", found.types, top, "answers", ("bytes", "in the archive")),
        _tally("Charsets", "charset", documents.charsets, top, "documents", None),
        _tally("Languages", "language", documents.languages, top, "documents", ("", "characters")),
        _hosts(found, top),
        _fields(found, top),
        _discards(found, explain),
        _activities(found),
        _over_time(found),
        spread_section("Response times", found.requests.seconds, "seconds", "requests"),
        spread_section("Length of documents", documents.chars, "characters", "documents"),
        _depths(found),
    ]
    return [section for section in made if section.rows]


# -- one subject ---------------------------------------------------------------


def _outcomes(found: Statistics) -> ReportSection:
    counted = [(fate, count) for fate, count in found.fates().items() if count]
    total = sum(count for _, count in counted)
    return ReportSection(
        heading="Outcomes",
        note="Requests for pages, counting each time, and addresses that were left alone.",
        head=("outcome", "times", "share", "meaning"),
        rows=[(fate.text, count, Share(count, total), FATES[fate]) for fate, count in counted],
        drawing=bars(
            [(fate.text, count) for fate, count in counted],
            unit="times",
            total=total,
            hints={fate.text: FATES[fate] for fate, _ in counted},
        ),
    )


def _answers(found: Statistics, top: int, explain: Explain) -> ReportSection:
    answers = found.requests.answers
    rows = _with_rest(answers, answers.top(top))
    return ReportSection(
        heading="Answers",
        note="All requests by what came back; robots.txt, sitemaps and retries are requests too.",
        head=("answer", "requests", "share", "meaning"),
        rows=[(row.name, row.count, Share(row.count, answers.count), explain(row.name)) for row in rows],
        drawing=bars(
            [(row.name, row.count) for row in rows],
            unit="requests",
            total=answers.count,
            hints={row.name: explain(row.name) for row in rows},
        ),
    )


def _text(found: Statistics) -> ReportSection:
    documents = found.documents
    sizes: list[tuple[str, float]] = [
        ("received in all", found.requests.bytes),
        ("HTML of the documents", documents.html_bytes),
        ("their text", documents.measured_text_bytes),
        ("text of other documents", documents.text_bytes - documents.measured_text_bytes),
    ]
    known = [(name, size) for name, size in sizes if size]
    rows: list[Sequence[Cell]] = [(name, Amount(size, "bytes")) for name, size in known]
    rows.append(("text in HTML", Share(documents.measured_text_bytes, documents.html_bytes)))
    rows.append(("characters, boilerplate included", documents.text_chars))
    rows.append(("paragraphs", documents.paragraphs))
    share = human_share(documents.measured_text_bytes, documents.html_bytes)
    return ReportSection(
        heading="HTML against text",
        note=f"{share} of the HTML is text. Received: headers and bodies as they came, often compressed. "
        "HTML: unpacked. Text: in UTF-8.",
        head=("what", "how much"),
        rows=rows if documents.count else [],
        drawing=bars(known, unit="bytes"),
    )


def _tally(
    heading: str, what: str, tally: BoundedTally, top: int, counted: str, amount: tuple[str, str] | None
) -> ReportSection:
    """Return a section about names: their count, its share, and an amount (unit, what it is), if any."""
    rows = _with_rest(tally, tally.top(top))
    total = tally.count
    cells: list[Sequence[Cell]] = []
    hints = {}
    for row in rows:
        cells.append((row.name, row.count, Share(row.count, total)))
        if amount:
            unit, word = amount
            cells[-1] = (*cells[-1], Amount(row.amounts[0], unit))
            hints[row.name] = f"{amount_text(row.amounts[0], unit)} {word}"
    return ReportSection(
        heading=heading,
        head=(what, counted, "share", *([amount[1]] if amount else [])),
        rows=cells,
        drawing=bars([(row.name, row.count) for row in rows], unit=counted, total=total, hints=hints),
    )


def _hosts(found: Statistics, top: int) -> ReportSection:
    # Ordered by documents, or by requests if the crawl keeps no documents.
    shown = found.hosts.top(top, by=3 if found.documents.count else 0)
    error = found.hosts.error_max
    note = f"Counts may be too low by up to {human_count(error)}." if error else ""
    rows = [
        (
            row.name,
            int(row.amounts[3]),
            int(row.amounts[0]),
            Amount(row.amounts[2], "bytes"),
            int(row.amounts[4]),
        )
        for row in _with_rest(found.hosts, shown)
    ]
    return ReportSection(
        heading="Biggest hosts",
        note=note,
        head=("host", "documents", "requests", "received", "characters"),
        rows=rows,
        is_table_drawn=True,
    )


def _fields(found: Statistics, top: int) -> ReportSection:
    """Return a section on how often rules for fields have matched; those that no longer do come first."""
    counts = found.fields.counts() if found.fields is not None else []
    stopped = [count for count in counts if count.has_stopped]
    note = "; ".join(count.text for count in stopped[:top])
    if len(stopped) > top:
        note += f"; and {len(stopped) - top} more"
    return ReportSection(
        heading="Fields by rule",
        note=f"No longer found: {note}." if note else "How often each rule has found its field.",
        head=("rule", "host", "pages", "found", "last found"),
        rows=[
            (one.name, one.host, one.pages, Share(one.matched, one.pages), one.matched_at[:10])
            for one in counts[:top]
        ],
    )


def _discards(found: Statistics, explain: Explain) -> ReportSection:
    discards = found.runs.last.discards if found.runs.last else {}
    ordered = sorted(discards.items(), key=lambda item: (-item[1], item[0]))
    total = sum(discards.values())
    return ReportSection(
        heading="What was left out, and why",
        note=f"Pages and links, as the keeper has counted them{_as_of(found)}.",
        head=("reason", "count", "share", "meaning"),
        rows=[(name, count, Share(count, total), explain(name)) for name, count in ordered if count],
        drawing=bars(
            [item for item in ordered if item[1]],
            unit="",
            total=total,
            hints={name: explain(name) for name, _ in ordered},
        ),
    )


def _activities(found: Statistics) -> ReportSection:
    runs = found.runs
    ordered = sorted(runs.activities.items(), key=lambda item: -item[1])
    own = sum(seconds for name, seconds in ordered if name != "fetch")
    rows: list[Sequence[Cell]] = [
        (
            name,
            Amount(seconds, "seconds"),
            Share(seconds, own) if name != "fetch" else "-",
            ACTIVITIES.get(name, ""),
        )
        for name, seconds in ordered
    ]
    return ReportSection(
        heading="Time per activity",
        note=f"Of all harvesters together{_as_of(found)}. Besides this, they waited "
        f"{amount_text(runs.activities['fetch'], 'seconds')} for answers, many at a time, which costs no "
        "processor.",
        head=("activity", "time", "share", "meaning"),
        rows=rows,
        drawing=bars(
            [(name, seconds) for name, seconds in ordered if name != "fetch"],
            unit="seconds",
            total=own,
            hints=ACTIVITIES,
        ),
    )


def _over_time(found: Statistics) -> ReportSection:
    slots = list(found.timeline.rows())
    width = found.timeline.slot_seconds
    busiest = max((amounts[0] for _, amounts in slots), default=0.0) / width
    span, unit = (60.0, "a minute") if busiest < MINUTE_BELOW else (1.0, "a second")
    factor = span / width
    curves = {
        f"requests {unit}": [(at, amounts[0] * factor) for at, amounts in slots],
        f"pages {unit}": [(at, amounts[1] * factor) for at, amounts in slots],
    }
    busy = [amounts for _, amounts in slots if amounts[0]]
    seconds = found.requests.last_at - found.requests.first_at
    rows: list[Sequence[Cell]] = [
        (f"{name} {unit}, mean", sum(amounts[column] for amounts in busy) * span / (seconds or 1.0))
        for column, name in enumerate(("requests", "pages"))
    ]
    slot = "second" if width == 1 else human_seconds(width)
    rows.append((f"requests {unit}, in the busiest {slot}", busiest * span))
    rows.append(("bytes a second, mean", Amount(found.requests.bytes / (seconds or 1.0), "bytes")))
    return ReportSection(
        heading="Over time",
        head=("what", "how much"),
        rows=rows if busy else [],
        drawing=line(curves, unit=""),
        is_table_drawn=True,
    )


def spread_section(heading: str, spread: Spread, unit: str, counted: str) -> ReportSection:
    """Return a section about the distribution of amounts."""
    rows: list[Sequence[Cell]] = [("mean", Amount(spread.mean, unit))]
    rows += [
        (name, Amount(spread.quantile(share), unit))
        for name, share in (("median", 0.5), ("90 % stay below", 0.9), ("99 % stay below", 0.99))
    ]
    doublings = spread.doublings()
    columns = [(_edge(low, unit), count) for low, _, count in doublings]
    end = _edge(doublings[-1][1], unit) if doublings else ""
    return ReportSection(
        heading=heading,
        caption=f"Each column is twice as wide as the one before; its height counts {counted}.",
        head=("what", "how much"),
        rows=rows if spread.count else [],
        drawing=histogram(columns, unit=counted, colour=3, end=end),
        is_table_drawn=True,
    )


def _depths(found: Statistics) -> ReportSection:
    depths = found.documents.depths
    rows = [
        (f"{depth}+" if depth == DEPTH_MAX else str(depth), depths[depth])
        for depth in range(max(depths, default=-1) + 1)
    ]
    return ReportSection(
        heading="Depth",
        note="Links between a seed and the document.",
        head=("depth", "documents", "share"),
        rows=[(name, count, Share(count, found.documents.count)) for name, count in rows if count],
        drawing=histogram(rows, unit="documents"),
    )


def _with_rest(tally: BoundedTally, shown: list[Row]) -> list[Row]:
    rest = tally.rest(shown)
    return [*shown, rest] if rest else shown


def _as_of(found: Statistics) -> str:
    """Return a note on how old the figures are, which the keeper writes only now and then."""
    run = found.runs.last
    if run is None or run.stopped_because:
        return ""
    return f", as of {datetime.fromtimestamp(run.now, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _edge(at: float, unit: str) -> str:
    """Return a short label for where a column begins or ends."""
    if unit == "seconds":
        return amount_text(at, unit).replace(".0 ", " ").replace(" 00 min", "").replace(" 00 s", "")
    return human_count(at) if at < 10_000 else f"{at / 1000:.0f}k" if at < 1e6 else f"{at / 1e6:.0f}M"
