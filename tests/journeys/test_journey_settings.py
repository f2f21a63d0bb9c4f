"""A directory remembers how its crawl was set, whatever happens to the processes."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, Pace, simulated_web, tiptoe
from journey_servers import scripted_server

from tiptoe.cli.exits import Exit
from tiptoe.url.address import host_of

pytestmark = pytest.mark.journey

PLAIN = replace(SMALL, redirect_share=0.0, gone_share=0.0)
FEW = replace(PLAIN, hosts=4, pages_per_host=5)


def in_force(crawl: Crawl) -> dict[str, tuple[object, str]]:
    """Return the value of each setting, and who set it."""
    rows = json.loads(tiptoe("config", str(crawl.out), "--format", "json").stdout)
    return {row["name"]: (row["value"], row["origin"]) for row in rows}


def test_the_directory_alone_goes_on_within_the_same_bounds(tmp_path: Path) -> None:
    """HAR-4: limits and scope hold, nobody outside is asked, at the pace that was set."""
    with simulated_web(tmp_path, PLAIN) as stage:
        first = stage.web.hosts.at(0).name
        crawl = stage.crawl([stage.web.home_of(0)])
        crawl.run("--include", f"^{first}$", "--max-pages", "5", ends=Exit.LIMIT)
        printed = crawl.go_on(ends=Exit.LIMIT)
        assert "crawl.max_pages = 5 (remembered)" in printed
        assert "changed since" not in printed
        assert len(crawl.urls()) == 5
        printed = crawl.go_on("--max-pages", "7", ends=Exit.LIMIT)
        assert "changed since the last run: crawl.max_pages 5 -> 7\n" in printed
        assert len(crawl.urls()) == 7
        assert in_force(crawl)["crawl.max_pages"] == (7, "remembered")
        assert in_force(crawl)["scope.include"] == ([f"^{first}$"], "remembered")
        assert in_force(crawl)["scope.exclude"] == ([], "default")
        crawl.go_on("--max-pages", "default")
        assert in_force(crawl)["crawl.max_pages"] == (0, "default")
        crawl.go_on("--set", "scope.include=default")
        assert in_force(crawl)["scope.include"] == ([], "default")
    assert {host_of(url) for url in crawl.urls()} == {first}
    assert {arrival.host for arrival in stage.arrivals()} == {first}
    assert stage.violations() == []


def test_what_is_tried_by_config_is_not_remembered(tmp_path: Path) -> None:
    with simulated_web(tmp_path, FEW) as stage:
        crawl = stage.crawl()
        crawl.run()
        shown = json.loads(tiptoe("config", str(crawl.out), "--max-pages", "9", "--format", "json").stdout)
        (row,) = [row for row in shown if row["name"] == "crawl.max_pages"]
        assert (row["value"], row["origin"]) == (9, "--max-pages")
        assert in_force(crawl)["crawl.max_pages"] == (0, "default")
        assert tiptoe("config", str(tmp_path / "nowhere")).returncode == Exit.MISTAKEN


@pytest.mark.parametrize(
    ("option", "both"),
    [
        (("--name", "other"), ("other", "tiptoe")),
        (("--set", "write.encoding=iso-8859-2"), ("iso-8859-2", "utf-8")),
    ],
)
def test_what_must_not_change_is_refused_and_nothing_is_touched(
    tmp_path: Path, option: tuple[str, ...], both: tuple[str, str]
) -> None:
    with simulated_web(tmp_path, FEW) as stage:
        crawl = stage.crawl()
        crawl.run()
        asked = crawl.request_lines()
        before = (crawl.out / "state" / "settings.json").read_bytes()
        done = tiptoe("crawl", "--out", str(crawl.out), *option)
        assert done.returncode == Exit.MISTAKEN, done.stdout
        assert all(value in done.stderr.lower() for value in both), done.stderr
        assert (crawl.out / "state" / "settings.json").read_bytes() == before
        assert crawl.request_lines() == asked


@pytest.mark.parametrize("damage", ["cut", "gone", "emptied"])
def test_a_crawl_whose_settings_are_damaged_asks_nobody(tmp_path: Path, damage: str) -> None:
    """Never a crawl of the whole world by default; with all said anew it goes on."""
    with simulated_web(tmp_path, FEW) as stage:
        crawl = stage.crawl()
        crawl.run("--max-pages", "3", ends=Exit.LIMIT)
        asked = crawl.request_lines()
        path = crawl.out / "state" / "settings.json"
        if damage == "gone":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[: 0 if damage == "emptied" else 40])
        for words in (("crawl", "--out"), ("config",), ("convert",)):
            done = tiptoe(*words, str(crawl.out))
            assert done.returncode == Exit.MISTAKEN, done.stdout
            assert "settings.json" in done.stderr
            assert "Traceback" not in done.stderr
        assert crawl.request_lines() == asked
        crawl.run("--forget-settings")
        assert stage.truth() == crawl.urls()
        crawl.go_on()


@pytest.mark.parametrize("seconds", [0.05, 0.1, 0.2, 0.3, 0.4, 0.6])
def test_killed_at_any_moment_the_settings_are_the_old_or_the_new(tmp_path: Path, seconds: float) -> None:
    with simulated_web(tmp_path, FEW) as stage:
        crawl = stage.crawl(pace=Pace(req_delay=0.1))
        crawl.start("--max-pages", "6")
        time.sleep(seconds)
        crawl.kill_all()
        if not (crawl.out / "crawl.json").exists():
            assert (
                "no crawl to continue"
                in tiptoe("crawl", "--out", str(crawl.out), "--contact", "a@b.cz").stderr
            )
            assert crawl.request_lines() == 0
            return
        assert in_force(crawl)["crawl.max_pages"] == (6, "remembered")
        crawl.start("--max-pages", "9")
        time.sleep(seconds)
        crawl.kill_all()
        pages, origin = in_force(crawl)["crawl.max_pages"]
        assert pages in (6, 9)
        assert origin == "remembered"
        crawl.go_on(ends=Exit.LIMIT)
        assert len(crawl.urls()) == pages
    assert stage.violations(Pace(req_delay=0.1)) == []


def test_a_host_in_our_own_network_comes_back_when_it_is_allowed(tmp_path: Path) -> None:
    """What was refused for our own sake is asked for when we say so."""
    page = b"<title>Ours</title><p>A page of the house, with a text that is long enough.</p>"
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(page) + page
    with scripted_server({"/": lambda visitor: visitor.say(answer)}) as server:
        settings: dict[str, object] = {"crawl.contact": "crawl@example.org"}
        crawl = Crawl(tmp_path / "crawl", [f"{server.origin}/"], settings)
        try:
            printed = crawl.run(ends=Exit.NOTHING)
            assert "--set fetch.allow_networks=" in printed
            assert server.asked == []
            again = crawl.go_on(ends=Exit.NOTHING)  # nothing has changed
            assert "a setting has changed" not in again
            printed = crawl.go_on("--set", "fetch.allow_networks=127.0.0.0/8", "--general-pause", "1s")
        finally:
            crawl.end()
    assert "fetch.allow_networks none -> 127.0.0.0/8" in printed
    assert "private_address 1" in printed
    assert crawl.urls() == [f"{server.origin}/"]


def test_a_name_server_that_is_back_brings_everybody_back(tmp_path: Path) -> None:
    with simulated_web(tmp_path, FEW) as stage:
        crawl = stage.crawl()
        known = crawl.settings["fetch.nameservers"]
        crawl.settings["fetch.nameservers"] = "127.0.0.1:9"
        assert "dns_failed" in crawl.run(ends=Exit.NOTHING)
        printed = crawl.go_on("--set", f"fetch.nameservers={known}")
        assert "a setting has changed" in printed
    assert stage.truth() == crawl.urls()
    assert stage.violations() == []


def test_a_host_that_the_settings_no_longer_block_is_asked(tmp_path: Path) -> None:
    with simulated_web(tmp_path, FEW) as stage:
        blocked = stage.web.hosts.at(1).name
        crawl = stage.crawl()
        crawl.run("--set", f"politeness.blocked_hosts={blocked}")
        assert blocked not in {host_of(url) for url in crawl.urls()}
        crawl.go_on()
        assert blocked not in {host_of(url) for url in crawl.urls()}
        crawl.go_on("--set", "politeness.blocked_hosts=default")
    assert stage.truth() == crawl.urls()
    assert stage.violations() == []


def test_seeds_that_lay_out_of_bounds_are_asked_for_when_these_are_widened(tmp_path: Path) -> None:
    with simulated_web(tmp_path, replace(FEW, external_share=0.0)) as stage:
        first = stage.web.hosts.at(0).name
        crawl = stage.crawl()
        crawl.run("--include", f"^{first}$")
        assert {host_of(url) for url in crawl.urls()} == {first}
        crawl.go_on("--include", "default")
    assert stage.truth() == crawl.urls()


def test_an_address_without_a_scheme_is_crawled(tmp_path: Path) -> None:
    with simulated_web(tmp_path, FEW) as stage:
        name = stage.web.hosts.at(0).name
        crawl = stage.crawl([name])
        printed = crawl.run("--include", f"^{name}$")
        assert f"{name} is taken as http://{name}/" in printed
        assert crawl.urls()
