"""`tiptoe simulate`: strategies, tried out in virtual time."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tiptoe.cli.bar import bar
from tiptoe.cli.printer import Printer
from tiptoe.errors import SettingsError
from tiptoe.experiment.coefficients import coefficients
from tiptoe.experiment.finding import ExperimentFinding, number_text
from tiptoe.experiment.growth import growth
from tiptoe.experiment.limited_hosts import hosts
from tiptoe.experiment.one_server import server
from tiptoe.experiment.poisson import poisson
from tiptoe.experiment.report import MARKS, write_report
from tiptoe.observe.amounts import human_count

__all__ = ["simulate_revisit_command"]

Experiment = Callable[[int, int, Callable[[float], None]], ExperimentFinding]

EXPERIMENTS: dict[str, tuple[Experiment, int]] = {
    # name          function     default number of pages
    "coefficients": (coefficients, 10),
    "server":       (server, 1_000),
    "poisson":      (poisson, 100_000),
    "hosts":        (hosts, 100_000),
    "growth":       (growth, 16),
}  # fmt: skip

PAGES_MAX = 1_000_000
STYLES = {True: "green", False: "bold red", None: "yellow"}


def simulate_revisit_command(
    *,
    experiment: Annotated[
        Literal["coefficients", "server", "poisson", "hosts", "growth", "all"],
        Parameter(
            help="coefficients and server: the experiments of the thesis. poisson: comparison with the best "
            "possible result. hosts: the same with limits per host. growth: the frontier on a web that keeps "
            "growing."
        ),
    ] = "all",
    pages: Annotated[
        int | None,
        Parameter(
            help="Number of pages; for coefficients, pages per period; for growth, hosts. By default 10 for "
            "coefficients, 1 000 for server, 100 000 for poisson and hosts, 16 for growth.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int, Parameter(help="Seed of the random numbers; the same seed gives the same figures.")
    ] = 1,
    out: Annotated[
        Path | None, Parameter(help="Directory for an HTML page with plots, and the plots as SVG.")
    ] = None,
    format: Annotated[Literal["table", "json"], Parameter(help="What is printed.")] = "table",
) -> int:
    """Try the strategies of revisiting in virtual time."""
    if pages is not None and not 10 <= pages <= PAGES_MAX:
        raise SettingsError(f"--pages {pages}: from 10 to {human_count(PAGES_MAX)}")
    if seed < 0:
        raise SettingsError(f"--seed {seed}: at least 0")
    if out is not None:
        _make(out)  # a mistyped path should not cost minutes
    wanted = list(EXPERIMENTS) if experiment == "all" else [experiment]
    findings = [_find(name, pages, seed) for name in wanted]
    if format == "json":
        print(json.dumps([finding.values() for finding in findings], indent=2, ensure_ascii=False))
    else:
        for finding in findings:
            _print_finding(Printer(highlight=False), finding)
        if any(pages is not None and pages < EXPERIMENTS[name][1] for name in wanted):
            print("With fewer pages than usual, a check may fail by chance alone.")
    if out is not None:
        _write(out, findings, is_quiet=format == "json")
    return int(any(check.is_met is False for finding in findings for check in finding.checks))


def _find(name: str, pages: int | None, seed: int) -> ExperimentFinding:
    """Run an experiment, with a bar on a terminal."""
    experiment, usual_pages = EXPERIMENTS[name]
    with bar(name, total=1.0) as shown:
        return experiment(pages or usual_pages, seed, shown.advance)


def _print_finding(console: Console, finding: ExperimentFinding) -> None:
    console.print(f"\n[bold]{escape(finding.title)}[/bold]")
    console.print(f"[dim]{escape(finding.lead)}[/dim]")
    for shown in finding.tables:
        table = Table(
            box=None, header_style="dim", padding=(0, 2, 0, 0), title_justify="left", title=shown.title
        )
        for name, unit in zip(shown.head, shown.units, strict=True):
            table.add_column(name, justify="right" if unit else "left", overflow="fold")
        for row in shown.rows:
            table.add_row(*(escape(number_text(*cell)) for cell in zip(row, shown.units, strict=True)))
        console.print(table)
        if shown.note:
            console.print(f"[dim]{escape(shown.note)}[/dim]")
    for check in finding.checks:
        style = STYLES[check.is_met]
        console.print(f"[{style}]{MARKS[check.is_met]:>11}[/{style}]  {escape(check.text)}", soft_wrap=True)


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise SettingsError(f"--out {out}: cannot be written: {problem.strerror}") from None


def _write(out: Path, findings: list[ExperimentFinding], *, is_quiet: bool) -> None:
    try:
        written = write_report(out, findings)
    except OSError as problem:
        raise SettingsError(f"--out {out}: cannot be written: {problem.strerror}") from None
    if not is_quiet:
        print(f"\nwritten to {written[0]}")
