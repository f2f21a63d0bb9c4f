"""What do the runs of the crawlers say, side by side?

Pure: from runs to medians, ratios, bars, a table and a plot. Ratios are taken within each round, where all
crawlers ran on the machine within the same minutes, and the median of the rounds counts.
"""

import html
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

__all__ = ["Bar", "LatencyRun", "Run", "bars_of", "figures_of", "plot_of", "table_of"]

SUBJECT: Final = "tiptoe"
SCRAPY_PAGES_MIN: Final = 12.0
WGET_CPU_MAX: Final = 1.5
BEST_SHARE_MIN: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one crawler did in one time window of one round."""

    crawler: str
    round: int
    seconds: float
    pages: int  # answers 200 with HTML that the web gave in the window
    requests: int
    cpu_seconds: float
    web_cpu_seconds: float
    memory_bytes: int  # peak, all its processes
    judged: int  # requests of the whole run
    rude: int  # of these, requests that broke a rule

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.seconds

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds per page."""
        return self.cpu_seconds * 1000.0 / max(self.pages, 1)

    @property
    def pages_per_cpu_second(self) -> float:
        return self.pages / self.cpu_seconds if self.cpu_seconds else 0.0

    @property
    def web_cpu_ms(self) -> float:
        return self.web_cpu_seconds * 1000.0 / max(self.pages, 1)

    @property
    def memory_mb(self) -> float:
        return self.memory_bytes / 1e6

    @property
    def rude_share(self) -> float:
        return self.rude / max(self.judged, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyRun:
    """The results of tiptoe with hosts that answer slowly."""

    hosts: int
    delay_seconds: float
    latency_seconds: float  # mean
    seconds: float
    pages: int
    best_pages: float  # if every host got a request as soon as its pause is over
    late_mean_seconds: float  # between the end of a pause and the request
    late_p99_seconds: float
    starved_share: float  # of the window, spent waiting for a core in use by others
    rude: int

    @property
    def share_of_best(self) -> float:
        return self.pages / self.best_pages

    @property
    def share_without_latency(self) -> float:
        """Pages relative to hosts / delay, as if answers took no time; below 1, as pauses follow answers."""
        return self.pages * self.delay_seconds / (self.hosts * self.seconds)

    @property
    def ceiling_without_latency(self) -> float:
        """The highest possible value of `share_without_latency`."""
        return self.best_pages * self.delay_seconds / (self.hosts * self.seconds)


@dataclass(frozen=True, slots=True)
class Bar:
    """A promised value, and the measured one."""

    name: str
    wanted: float
    measured: float
    is_least: bool  # at least; otherwise at most

    @property
    def is_met(self) -> bool:
        return self.measured >= self.wanted if self.is_least else self.measured <= self.wanted

    def __str__(self) -> str:
        word = "at least" if self.is_least else "at most"
        verdict = "met" if self.is_met else "MISSED"
        return f"{verdict:6}  {self.name}: {self.measured:.2f}, {word} {self.wanted:g} wanted"


Measure = Callable[[Run], float]

COLUMNS: Final[Mapping[str, tuple[Measure, str]]] = {
    # title                 value                                     form
    "pages/s":             (lambda run: run.pages_per_second,         "{:.0f}"),
    "CPU ms a page":       (lambda run: run.cpu_ms,                   "{:.2f}"),
    "peak memory MB":      (lambda run: run.memory_mb,                "{:.0f}"),
    "rude requests":       (lambda run: float(run.rude),              "{:.0f}"),
    "rude share":          (lambda run: run.rude_share,               "{:.1%}"),
    "requests a page":     (lambda run: run.requests / max(run.pages, 1), "{:.2f}"),
    "web's CPU ms a page": (lambda run: run.web_cpu_ms,               "{:.2f}"),
}  # fmt: skip

RATIOS: Final[Mapping[str, Measure]] = {
    "pages/s": lambda run: run.pages_per_second,
    "pages per CPU second": lambda run: run.pages_per_cpu_second,
    "CPU a page": lambda run: run.cpu_ms,
    "CPU a request": lambda run: run.cpu_seconds / max(run.requests, 1),
    "peak memory": lambda run: run.memory_mb,
}

PANELS: Final = ("pages/s", "CPU ms a page", "peak memory MB", "rude share")
COLOURS: Final[Mapping[str, str]] = {"tiptoe": "#1b6e53", "scrapy": "#c2743a", "wget": "#5a6f9c"}
GREY: Final = "#888"


def median_of(runs: Sequence[Run], crawler: str, measure: Measure) -> float:
    """Return the median of the rounds of one crawler."""
    return statistics.median(measure(run) for run in runs if run.crawler == crawler)


def ratio_to(runs: Sequence[Run], other: str, measure: Measure) -> float:
    """Return tiptoe's value divided by another crawler's: median of the ratios within the rounds."""
    by_place = {(run.crawler, run.round): measure(run) for run in runs}
    rounds = {place for crawler, place in by_place if crawler == SUBJECT} & {
        place for crawler, place in by_place if crawler == other
    }
    return statistics.median(
        by_place[SUBJECT, place] / by_place[other, place] if by_place[other, place] else float("inf")
        for place in rounds
    )


def crawlers_in(runs: Sequence[Run]) -> list[str]:
    """Return the crawlers in the order of their first runs."""
    return list(dict.fromkeys(run.crawler for run in runs))


def others_in(runs: Sequence[Run]) -> list[str]:
    """Return those that tiptoe is compared with; none when it did not take part."""
    crawlers = crawlers_in(runs)
    return [name for name in crawlers if name != SUBJECT] if SUBJECT in crawlers else []


def bars_of(runs: Sequence[Run], latency: LatencyRun | None = None) -> list[Bar]:
    """Return the promised bars that these runs can check."""
    bars, others = [], others_in(runs)
    if "scrapy" in others:
        gain = ratio_to(runs, "scrapy", RATIOS["pages per CPU second"])
        bars.append(Bar("pages per CPU second, times Scrapy's", SCRAPY_PAGES_MIN, gain, True))
    if "wget" in others:
        cost = ratio_to(runs, "wget", RATIOS["CPU a page"])
        bars.append(Bar("CPU a page, times wget's", WGET_CPU_MAX, cost, False))
    if latency:
        name = "share of the best possible throughput, polite and with latency"
        bars.append(Bar(name, BEST_SHARE_MIN, latency.share_of_best, True))
    return bars


def table_of(runs: Sequence[Run], latency: LatencyRun | None = None) -> str:
    """Return medians, ratios and bars as Markdown, which also reads well on a terminal."""
    parts = []
    if runs:
        rows = [
            [name, *(form.format(median_of(runs, name, value)) for value, form in COLUMNS.values())]
            for name in crawlers_in(runs)
        ]
        parts.append(_aligned([["median", *COLUMNS], *rows]))
    if others := others_in(runs):
        rows = [
            [f"{SUBJECT} / {name}", *(_times(ratio_to(runs, name, v)) for v in RATIOS.values())]
            for name in others
        ]
        parts.append(_aligned([["ratio", *RATIOS], *rows]))
    if latency:
        parts.append(_latency_lines(latency))
    parts.append("\n".join(map(str, bars_of(runs, latency))))
    return "\n\n".join(part for part in parts if part) + "\n"


def figures_of(
    runs: Sequence[Run], latency: LatencyRun | None, about: Mapping[str, str]
) -> dict[str, object]:
    """Return everything as plain values, for JSON."""
    medians = {
        name: {title: median_of(runs, name, value) for title, (value, _) in COLUMNS.items()}
        for name in crawlers_in(runs)
    }
    ratios = {
        name: {title: _finite(ratio_to(runs, name, value)) for title, value in RATIOS.items()}
        for name in others_in(runs)
    }
    polite = asdict(latency) | {"share_of_best": latency.share_of_best} if latency else None
    return {
        "about": dict(about),
        "medians": medians,
        "ratios": ratios,
        "bars": [
            asdict(bar) | {"measured": _finite(bar.measured), "is_met": bar.is_met}
            for bar in bars_of(runs, latency)
        ],
        "latency": polite,
        "runs": [asdict(run) for run in runs],
    }


def plot_of(runs: Sequence[Run], about: Mapping[str, str]) -> str:
    """Return an SVG with a panel of bars for each of the main columns."""
    names = crawlers_in(runs)
    height = 24 * len(names) + 46
    panels = [_panel(runs, names, title, 40 + index * height) for index, title in enumerate(PANELS)]
    told = html.escape("; ".join(about.values()))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{56 + height * len(PANELS)}" '
        'font-family="sans-serif" font-size="13" fill="#222">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n'
        '<text x="16" y="24" font-size="15" font-weight="bold">One simulated web, side by side</text>\n'
        + "".join(panels)
        + f'<text x="16" y="{44 + height * len(PANELS)}" font-size="11" fill="#666">{told}</text>\n</svg>\n'
    )


def _panel(runs: Sequence[Run], names: Sequence[str], title: str, top: int) -> str:
    value, form = COLUMNS[title]
    values = [median_of(runs, name, value) for name in names]
    longest = max(values, default=0.0) or 1.0
    lines = [f'<text x="16" y="{top + 14}" font-weight="bold">{html.escape(title)}</text>\n']
    for index, (name, measured) in enumerate(zip(names, values, strict=True)):
        y = top + 24 + 24 * index
        width = 400.0 * measured / longest
        lines.append(
            f'<text x="76" y="{y + 13}" text-anchor="end">{html.escape(name)}</text>'
            f'<rect x="84" y="{y}" width="{width:.1f}" height="17" rx="2" fill="{COLOURS.get(name, GREY)}"/>'
            f'<text x="{90 + width:.1f}" y="{y + 13}">{form.format(measured)}</text>\n'
        )
    return "".join(lines)


def _latency_lines(latency: LatencyRun) -> str:
    return (
        f"{latency.hosts} hosts, {latency.delay_seconds:g} s pause, "
        f"answers after {latency.latency_seconds:.3f} s: {latency.pages} pages in {latency.seconds:.0f} s, "
        f"{latency.rude} rude requests\n"
        f"  {latency.share_of_best:.1%} of hosts / (pause + answer), the best that the pause allows\n"
        f"  {latency.share_without_latency:.1%} of hosts / pause "
        f"(at best {latency.ceiling_without_latency:.1%}: the pause begins when an answer ends)\n"
        f"  after its pause a host waited another {latency.late_mean_seconds * 1000:.0f} ms on average, "
        f"{latency.late_p99_seconds * 1000:.0f} ms or less in 99 of 100 cases\n"
        f"  the crawler waited for a core that others had in {latency.starved_share:.1%} of the time"
    )


def _finite(ratio: float) -> float | None:
    return ratio if math.isfinite(ratio) else None


def _times(ratio: float) -> str:
    return f"{ratio:.2f}x"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| "
        + " | ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in rows
    ]
    rule = (
        "|"
        + "|".join("-" * (width + 2) if i == 0 else "-" * (width + 1) + ":" for i, width in enumerate(widths))
        + "|"
    )
    return "\n".join([lines[0], rule, *lines[1:]])
