"""`tiptoe stats`: what has a crawl found, in figures?

Reads only files, so it works on a running, a stopped and a crashed crawl alike.
"""

import json
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from tiptoe.cli.arguments import AsJson, Directory, Further, HtmlFile, Local
from tiptoe.cli.bar import Bytes, bar
from tiptoe.cli.field_inputs import remembered_rules
from tiptoe.cli.printer import Printer
from tiptoe.cli.section_printer import print_sections, write_page
from tiptoe.cli.whole_crawl import WholeCrawl, whole_crawl
from tiptoe.cluster.file_protocol import FilePart
from tiptoe.errors import SettingsError
from tiptoe.observe.amounts import counted, human_count
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.statistics import Statistics, files_bytes, gather
from tiptoe.observe.statistics_report import lead, statistics_page
from tiptoe.observe.statistics_sections import sections
from tiptoe.observe.statistics_values import statistics_values

__all__ = ["stats_command"]

NAMES_MAX = 10_000
"""Maximum number of names in a list; with more, the page would be unreadable."""

PARTS = (FilePart.LOGS, FilePart.TEXTS, FilePart.INDEXES)


def stats_command(
    directory: Directory = Path("crawl"),
    *others: Further,
    local: Local = False,
    as_json: AsJson = False,
    html: HtmlFile = None,
    top: Annotated[int, Parameter(help="How many hosts, types and languages are listed.")] = 15,
) -> int:
    """Show what a crawl has found: outcomes, text, types, languages, hosts, times."""
    if not 1 <= top <= NAMES_MAX:
        raise SettingsError(f"--top {top}: from 1 to {human_count(NAMES_MAX)}")
    found = _gather(whole_crawl(directory, others, PARTS, local=local))
    if html is not None:
        write_page(html, statistics_page(found, top=top, explain=in_plain_words))
    if as_json:
        print(json.dumps(statistics_values(found, top=top), indent=2, ensure_ascii=False))
    elif html is not None:
        print(f"written to {html}")
    else:
        _print_tables(Printer(highlight=False), found, top)
    return 0


def _gather(crawl: WholeCrawl) -> Statistics:
    """Read the files, with a bar on a terminal."""
    with bar("reading", Bytes, total=files_bytes(crawl.directory, crawl.members)) as shown:
        rules = remembered_rules(crawl.directory)
        return gather(crawl.directory, shown.advance, members=crawl.members, rule_book=rules)


def _print_tables(console: Console, found: Statistics, top: int) -> None:
    console.print(lead(found), soft_wrap=True)
    print_sections(console, sections(found, top=top, explain=in_plain_words))
    if found.bad_lines:
        console.print(
            f"\n[yellow]{counted(found.bad_lines, 'line')} could not be read[/yellow], and not counted."
        )
