"""`tiptoe stats` of a real crawl, held against what the simulated web knows and what the servers saw."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from journey_crawl import SMALL, Crawl, Pace, Stage, simulated_web, tiptoe

pytestmark = pytest.mark.journey

MIXED = replace(
    SMALL, hosts=12, robots_share=0.6, dead_host_share=0.2, noindex_share=0.1, gzip_share=0.5,
    legacy_charset_share=0.4, redirect_share=0.1, gone_share=0.1,
)  # fmt: skip
"""A bit of everything that statistics are about, and nothing that changes from run to run."""

SLOW = Pace(req_delay=0.5, max_reqs=50)
"""Slow enough to be looked at on the way."""


def stats(crawl: Crawl) -> dict[str, Any]:
    """Return what `tiptoe stats --json` says now."""
    done = tiptoe("stats", str(crawl.out), "--json", "--top", "100")
    assert done.returncode == 0, done.stderr
    values: dict[str, Any] = json.loads(done.stdout)
    return values


def named(rows: list[dict[str, Any]]) -> dict[str, int]:
    return {row["name"]: row["count"] for row in rows}


def check_text(values: dict[str, Any], stage: Stage) -> None:
    """Documents, text and markup are those that the web holds."""
    web = stage.web
    hosts, languages, charsets, html, chars = Counter[str](), Counter[str](), Counter[str](), 0, 0
    for url in stage.truth():
        parts = urlsplit(url)
        host, _ = web.find(url)
        assert host is not None
        hosts[host.name] += 1
        languages[host.language] += 1
        body = web.respond(host.name, parts.path).body
        charsets["utf-8" if body.isascii() else host.charset] += 1  # ASCII is UTF-8, whatever it is called
        html += len(body)
        chars += sum(map(len, web.true_paragraphs(url)))
    assert values["documents"] == sum(hosts.values()) > 50
    assert {row["name"]: row["documents"] for row in values["hosts"]["biggest"] if row["documents"]} == hosts
    assert named(values["languages"]) == languages
    assert named(values["charsets"]) == charsets
    assert values["text"]["html_bytes"] == html
    # The true text is the article; menus and footers come on top.
    assert chars <= values["text"]["characters"] < values["text"]["html_bytes"]
    assert sum(values["depths"].values()) == values["documents"]


def check_requests(values: dict[str, Any], stage: Stage) -> None:
    """Requests and statuses are those that the servers saw."""
    seen = Counter(f"http_{arrival.status}" for arrival in stage.arrivals())
    answers = named(values["answers"])
    assert {name: count for name, count in answers.items() if name.startswith("http_")} == seen
    assert (
        values["requests"]
        == sum(answers.values())
        == sum(slot["requests"] for slot in values["timeline"]["slots"])
    )
    assert sum(column["count"] for column in values["response_seconds"]["columns"]) == sum(seen.values())


def test_figures_agree_with_the_web_and_with_the_servers(tmp_path: Path) -> None:
    """TXT-9: a figure that nobody has checked is an opinion."""
    with simulated_web(tmp_path, MIXED) as stage:
        crawl = stage.crawl(harvest__harvesters=2)
        crawl.run()
        values = stats(crawl)
    check_text(values, stage)
    check_requests(values, stage)
    asked = [arrival for arrival in stage.arrivals() if stage.web.find(arrival.url)[1] is not None]
    outcomes = values["outcomes"]
    assert outcomes["ok"] == sum(arrival.status == 200 for arrival in asked)
    assert outcomes["redirect"] == sum(arrival.status == 301 for arrival in asked)
    assert outcomes["gone"] == sum(arrival.status == 404 for arrival in asked)
    assert outcomes["denied_by_robots"] == values["discards"]["disallowed"] > 0
    assert outcomes["dead_host"] > 0
    assert values["discards"]["noindex"] == outcomes["ok"] - values["documents"]
    assert sum(values["outcome_shares"].values()) == pytest.approx(1.0, abs=1e-4)
    assert {"fetch", "read", "links", "write"} <= values["activities_seconds"].keys()
    assert sum(named(values["types"]).values()) == len(stage.arrivals())
    assert values["unreadable_lines"] == 0


def test_a_running_a_killed_and_a_finished_crawl_can_be_looked_at(tmp_path: Path) -> None:
    """Only files are read, so nobody is disturbed and nothing has to be in order."""
    with simulated_web(tmp_path, MIXED) as stage:
        crawl = stage.crawl(pace=SLOW)
        crawl.start()
        crawl.wait_for_lines(30)
        crawl.tell("pause")
        running = stats(crawl)
        assert crawl.status()["holds"] == ["operator"]  # the keeper did not mind
        crawl.kill_all()
        killed = stats(crawl)
        crawl.settings.update(Pace().settings())
        crawl.run()
        finished = stats(crawl)
    assert 30 <= running["requests"] <= killed["requests"] < finished["requests"]
    assert running["runs"]["stopped_because"] == killed["runs"]["stopped_because"] == ""
    assert (finished["runs"]["count"], finished["runs"]["stopped_because"]) == (2, "finished")
    check_text(finished, stage)


def test_the_page_is_whole_and_the_directory_untouched(tmp_path: Path) -> None:
    with simulated_web(tmp_path, MIXED) as stage:
        crawl = stage.crawl()
        crawl.run()
    before = {path: path.stat().st_mtime_ns for path in crawl.out.rglob("*")}
    page = tmp_path / "page.html"
    done = tiptoe("stats", str(crawl.out), "--html", str(page))
    assert (done.returncode, done.stderr) == (0, "")
    text = page.read_text(encoding="utf-8")
    assert text.count("<section") == 15
    assert text.endswith("</html>\n")
    assert {path: path.stat().st_mtime_ns for path in crawl.out.rglob("*")} == before


@pytest.mark.parametrize("made", [True, False])
def test_another_directory_gets_one_line(tmp_path: Path, made: bool) -> None:
    target = tmp_path / "other"
    if made:
        target.mkdir()
    done = tiptoe("stats", str(target))
    assert (done.returncode, done.stdout) == (2, "")
    why = "there is no crawl.json in it" if made else "there is no such directory"
    assert done.stderr == f"tiptoe: {target}: not the directory of a crawl; {why}\n"
