"""A crawl goes by the filters of its operator: from their files to the corpus and the descriptions."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, simulated_web

from simulated.truth import reachable
from tiptoe.cli.exits import Exit
from tiptoe.url.address import host_of

pytestmark = pytest.mark.journey

PLAIN = replace(SMALL, redirect_share=0.0)
PROCESS = """<Process csid="x-catalog://search.example.org:8080/harbour" \\
    email="webmaster@example.org"
    depth=-1
    server-delay=0
    loglevel=1
</Process>
"""
FILTERS = """
<Filter name="enumeration-default">
    Setup fn=filterrules-setup config=./config/filterrules.conf
    MetaData fn=filterrules-process
    Data fn=filterrules-process
    Enumerate fn=enumerate-urls
</Filter>
<Filter name="generation-default">
    Setup fn=filterrules-setup config=./config/filterrules.conf
    MetaData fn=filterrules-process
    MetaData fn=filter-by-regex src=path deny="-[46][.]html$"
    Data fn=generate-md5
    Generate fn=extract-html-meta
    Generate fn=extract-source src="md5,depth"
</Filter>
"""
NOT_ASKED_FOR, NOT_STORED = re.compile("-[35][.]html$"), re.compile("-[46][.]html$")


def write_filters(directory: Path, homes: list[str]) -> Path:
    directory.mkdir()
    servers = "".join(f"    Server host={host_of(home)}\n    Start url={home}\n" for home in homes)
    rules = '<Rule id=odd>\n    Match src=url by=regex value="-[35][.]html$"\n</Rule>\n'
    rules += f"<Site id=wanted>\n{servers}    Use rule=odd\n</Site>\n"
    files = {"process.conf": PROCESS, "filter.conf": FILTERS, "filterrules.conf": rules}
    for name, text in files.items():
        (directory / name).write_text(text)
    return directory


def described(crawl: Crawl) -> dict[str, dict[str, list[str]]]:
    files = sorted((crawl.out / "descriptions").glob("*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_bytes().splitlines()]
    return {line["url"]: line["fields"] for line in lines}


def test_filters_decide_what_is_asked_for_what_is_stored_and_what_is_said_of_it(tmp_path: Path) -> None:
    """Starting points of the files are seeds; a second run goes by the filters that it remembers."""
    with simulated_web(tmp_path, PLAIN) as stage:
        homes = stage.homes()[:5]
        filters = write_filters(tmp_path / "filters", homes)
        crawl = stage.crawl([], text__duplicity="false")
        del crawl.settings["crawl.contact"]  # which the files name
        first = crawl.run("--filters", str(filters), "--max-pages", "12", ends=Exit.LIMIT)
        assert "loglevel=1: not honoured: every request is logged, always" in first
        assert "a pause of 0s is shorter than politeness.req_delay, so 20ms stays" in first
        (filters / "filter.conf").unlink()
        crawl.run("--max-pages", "default")
        printed = crawl.console
    wanted = {host_of(home) for home in homes}
    asked = [entry.url for entry in crawl.requests() if entry.purpose == "page"]
    assert {host_of(entry.url) for entry in crawl.requests()} == wanted
    assert [url for url in asked if NOT_ASKED_FOR.search(url)] == []
    assert any(NOT_STORED.search(url) for url in asked)
    truth = reachable(
        stage.web,
        homes,
        is_in_scope=lambda url: host_of(url) in wanted and not NOT_ASKED_FOR.search(url),
    )
    assert crawl.urls() == sorted(url for url in truth if not NOT_STORED.search(url))
    descriptions = described(crawl)
    assert sorted(descriptions) == crawl.urls()
    assert all({"title", "md5", "depth", "ip"} <= fields.keys() for fields in descriptions.values())
    assert "link_filtered" in printed
    assert stage.violations() == []
    logs = "".join(log.read_text() for log in (crawl.out / "log").glob("harvester-*.log"))
    assert 'filter.denied line=filterrules.conf:2 why="filter rule odd" count=1 ' in logs
    assert "line=filter.conf:11 why=filter-by-regex" in logs
