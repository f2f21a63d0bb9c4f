"""What a crawl does when nothing is left, and at which hours it works."""

import json
import sys
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, simulated_web, tiptoe, wait_until, whole_lines

from tiptoe.settings.opening_hours import DAYS

pytestmark = pytest.mark.journey

TINY = replace(SMALL, hosts=3, pages_per_host=3, redirect_share=0.0, gone_share=0.0, external_share=0.3)


def causes(status: dict[str, object]) -> set[str]:
    waiting = status["waiting"]
    assert isinstance(waiting, dict)
    return {reason["cause"] for reason in waiting["reasons"]}


def noting(folder: Path) -> str:
    """Return a command that notes what it is told."""
    program = folder / "note.py"
    program.write_text(
        "import pathlib, sys\n"
        f"with pathlib.Path({str(folder / 'told.jsonl')!r}).open('a') as file: file.write(sys.stdin.read())\n"
        "print('noted')\n"
    )
    return f"{sys.executable} {program}"


def told(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in whole_lines([folder / "told.jsonl"])]


def logged(crawl: Crawl, event: str) -> int:
    """Count an event in the log of the keeper: cheaper than to ask it."""
    log = crawl.out / "log" / "keeper.log"
    return log.read_text(encoding="utf-8").count(event) if log.exists() else 0


def pages_asked(crawl: Crawl) -> Counter[str]:
    return Counter(entry.url for entry in crawl.requests() if entry.purpose == "page")


def test_an_idle_crawl_stays_for_new_seeds_and_ends_when_told(tmp_path: Path) -> None:
    """Its command hears of each time that nothing was left, and of nothing twice."""
    with simulated_web(tmp_path, TINY) as stage:
        homes = stage.homes()
        crawl = stage.crawl(homes[:1], scope__depth=1, crawl__on_end="idle")
        crawl.settings["crawl.on_end_command"] = noting(tmp_path)
        crawl.start()
        wait_until(lambda: logged(crawl, "crawl.idle") == 1, "idle")
        assert causes(crawl.status()) >= {"idle"}
        assert [one["stopped_because"] for one in told(tmp_path)] == ["finished"]
        first = len(pages_asked(crawl))
        said = tiptoe("crawl", *homes[1:], "--add-seeds", "--out", str(crawl.out))
        assert said.returncode == 0, said.stderr
        assert "new to the crawl that is running" in said.stdout
        wait_until(lambda: logged(crawl, "crawl.idle") == 2, "idle again")
        assert tiptoe("set", str(crawl.out), "crawl.on_end=quit").returncode == 0
        assert crawl.wait() == 0, crawl.console
    assert len(pages_asked(crawl)) > first
    assert len(told(tmp_path)) == 2, "there was nothing new to tell at the end"
    assert logged(crawl, "end_command.said line=noted") == 2
    assert set(json.loads((crawl.out / "crawl.json").read_text())["seeds"]) == set(homes)
    assert stage.violations() == []


def test_a_loop_visits_everything_round_after_round(tmp_path: Path) -> None:
    """Politely, and without a strategy for revisits; what failed is told and changes nothing."""
    with simulated_web(tmp_path, TINY) as stage:
        crawl = stage.crawl(crawl__on_end="loop", crawl__on_end_command="./no-such-program")
        crawl.start()
        wait_until(lambda: logged(crawl, "round.begins") == 2, "the third time")
        crawl.tell("stop")
    asked = pages_asked(crawl)
    assert sorted(asked) == stage.truth()
    assert min(asked.values()) >= 2
    assert len(crawl.urls()) == len(asked), "what has not changed stands in the corpus once"
    assert "crawl.on_end_command cannot be started" in crawl.console
    assert "more times (crawl.on_end)" in crawl.console
    assert stage.violations() == []


def test_a_crawl_starts_again_from_its_seeds_and_stays_polite(tmp_path: Path) -> None:
    """What it has met is forgotten, also the texts; when it asked whom is not."""
    with simulated_web(tmp_path, TINY) as stage:
        crawl = stage.crawl(crawl__on_end="again")
        crawl.start()
        wait_until(lambda: logged(crawl, "crawl.ended because=finished") == 2, "the third time")
        crawl.status_when(bool, "that it has begun, and can be told")
        crawl.tell("stop")
    asked = pages_asked(crawl)
    assert sorted(asked) == stage.truth()
    assert min(asked.values()) >= 2
    assert min(Counter(crawl.urls()).values()) >= 2
    assert "Starting again from 3 seeds" in crawl.console
    assert stage.violations() == []
    audit = tiptoe("audit", str(crawl.out))
    assert audit.returncode == 0, audit.stdout


def test_outside_its_hours_a_crawl_asks_nobody_and_says_until_when(tmp_path: Path) -> None:
    """The hours can be changed while it waits."""
    closed = DAYS[(datetime.now().astimezone().weekday() + 3) % 7]
    with simulated_web(tmp_path, TINY) as stage:
        crawl = stage.crawl(crawl__schedule=f"{closed} 10:00-12:00")
        crawl.start()
        wait_until(lambda: logged(crawl, "schedule.closes") == 1, "the pause")
        status = crawl.status_when(lambda status: status["holds"] == ["schedule"], "the pause")
        [reason] = [one for one in status["waiting"]["reasons"] if one["cause"] == "schedule"]
        opens_at = datetime.fromtimestamp(reason["next_at"]).astimezone()
        assert (DAYS[opens_at.weekday()], opens_at.hour, opens_at.minute) == (closed, 10, 0)
        assert crawl.request_lines() == 0
        assert "outside the hours of crawl.schedule (until " in crawl.tell("status")
        done = tiptoe("set", str(crawl.out), "crawl.schedule=mon-sun; 20:00-24:00")
        assert done.returncode == 0, done.stderr
        assert crawl.wait() == 0, crawl.console
    assert crawl.urls() == stage.truth()
