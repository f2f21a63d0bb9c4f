"""Pages that vanish leave the mirror, not the corpus; and sites that date their changes are heard."""

import json
from datetime import datetime
from pathlib import Path

import msgspec
import pytest
from journey_crawl import Crawl, Stage, simulated_web, tiptoe

from tiptoe.cli.exits import Exit
from tiptoe.frontier.page_record import PageRecord
from tiptoe.keeper.database import DATABASE
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table
from tiptoe.testing.editions import vanishes_at
from tiptoe.testing.shape import WebShape

pytestmark = pytest.mark.journey

VANISHING = WebShape(
    seed=11, hosts=5, hosts_per_address=2, pages_per_host=8, pages_spread=0.0, page_bytes=4_000,
    links_per_page=10, external_share=0.2, change_seconds=4.0, vanishing_share=0.6, vanishing_seconds=12.0,
    sitemap_share=1.0,
)  # fmt: skip
"""Forty pages; more than half of them are gone after twelve seconds, and all change until then."""


def vanished_at(stage: Stage, url: str) -> float:
    """Return from when on a page was gone, by the wall clock."""
    host, number = stage.web.find(url)
    assert host is not None
    assert number is not None
    return stage.spawned.began_at + vanishes_at(stage.web.shape, host, number)


def gone(crawl: Crawl) -> dict[str, float]:
    """Return the pages that the crawl says are gone, with the moments; none of them twice."""
    lines = [line for file in (crawl.out / "gone").glob("*") for line in file.read_bytes().splitlines()]
    pages = [json.loads(line) for line in lines]
    assert {page["status"] for page in pages} == {404}
    moments = {page["url"]: datetime.fromisoformat(page["gone_at"]).timestamp() for page in pages}
    assert len(moments) == len(pages)
    return moments


def records(crawl: Crawl) -> list[PageRecord]:
    """Return what the database knows of every page that was visited."""
    with ReadOnlyStore(crawl.out / DATABASE, [Table.PAGE]) as state:
        return [
            msgspec.msgpack.decode(stored, type=PageRecord) for _, stored in state.scan(Table.PAGE) if stored
        ]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Stage, Crawl]:
    """A crawl that came back every second, until all that was to vanish had, and a while longer."""
    with simulated_web(tmp_path_factory.mktemp("vanish"), VANISHING) as stage:
        crawl = stage.crawl(
            revisit__strategy="uniform", revisit__first="1s", revisit__min="1s", harvest__harvesters=1,
            crawl__on_end="watch", crawl__max_seconds="18s",
        )  # fmt: skip
        crawl.run(ends=Exit.LIMIT)
    return stage, crawl


def test_what_vanished_is_noted_when_it_was_missed(watched: tuple[Stage, Crawl]) -> None:
    """By the servers' record: every page that was there once, and then was not."""
    stage, crawl = watched
    asked: dict[str, list[tuple[float, int]]] = {}
    for arrival in stage.arrivals():
        asked.setdefault(arrival.url, []).append((arrival.arrived_at, arrival.status))
    kept = set(crawl.urls())
    missed = {url: min(at for at, status in visits if status == 404)
              for url, visits in asked.items() if url in kept and 404 in {s for _, s in visits}}  # fmt: skip
    found = gone(crawl)
    assert len(found) >= 3
    assert found.keys() == missed.keys()
    for url, gone_at in found.items():
        assert vanished_at(stage, url) <= missed[url]
        assert abs(gone_at - missed[url]) < 2.0  # it is told in whole seconds
    assert stage.violations() == []


def test_a_mirror_has_what_is_left_and_the_corpus_has_all(
    watched: tuple[Stage, Crawl], tmp_path: Path
) -> None:
    stage, crawl = watched
    mirror = tmp_path / "mirror.jsonl"
    done = tiptoe("export", str(crawl.out), "--format", "jsonl", "--as-of", "now", "--out", str(mirror))
    assert done.returncode == 0, done.stderr
    urls = [json.loads(line)["url"] for line in mirror.read_bytes().splitlines()]
    assert sorted(urls) == sorted(set(crawl.urls()) - gone(crawl).keys())
    assert len(urls) < len(set(crawl.urls()))
    assert all(vanished_at(stage, url) == float("inf") for url in urls)


def test_sitemaps_that_date_changes_are_heard(watched: tuple[Stage, Crawl]) -> None:
    """The web dates its changes by the clock on the wall, so that they can be believed."""
    stage, crawl = watched
    hinted = {page.url: page.hinted_at for page in records(crawl) if page.hinted_at}
    assert len(hinted) >= 5
    for url, hinted_at in hinted.items():
        changed_at = stage.web.last_change_at(url, now=hinted_at + 1.0 - stage.spawned.began_at)
        assert changed_at is not None
        assert abs(stage.spawned.began_at + changed_at - hinted_at) < 1.0 + 1e-3
