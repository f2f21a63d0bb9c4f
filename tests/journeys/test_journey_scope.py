"""A crawl goes where it is told to, and nowhere else."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import SMALL, simulated_web, tiptoe

from simulated.truth import reachable
from tiptoe.cli.exits import Exit
from tiptoe.url.address import host_of

EVEN = re.compile(r"[02468]\.html$")

pytestmark = pytest.mark.journey

PLAIN = replace(SMALL, redirect_share=0.0, gone_share=0.0)


def test_a_crawl_stays_near_its_seeds_and_a_list_is_all_there_is(tmp_path: Path) -> None:
    """Harvesters do not know the seeds, and the next run is not told them again."""
    with simulated_web(tmp_path, PLAIN) as stage:
        home = stage.web.home_of(0)
        near = stage.crawl([home.removeprefix("http://")])
        printed = near.run("--same-host", "--exclude-url", EVEN.pattern, "--max-pages", "2", ends=Exit.LIMIT)
        assert f"is taken as {home}" in printed
        near.go_on("--max-pages", "default")
        host = host_of(home)
        expected = reachable(
            stage.web, [home],
            is_in_scope=lambda url: url == home or (host_of(url) == host and not EVEN.search(url)),
        )  # fmt: skip
        assert len(expected) > 2
        assert sorted(expected) == near.urls()
        left_out = stage.web.graph.url_of(stage.web.hosts.at(0), 2)
        why = tiptoe("why", left_out, str(near.out)).stdout
        assert f"{left_out} was never found" in why
        assert "scope.exclude_urls leaves it out: [02468]\\.html$ is found" in why
        assert "It was sent" in tiptoe("why", host, str(near.out)).stdout
        explained = tiptoe("scope", "explain", stage.web.home_of(1), str(near.out))
        assert explained.returncode == Exit.FAULT
        assert "is refused by scope.within" in explained.stdout

        wanted = [stage.web.graph.url_of(stage.web.hosts.at(1), number) for number in (1, 2)]
        (tmp_path / "list.txt").write_text("\n".join(wanted))
        listed = stage.crawl([str(tmp_path / "list.txt")], name="listed")
        assert "scope.follow excludes links from there" in listed.run("--list")
        assert sorted(wanted) == listed.urls()
    asked = {arrival.url for arrival in stage.arrivals() if arrival.host != host}
    assert {url for url in asked if "robots.txt" not in url and "tdmrep" not in url} == set(wanted)
    assert stage.violations() == []
