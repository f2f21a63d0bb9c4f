"""Whoever looks at a crawl is told what it waits for; it does not wait for what will not come."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import SMALL, Pace, simulated_web, tiptoe, wait_until
from journey_servers import Talk, Visitor, html, scripted_server
from test_journey_hostile import crawl_of

from tiptoe.cli.exits import Exit
from tiptoe.url.address import host_of

pytestmark = pytest.mark.journey

NOBODY = "http://nobody.example/"


def busy(visitor: Visitor) -> None:
    visitor.say(b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n")


def test_a_crawl_that_stands_still_says_why_wherever_it_is_asked(tmp_path: Path) -> None:
    """On its console, to `tiptoe status` and in its log: an hour of silence looks like a crash."""
    scripts: dict[str, Talk] = {"/": html(b"<a href=/1>one</a> <a href=/2>two</a>"), "/1": busy, "/2": busy}
    with (
        scripted_server(scripts) as server,
        crawl_of(tmp_path, server.origin + "/", politeness__retry_after_max="2h") as crawl,
    ):
        said = f"{host_of(server.origin + '/')} asked us to wait"
        crawl.start()
        log = crawl.out / "log" / "keeper.log"
        wait_until(lambda: log.exists() and "crawl.waits" in log.read_text(), "the log to tell")
        assert said in log.read_text()
        wait_until(lambda: said in crawl.console, "the console to tell")
        assert said in crawl.tell("status")
        (reason,) = [reason for reason in crawl.status()["waiting"]["reasons"] if reason["cause"] == "peace"]
        assert 3000 < reason["next_at"] - time.time() <= 3600
        crawl.tell("stop")
        assert crawl.wait() == Exit.INTERRUPTED


def test_a_dead_seed_is_told_while_others_are_crawled(tmp_path: Path) -> None:
    """Not at the end of a crawl of weeks: it may be mistyped."""
    with simulated_web(tmp_path, replace(SMALL, hosts=2, pages_per_host=200)) as stage:
        crawl = stage.crawl([*stage.homes(), NOBODY], pace=Pace(req_delay=0.2))
        crawl.settings.update({"politeness.backoff_first": "20s", "politeness.backoff_max": "1h"})
        crawl.start()
        wait_until(lambda: f"seed {NOBODY}: name not found" in crawl.console, "the seed to be told")
        assert crawl.process is not None
        assert crawl.process.poll() is None
        crawl.tell("stop")
        crawl.wait()


def test_a_crawl_does_not_stand_still_for_dead_links(tmp_path: Path) -> None:
    """Nearly every site has one; nothing else is left to ask for, and nobody will answer."""
    with simulated_web(tmp_path, replace(SMALL, hosts=2, pages_per_host=5)) as stage:
        crawl = stage.crawl([*stage.homes(), NOBODY])
        crawl.settings.update({"politeness.backoff_first": "2s", "politeness.backoff_max": "1h"})
        began = time.monotonic()
        crawl.run()
        assert time.monotonic() - began < 30.0, "half an hour, where a minute is two seconds"
        assert tiptoe("status", str(crawl.out)).returncode == Exit.MISTAKEN  # nobody waits any more
    assert stage.truth() == crawl.urls()
