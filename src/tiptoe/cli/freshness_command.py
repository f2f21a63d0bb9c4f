"""`tiptoe freshness`: how fresh is the collection?"""

import json
import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tiptoe.cli.printer import Printer
from tiptoe.cli.section_printer import print_sections, write_page
from tiptoe.errors import SettingsError
from tiptoe.keeper.survey import survey
from tiptoe.observe.amounts import human_count
from tiptoe.observe.freshness_report import (
    freshness_lead,
    freshness_page,
    freshness_sections,
    freshness_values,
)

__all__ = ["freshness_command"]

HOSTS_MAX = 10_000


def freshness_command(
    directory: Annotated[Path, Parameter(help="Directory of the crawl.")] = Path("crawl"),
    *,
    as_json: Annotated[bool, Parameter(name="--json", help="Print JSON.", negative="")] = False,
    html: Annotated[Path | None, Parameter(help="Write one HTML page with plots to this file.")] = None,
    top: Annotated[int, Parameter(help="How many hosts are listed.")] = 20,
) -> int:
    """Estimate how fresh the collection is, and what revisits have found."""
    if not 1 <= top <= HOSTS_MAX:
        raise SettingsError(f"--top {top}: from 1 to {human_count(HOSTS_MAX)}")
    columns = (TextColumn("reading the pages"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("read", total=None)
        found, measured = survey(
            directory,
            time.time(),
            hosts_max=top,
            total=lambda count: progress.update(task, total=count or None),
            advance=lambda count: progress.advance(task, count),
        )
    if html is not None:
        write_page(html, freshness_page(directory.resolve().name, found, measured))
    if as_json:
        print(json.dumps(freshness_values(found, measured), indent=2, ensure_ascii=False))
    elif html is not None:
        print(f"written to {html}")
    else:
        printed = Printer(highlight=False)
        printed.print(freshness_lead(found, measured), soft_wrap=True)
        print_sections(printed, freshness_sections(found, measured))
    return 0
