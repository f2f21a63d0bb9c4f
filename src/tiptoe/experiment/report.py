"""How are findings written to files?"""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from tiptoe.experiment.finding import Check, ExperimentFinding, number_text
from tiptoe.experiment.plots import drawn
from tiptoe.observe.charts import table
from tiptoe.observe.page import html_page

__all__ = ["MARKS", "write_report"]

MARKS = {True: "holds", False: "FAILS", None: "cannot hold"}


def write_report(directory: Path, findings: Sequence[ExperimentFinding]) -> list[Path]:
    """Write a page with everything, and each plot as an image; return the files."""
    directory.mkdir(parents=True, exist_ok=True)
    page = directory / "revisit.html"
    page.write_text(
        html_page(
            "Strategies of revisiting, in virtual time",
            "Made by tiptoe simulate revisit. The strategies are the crawler's, the pages simulated.",
            [(finding.title, _section(finding)) for finding in findings],
        ),
        encoding="utf-8",
    )
    written = [page]
    for plot in (plot for finding in findings for plot in finding.plots):
        written.append(directory / f"{plot.name}.svg")
        written[-1].write_text(drawn(plot), encoding="utf-8")
    return written


def _section(finding: ExperimentFinding) -> str:
    parts = [f"<p>{escape(finding.lead)}</p>"]
    for shown in finding.tables:
        rows = [
            [number_text(cell, unit) for cell, unit in zip(row, shown.units, strict=True)]
            for row in shown.rows
        ]
        parts.append(f"<h3>{escape(shown.title)}</h3>\n{table(shown.head, rows)}")
        if shown.note:
            parts.append(f"<p>{escape(shown.note)}</p>")
    parts += [f'<figure class="picture">{drawn(plot)}</figure>' for plot in finding.plots]
    parts.append(f"<ul>{''.join(map(_check, finding.checks))}</ul>")
    return "\n".join(parts)


def _check(check: Check) -> str:
    return f"<li><strong>{MARKS[check.is_met]}</strong>: {escape(check.text)}</li>"
