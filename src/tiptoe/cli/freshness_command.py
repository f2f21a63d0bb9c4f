"""`tiptoe freshness`: how fresh is the collection?"""

import json
import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tiptoe.cli.arguments import AsJson, Directory, HtmlFile
from tiptoe.cli.bar import Count, bar
from tiptoe.cli.exits import Exit
from tiptoe.cli.printer import Printer
from tiptoe.cli.section_printer import print_sections, write_page
from tiptoe.cluster.member_file import read_member
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
    directory: Directory = Path("crawl"),
    *,
    as_json: AsJson = False,
    html: HtmlFile = None,
    top: Annotated[int, Parameter(help="How many hosts are listed.")] = 20,
) -> int:
    """Estimate how fresh the collection is, and what revisits have found.

    In the directory of any member of a crawl on many machines, the estimate covers the whole crawl, from what
    the running agents report about their shards; exit code 1 if some shards are missing.
    """
    if not 1 <= top <= HOSTS_MAX:
        raise SettingsError(f"--top {top}: from 1 to {human_count(HOSTS_MAX)}")
    is_whole = True
    if (member := read_member(directory)) is not None:
        from tiptoe.cli.member_freshness import survey_members

        whole = survey_members(directory, member, hosts_max=top)
        found, measured, is_whole = whole.collection, whole.measured, not whole.missing
    else:
        with bar("reading the pages", Count) as shown:
            found, measured = survey(
                directory, time.time(), hosts_max=top, total=shown.expect, advance=shown.advance
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
    return Exit.DONE if is_whole else Exit.FAULT
