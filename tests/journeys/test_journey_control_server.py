"""Crawls run from a control server are crawls like any other: they start, obey, and outlive it."""

import time
from dataclasses import replace
from pathlib import Path

import httpx
import psutil
import pytest
from journey_control import ControlServer, control_server, no_crawl_left, plan
from journey_crawl import SMALL, simulated_web, tiptoe, wait_until

from tiptoe.keeper.directory import find_keeper

pytestmark = pytest.mark.journey

LONG = replace(SMALL, hosts=6, hosts_per_address=1, pages_per_host=60, redirect_share=0.0, gone_share=0.0)

RULES = ("/robots.txt", "/.well-known/tdmrep.json")
"""Asked of every host before it is known whether there is anything to ask for."""


def state_of(api: httpx.Client, name: str) -> str:
    return str(api.get(f"/crawls/{name}").json()["summary"]["state"])


def test_a_crawl_is_planned_started_told_and_outlives_the_server(tmp_path: Path) -> None:
    """By the API, by `tiptoe control`, and by the servers' own record."""
    with simulated_web(tmp_path, LONG) as stage, no_crawl_left(tmp_path):
        with control_server(tmp_path, "--dir", "control") as server, server.begin() as api:
            wish = plan(stage, "news", politeness__req_delay="200ms")
            assert api.post("/crawls", json=wish).status_code == 201
            denied = stage.web.hosts.at(1).name
            assert api.put("/crawls/news/filters", json={"files": _filters(denied)}).status_code == 200
            started = api.post("/crawls/news/start").json()
            assert started.get("message") == "news is crawling", started
            _look_at_filters_and_hours(api)
            assert api.post("/crawls/news/start").status_code == 409
            wait_until(lambda: api.get("/crawls/news").json()["summary"]["pages"] > 5, "pages")
            host = stage.web.hosts.at(0).name
            blocked_at = _commands(server, api, host)
            pid = api.get("/crawls/news").json()["pid"]
            server.kill()
        directory = tmp_path / "control" / "crawls" / "news"
        assert find_keeper(directory) == pid  # it goes on without the server
        with control_server(tmp_path, "--dir", "control", is_new=False) as again:
            again.token = server.token
            with again.program() as api:
                wait_until(lambda: state_of(api, "news") in ("running", "waiting"), "the crawl")
                assert api.post("/crawls/news/stop").status_code == 200
                wait_until(lambda: state_of(api, "news") == "stopped", "its end")
        wait_until(lambda: not psutil.pid_exists(pid), "its process")
    asked = [arrival.arrived_at for arrival in stage.arrivals() if arrival.host == host]
    assert [moment for moment in asked if moment > blocked_at] == []
    pages = {arrival.host for arrival in stage.arrivals() if arrival.target not in RULES}
    assert (host in pages, denied in pages) == (True, False)


def _filters(host: str) -> dict[str, str]:
    """Return files that deny a host to both chains."""
    deny = f"MetaData fn=filter-by-exact src=host deny={host}"
    links = "Enumerate fn=enumerate-urls max=1024"
    return {
        "filter.conf": f"<Filter name=enumeration-default>\n{deny}\n{links}\n</Filter>\n"
        f"<Filter name=generation-default>\n{deny}\n</Filter>\n"
    }


def _look_at_filters_and_hours(api: httpx.Client) -> None:
    """What was kept is in force, and hours of a running crawl change at once."""
    view = api.get("/crawls/news/filters").json()
    assert [line["place"] for line in view["lines"]] == ["filter.conf:2", "filter.conf:3", "filter.conf:6"]
    assert not view["is_pending"]
    hours = ["mon-fri", "sat,sun"]
    changes = api.put("/crawls/news/schedule", json={"schedule": hours}).json()["changes"]
    assert changes == {"crawl.schedule": hours}
    assert api.get("/crawls/news/schedule").json()["days"][0]["message"] == "all day"


def _commands(server: ControlServer, api: httpx.Client, host: str) -> float:
    """Pause, resume, change and block from the command line; return when the host was blocked."""

    def control(word: str, *words: str) -> str:
        where = ["--server", server.url, "--token-file", str(server.token_file)]
        done = tiptoe("control", word, *words, *where)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "is paused" in control("pause", "news")
    wait_until(lambda: state_of(api, "news") == "paused", "the pause")
    assert "goes on" in control("resume", "news")
    assert "politeness.max_reqs 20 -> 40" in control("set", "news", "politeness.max_reqs=40")
    assert f"{host} gets no more requests" in control("block", "news", host)
    blocked_at = time.time()
    assert "news" in control("crawls")
    lines = api.get("/trail").json()
    assert [line["action"] for line in lines][:4] == [
        "host.block",
        "setting.live",
        "crawl.resume",
        "crawl.pause",
    ]
    wrong = tiptoe(
        "control", "pause", "nothing", "--server", server.url, "--token-file", str(server.token_file)
    )
    assert (wrong.returncode, "there is no crawl 'nothing' here" in wrong.stderr) == (2, True)
    return blocked_at
