"""A word to a running crawl acts at once: seen from the servers, not from our own figures."""

import itertools
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, Pace, Stage, simulated_web, tiptoe, wait_until

from tiptoe.cli.exits import Exit
from tiptoe.keeper.directory import find_keeper

pytestmark = pytest.mark.journey

LONG = replace(SMALL, hosts=4, hosts_per_address=2, pages_per_host=70, redirect_share=0.0, gone_share=0.0)
"""Two addresses that keep a crawl busy for some seconds."""

PACE = Pace(req_delay=0.1)
"""Slow enough that a command comes in time; `finish` takes the rest faster."""


def finish(crawl: Crawl) -> None:
    """Stop the crawl and let the same command take the rest at a quicker pace."""
    crawl.tell("stop")
    crawl.settings.update(Pace().settings())
    crawl.run()


def asked_after(stage: Stage, moment: float, host: str = "") -> int:
    """Count the requests that reached a host, or any, after a moment."""
    return sum(arrival.arrived_at > moment for arrival in stage.arrivals() if host in ("", arrival.host))


def test_a_blocked_host_is_not_asked_until_it_is_unblocked(tmp_path: Path) -> None:
    """Whoever complains is left in peace from this moment on; others do not notice."""
    with simulated_web(tmp_path, LONG) as stage:
        host = stage.web.hosts.at(0).name
        crawl = stage.crawl(pace=PACE)
        crawl.start()
        crawl.wait_for_lines(20)
        assert crawl.tell("block", host) == f"{host} gets no more requests\n"
        blocked_at = time.time()
        crawl.wait_for_lines(crawl.request_lines() + 20)
        unblocked_at = time.time()
        crawl.tell("unblock", host)
        finish(crawl)
    asked = [arrival.arrived_at for arrival in stage.arrivals() if arrival.host == host]
    assert any(moment < blocked_at for moment in asked)
    assert [moment for moment in asked if blocked_at < moment < unblocked_at] == []
    assert stage.truth() == crawl.urls()
    assert stage.violations() == []


def test_a_blocked_address_is_not_asked_under_any_name(tmp_path: Path) -> None:
    with simulated_web(tmp_path, LONG) as stage:
        address = stage.web.address_of(stage.web.hosts.at(0).name)
        assert address is not None
        crawl = stage.crawl(pace=PACE)
        crawl.start()
        crawl.wait_for_lines(20)
        crawl.tell("block", address)
        blocked_at = time.time()
        crawl.wait_for_lines(crawl.request_lines() + 20)
        unblocked_at = time.time()
        crawl.tell("unblock", address)
        finish(crawl)
    asked = [arrival.arrived_at for arrival in stage.arrivals() if arrival.address == address]
    assert [moment for moment in asked if blocked_at < moment < unblocked_at] == []
    assert stage.truth() == crawl.urls()
    assert stage.violations() == []


def test_a_paused_crawl_asks_nobody_and_goes_on_when_told(tmp_path: Path) -> None:
    with simulated_web(tmp_path, LONG) as stage:
        crawl = stage.crawl(pace=PACE)
        crawl.start()
        crawl.wait_for_lines(20)
        assert crawl.tell("pause") == "no further request is made until `tiptoe resume`\n"
        paused_at = time.time()
        figures = crawl.status()
        assert figures["holds"] == ["operator"]
        # Long enough for many requests at this pace.
        time.sleep(1.0)
        resumed_at = time.time()
        assert crawl.tell("resume") == "the crawl goes on\n"
        crawl.wait_for_lines(crawl.request_lines() + 5)
        finish(crawl)
    moments = [arrival.arrived_at for arrival in stage.arrivals()]
    assert [moment for moment in moments if paused_at < moment < resumed_at] == []
    assert any(moment > resumed_at for moment in moments)
    assert stage.truth() == crawl.urls()
    assert stage.violations() == []


def test_a_slowed_host_is_asked_more_rarely_at_once(tmp_path: Path) -> None:
    with simulated_web(tmp_path, LONG) as stage:
        host = stage.web.hosts.at(1).name
        crawl = stage.crawl(pace=PACE)
        crawl.start()
        crawl.wait_for_lines(20)
        assert crawl.tell("slow", host, "--delay", "400ms") == f"{host} gets requests at most every 0.4 s\n"
        slowed_at = time.time()
        crawl.wait_for_lines(crawl.request_lines(host) + 4, host)
        crawl.tell("stop")
    seen = sorted(arrival for arrival in stage.arrivals() if arrival.host == host)
    later = [arrival for arrival in seen if arrival.arrived_at > slowed_at]
    assert len(later) > 1
    gaps = [b.arrived_at - a.answered_at for a, b in itertools.pairwise(later)]
    assert min(gaps) >= 0.4
    assert stage.violations() == []


def test_stop_waits_until_everything_is_committed(tmp_path: Path) -> None:
    with simulated_web(tmp_path, LONG) as stage:
        crawl = stage.crawl(pace=PACE)
        crawl.start()
        crawl.wait_for_lines(40)
        printed = crawl.tell("stop")
        stopped_at = time.time()
        assert printed.endswith("stopped\n")
        assert crawl.wait() == Exit.INTERRUPTED
        assert crawl.open_files() == []
        first = crawl.urls()
        assert 0 < len(first) < len(stage.truth())
        wait_until(lambda: len(stage.arrivals()) >= crawl.request_lines(), "the servers' record")
        assert asked_after(stage, stopped_at) == 0
        crawl.settings.update(Pace().settings())
        crawl.run()
    assert stage.truth() == crawl.urls()
    assert stage.violations() == []


def test_a_crawl_in_the_background_can_be_watched_and_stopped(tmp_path: Path) -> None:
    """It goes on after the shell that started it; the directory is all one needs to know."""
    with simulated_web(tmp_path, LONG) as stage:
        crawl = stage.crawl(pace=PACE)
        printed = crawl.run("--background")
        assert "in the background as process" in printed
        pid = find_keeper(crawl.out)
        assert pid is not None
        assert str(pid) in printed
        crawl.wait_for_lines(20)
        figures = crawl.status()
        assert figures["harvesters"] == 1
        assert figures["requests"] > 0
        crawl.tell("stop")
        assert find_keeper(crawl.out) is None
        wait_until(lambda: "The crawl has ended" in console_of(crawl.out), "the summary")
    assert stage.violations() == []
    assert set(crawl.urls()) < set(stage.truth())


def console_of(out: Path) -> str:
    return (out / "log" / "console.log").read_text()


def test_words_that_make_no_sense_are_refused_in_one_line(tmp_path: Path) -> None:
    with simulated_web(tmp_path, LONG) as stage:
        crawl = stage.crawl(pace=PACE)
        crawl.start()
        crawl.wait_for_lines(5)
        for words in (("block", "http://a.example/x"), ("slow", "a.example", "--delay", "soon")):
            done = crawl.try_tell(*words)
            assert done.returncode == 2
            assert len(done.stderr.splitlines()) == 1, done.stderr
        crawl.tell("stop")
    done = tiptoe("status", str(crawl.out))
    assert done.returncode == 2
    assert "no crawl is running there" in done.stderr


def test_a_stop_breaks_off_what_silent_servers_keep_waiting_and_nobody_is_killed(tmp_path: Path) -> None:
    """A stop is over in half a minute, and the log then says how each request ended."""
    shape = replace(LONG, silent_host_share=0.5, hosts=8)
    with simulated_web(tmp_path, shape) as stage:
        crawl = stage.crawl(pace=PACE)
        crawl.start()
        crawl.wait_for_lines(3)  # of one host; others keep silent meanwhile
        crawl.tell("stop")
        assert crawl.wait() == Exit.INTERRUPTED
        broken_off = [entry.host for entry in crawl.requests() if entry.failure == "harvester_lost"]
    assert broken_off
    assert list((crawl.out / "log").glob("*.underway")) == []
    assert "0 violations" in tiptoe("audit", str(crawl.out)).stdout
    assert stage.violations() == []


def test_another_pace_for_all_holds_at_once_and_is_proved_by_the_log(tmp_path: Path) -> None:
    """Whoever sets it need not stop the crawl, and a webmaster can be shown that it was kept."""
    with simulated_web(tmp_path, LONG) as stage:
        crawl = stage.crawl(pace=PACE)
        crawl.start()
        crawl.wait_for_lines(20)
        told = tiptoe("set", str(crawl.out), "politeness.req_delay=400ms", "politeness.general_pause=700ms")
        slowed_at = time.time()
        assert "politeness.req_delay 100ms -> 400ms" in told.stdout, told.stderr
        crawl.wait_for_lines(crawl.request_lines() + 8)
        slow_until = time.time()
        refused = tiptoe("set", str(crawl.out), "crawl.max_pages=1", "fetch.proxy=http://127.0.0.1:1")
        assert refused.returncode == Exit.MISTAKEN
        assert "cannot be changed while the crawl runs" in refused.stderr
        again = tiptoe("set", str(crawl.out), "politeness.req_delay=100ms", "harvest.harvesters=2")
        assert again.returncode == 0, again.stderr
        crawl.status_when(lambda figures: figures["harvesters"] == 2, "a second harvester")
        crawl.wait_for_lines(crawl.request_lines() + 5)
        crawl.tell("stop")
    seen = sorted(stage.arrivals(), key=lambda arrival: (arrival.host, arrival.arrived_at))
    gaps = [
        later.arrived_at - earlier.answered_at
        for earlier, later in itertools.pairwise(seen)
        if earlier.host == later.host and slowed_at < later.arrived_at < slow_until
    ]
    assert len(gaps) > 3
    assert min(gaps) >= 0.4
    audited = tiptoe("audit", str(crawl.out), "--json")
    assert audited.returncode == 0, audited.stdout
    assert [terms["req_delay"] for terms in json.loads(audited.stdout)["terms"]][:2] == [0.1, 0.4]
    remembered = json.loads(tiptoe("config", str(crawl.out), "--format", "json").stdout)
    values = {setting["name"]: (setting["written"], setting["live"]) for setting in remembered}
    assert values["politeness.general_pause"] == ("700ms", True)
    assert values["harvest.harvesters"] == ("2", True)
    assert values["fetch.proxy"][1] is False
