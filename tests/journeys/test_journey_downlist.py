"""Robots that share no cluster exchange their lists and download nothing twice."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, simulated_web, tiptoe, wait_until

from tiptoe.keeper.list_exchange import exchange_lists

pytestmark = pytest.mark.journey

WEB = replace(SMALL, hosts=5, pages_per_host=4, redirect_share=0.0, gone_share=0.0)


def exchange(tmp_path: Path, robots: list[Crawl]) -> None:
    exchange_lists({robot.out.name: robot.out for robot in robots}, tmp_path / "all.list", since={})


def downloads(robots: list[Crawl]) -> Counter[str]:
    """Count who asked for what; the rules of hosts everybody reads for himself."""
    entries = [entry for robot in robots for entry in robot.requests()]
    return Counter(entry.url for entry in entries if entry.purpose in ("page", "sitemap", "feed"))


def test_three_robots_on_overlapping_seeds_download_nothing_twice(tmp_path: Path) -> None:
    """All that can be reached, each page by one of them, whoever met it first."""
    with simulated_web(tmp_path, WEB) as stage:
        homes = stage.homes()
        robots = [
            stage.crawl(some, name=name, crawl__claims="true")
            for name, some in {"a": homes[:3], "b": homes[2:], "c": homes[1:4]}.items()
        ]
        for robot in robots:
            robot.folder = robot.out.with_suffix(".console")
            robot.folder.mkdir()
            robot.start()
            wait_until((robot.out / "state" / "keeper.sock").exists, "its socket")
        assert sum(robot.request_lines() for robot in robots) == 0, "nobody asks before the first exchange"
        for _ in range(60):
            exchange(tmp_path, robots)
            if all(robot.process is not None and robot.process.poll() is not None for robot in robots):
                break
        for robot in robots:
            assert robot.wait() == 0, robot.console
        directories = [str(robot.out) for robot in robots]
        done = tiptoe("downlist", "exchange", *directories, "--known", str(tmp_path / "all.list"))
    assert {url: count for url, count in downloads(robots).items() if count > 1} == {}
    assert "0 by more than one robot" in done.stdout, done.stderr
    assert sorted(url for robot in robots for url in robot.urls()) == stage.truth()
    assert all(robot.urls() for robot in robots), "all of them have worked"
