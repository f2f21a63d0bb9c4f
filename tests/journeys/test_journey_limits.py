"""A crawl stays within the bounds it was given, and goes on when they are widened."""

from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, Pace, Stage, simulated_web

from simulated.truth import reachable
from tiptoe.cli.exits import Exit
from tiptoe.url.address import host_of

pytestmark = pytest.mark.journey

PLAIN = replace(SMALL, redirect_share=0.0, gone_share=0.0)


def pages_asked(crawl: Crawl) -> list[str]:
    return [entry.url for entry in crawl.requests() if entry.purpose == "page"]


def test_max_pages_is_exact_and_a_higher_limit_goes_on(tmp_path: Path) -> None:
    """Not a page more than was asked for, and none twice when more is."""
    with simulated_web(tmp_path, PLAIN) as stage:
        crawl = stage.crawl()
        printed = crawl.run("--max-pages", "20", ends=Exit.LIMIT)
        assert "limit reached" in printed
        first = crawl.urls()
        assert len(first) == 20
        crawl.run("--max-pages", "45", ends=Exit.LIMIT)
        second = crawl.urls()
        assert len(second) == 45
        assert set(first) < set(second)
    pages = pages_asked(crawl)
    assert len(pages) == len(set(pages))
    assert stage.violations() == []


@pytest.mark.parametrize("depth", [1, 2])
def test_depth_counts_links_from_a_seed(tmp_path: Path, depth: int) -> None:
    with simulated_web(tmp_path, PLAIN) as stage:
        crawl = stage.crawl([stage.web.home_of(0)])
        crawl.run("--depth", str(depth))
    assert truth_from_first(stage, depth=depth) == crawl.urls()


def truth_from_first(stage: Stage, **bounds: object) -> list[str]:
    return sorted(reachable(stage.web, [stage.web.home_of(0)], **bounds))  # type: ignore[arg-type]


def test_include_and_exclude_choose_hosts(tmp_path: Path) -> None:
    """No host outside is contacted, not even for its robots.txt."""
    with simulated_web(tmp_path, PLAIN) as stage:
        unwanted = stage.web.hosts.at(3).name
        crawl = stage.crawl([stage.web.home_of(0)])
        crawl.run("--include", r"^h00000[0-5]-", "--exclude", f"^{unwanted}$")
        names = {stage.web.hosts.at(index).name for index in range(6)} - {unwanted}
        expected = truth_from_first(stage, is_in_scope=lambda url: host_of(url) in names)
    assert expected == crawl.urls()
    assert {arrival.host for arrival in stage.arrivals()} == {host_of(url) for url in expected}
    assert "out_of_scope" in crawl.console


def test_pages_per_host_is_kept_for_each(tmp_path: Path) -> None:
    with simulated_web(tmp_path, PLAIN) as stage:
        crawl = stage.crawl()
        crawl.run("--pages-per-host", "5")
    for index in range(PLAIN.hosts):
        host = stage.web.hosts.at(index).name
        assert sum(host_of(url) == host for url in crawl.urls()) == 5
    assert "host_full" in crawl.console
    assert stage.violations() == []


def test_what_others_have_downloaded_is_not_asked_for(tmp_path: Path) -> None:
    """A downlist is believed, also where its pages are linked from everywhere."""
    with simulated_web(tmp_path, PLAIN) as stage:
        host = stage.web.hosts.at(2)
        known = [stage.web.graph.url_of(host, number) for number in range(1, host.pages)]
        (tmp_path / "down.txt").write_text("# fetched last year\n" + "\n".join(known))
        crawl = stage.crawl()
        crawl.run("--downlist", str(tmp_path / "down.txt"))
    assert not {arrival.url for arrival in stage.arrivals()} & set(known)
    # Those pages may have been the only ones that link to some others.
    assert set(crawl.urls()) <= set(stage.truth()) - set(known)
    assert len(crawl.urls()) > len(stage.truth()) // 2


def test_harvesters_leave_after_their_packets_and_the_next_run_goes_on(tmp_path: Path) -> None:
    """batch-count: each harvester does so many visits and goes; what is left waits."""
    with simulated_web(tmp_path, PLAIN) as stage:
        crawl = stage.crawl(pace=Pace(max_reqs=5))
        printed = crawl.run("--batch-count", "3", ends=Exit.LIMIT)
        assert "every harvester has done its packets" in printed
        assert {entry.visit for entry in crawl.requests()} == {"1", "2", "3"}
        assert len(crawl.urls()) < len(stage.truth())
        crawl.run("--batch-count", "default")
    assert stage.truth() == crawl.urls()
    assert stage.violations(Pace(max_reqs=5)) == []


def test_time_and_bytes_end_a_crawl(tmp_path: Path) -> None:
    with simulated_web(tmp_path, PLAIN) as stage:
        crawl = stage.crawl(pace=Pace(req_delay=0.2))
        assert "time limit reached" in crawl.run("--max-seconds", "1s", ends=Exit.LIMIT)
        assert "limit reached" in crawl.run(
            "--max-bytes", "20kB", "--max-seconds", "default", ends=Exit.LIMIT
        )
        assert len(crawl.urls()) < len(stage.truth())
    assert stage.violations(Pace(req_delay=0.2)) == []


def test_seeds_can_be_added_but_only_when_that_is_said(tmp_path: Path) -> None:
    with simulated_web(tmp_path, replace(PLAIN, external_share=0.0)) as stage:
        crawl = stage.crawl([stage.web.home_of(0)])
        crawl.run()
        assert {host_of(url) for url in crawl.urls()} == {stage.web.hosts.at(0).name}
        crawl.seeds = [stage.web.home_of(1)]
        crawl.start()
        assert crawl.wait() == 2
        assert "--add-seeds" in crawl.console
        crawl.run("--add-seeds")
        assert {host_of(url) for url in crawl.urls()} == {stage.web.hosts.at(i).name for i in (0, 1)}
    assert stage.violations() == []


def test_files_of_this_machine_can_be_crawled(tmp_path: Path) -> None:
    """A site on disk is read like one on the web; what it links to elsewhere is out of bounds."""
    site = tmp_path / "site"
    (site / "deeper").mkdir(parents=True)
    (site / "index.html").write_text(
        "<title>Home</title><p>The first page has some text to keep.</p>"
        "<a href='deeper/second.html'>on</a> <a href='http://elsewhere.example/'>out</a> "
        "<a href='gone.html'>x</a>"
    )
    (site / "deeper" / "second.html").write_text(
        "<title>Second</title><p>The second page, with more text.</p>"
    )
    settings: dict[str, object] = {
        **Pace().settings(),
        "crawl.contact": "crawl@example.org",
        "crawl.rehearsal": "true",
        "fetch.allow_networks": "127.0.0.0/8",
        "scope.schemes": "file",
    }
    crawl = Crawl(tmp_path / "crawl", [f"file://{site}/index.html"], settings)
    try:
        crawl.run()
    finally:
        crawl.end()
    assert crawl.urls() == [f"file://{site}/deeper/second.html", f"file://{site}/index.html"]
    texts = {document["title"]: document["paragraphs"] for document in crawl.documents()}
    assert texts["Second"] == ["The second page, with more text."]
    assert "http_404" in crawl.console
