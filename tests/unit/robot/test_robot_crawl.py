"""What does a robot answer to commands that it cannot carry out, and what does it start its crawl with?"""

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest

from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.protocol.robot_messages import VERBS, OrderedCommand, RobotConfiguration, RobotHello
from tiptoe.robot import line_patience, robot_crawl
from tiptoe.robot.control_line import ControlAddress, ControlLine
from tiptoe.robot.robot_crawl import RobotCrawl
from tiptoe.robot.robot_journal import RobotJournal
from tiptoe.robot.robot_process import RobotPace, RobotProcess


class Launches(list[tuple[KnownCrawl, bool]]):
    """Stands in for the process of a crawl: notes what it would be started with."""

    def __call__(self, processes: object, crawl: KnownCrawl, *, adds_seeds: bool = False) -> None:
        self.append((crawl, adds_seeds))


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> Launches:
    made = Launches()
    monkeypatch.setattr(robot_crawl, "launch", made)
    return made


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_has_a_fate_also_when_there_is_no_crawl(tmp_path: Path, verb: str) -> None:
    """One that raised would be tried for ever, and hold up those behind it."""
    journal = RobotJournal(tmp_path)
    fate = RobotCrawl(tmp_path, journal).carry_out(OrderedCommand(number=3, verb=verb, target="a.example"))  # type: ignore[arg-type]
    assert fate.number == 3
    assert fate.message
    assert fate.is_done is (verb == "stop")  # nothing ran, and nothing runs
    journal.close()


def test_a_crawl_is_started_with_the_configuration_that_came_last(tmp_path: Path, launches: Launches) -> None:
    journal = RobotJournal(tmp_path)
    crawl = RobotCrawl(tmp_path, journal)
    settings: dict[str, str | list[str]] = {"crawl.contact": "https://example.org/bot"}
    journal.take_configuration(RobotConfiguration(version=1, seeds="https://a.example/", settings=settings))
    assert crawl.carry_out(OrderedCommand(number=1, verb="start")).is_done
    (crawl.directory / "state").mkdir(parents=True)
    (crawl.directory / MARKER).write_text("{}")
    filters = {"filter.conf": "<Filter>", "../evil": "x"}
    journal.take_configuration(
        RobotConfiguration(version=2, seeds="https://b.example/", settings=settings, filters=filters)
    )
    assert crawl.carry_out(OrderedCommand(number=2, verb="start")).is_done

    assert [(known.seeds, adds) for known, adds in launches] == [
        ("https://a.example/", False),
        ("https://b.example/", True),  # more of them, for a crawl that has begun
    ]
    assert launches[1][0].settings == {**settings, "filters.dir": str(tmp_path / "filters")}
    assert [path.name for path in (tmp_path / "filters").iterdir()] == ["filter.conf"]
    assert not (tmp_path / "evil").exists()
    assert journal.runs_with.version == 2
    assert journal.is_wanted
    journal.close()


def test_a_start_that_failed_is_wanted_no_longer(tmp_path: Path) -> None:
    """Its operator was told so; one that begins by itself hours later is nobody's wish."""
    journal = RobotJournal(tmp_path)
    fate = RobotCrawl(tmp_path, journal).carry_out(OrderedCommand(number=1, verb="start"))
    assert not fate.is_done
    assert "no configuration" in fate.message
    assert not journal.is_wanted
    journal.close()


def test_a_disk_that_is_full_for_a_while_ends_neither_robot_nor_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be stopped until somebody comes; a server that is away stops nothing either."""
    monkeypatch.setattr(line_patience, "WAIT_SECONDS_FIRST", 0.01)
    journal, closing, told = RobotJournal(tmp_path), threading.Event(), list[str]()
    faults: list[Exception] = [OSError("no space left"), sqlite3.OperationalError("disk is full")]

    def tell(said: str) -> None:
        told.append(said)
        if "works again" in said:
            robot.end()

    def fail_at_first(*words: object) -> None:
        if faults:
            raise faults.pop()

    monkeypatch.setattr(RobotJournal, "next_command", fail_at_first)
    robot = RobotProcess(
        "lab-1", tmp_path, journal,
        # Nobody listens there: it goes on by itself.
        lambda: ControlLine(ControlAddress("http://127.0.0.1:9"), "secret", closing, version="0"),
        hello=RobotHello(incarnation="one"), tell=tell, closing=closing, pace=RobotPace(look=0.01),
    )  # fmt: skip
    asyncio.run(robot.run())
    said = [one for one in told if one.startswith("work: ")]
    assert said == ["work: disk is full", "work: no space left", "work: it works again"]
    journal.close()


def test_a_crawl_that_nobody_has_started_is_planned_not_missing(tmp_path: Path) -> None:
    journal = RobotJournal(tmp_path)
    crawl = RobotCrawl(tmp_path, journal)
    figures = crawl.figures(asyncio.run(crawl.look()))
    assert (figures.state, figures.attention) == ("planned", [])
    journal.close()


def test_a_server_cannot_have_a_robot_run_a_program_or_write_elsewhere(
    tmp_path: Path, launches: Launches
) -> None:
    """Whoever has taken over a control server must not have all machines of its robots."""
    journal = RobotJournal(tmp_path)
    crawl = RobotCrawl(tmp_path, journal)
    for name in ("crawl.on_end_command", "crawl.out", "harvest.token_file"):
        journal.take_configuration(RobotConfiguration(version=1, seeds="x", settings={name: "/bin/sh"}))
        fate = crawl.carry_out(OrderedCommand(number=1, verb="start"))
        assert (fate.is_done, name in fate.message) == (False, True)
        fate = crawl.carry_out(OrderedCommand(number=2, verb="set", settings={name: "/bin/sh"}))
        assert (fate.is_done, name in fate.message) == (False, True)
    said = {"cmd-hook=/bin/sh": "crawl.on_end_command", "depth=3": "names no files of this machine"}
    for process, refusal in said.items():
        files = {
            "process.conf": f'<Process csid="x">\n{process}\n</Process>\n',
            "filter.conf": "<Filter name=a>\nSetup fn=filterrules-setup config=/etc/passwd\n</Filter>\n",
        }
        journal.take_configuration(RobotConfiguration(version=1, seeds="x", filters=files))
        fate = crawl.carry_out(OrderedCommand(number=3, verb="start"))
        assert (fate.is_done, refusal in fate.message) == (False, True)
    assert launches == []
    journal.close()
