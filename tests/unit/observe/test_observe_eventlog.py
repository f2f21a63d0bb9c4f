"""One line an event, for people and for grep."""

import io
import re
from pathlib import Path

from tiptoe.observe.eventlog import EventLog


def test_a_line_has_moment_process_event_and_facts() -> None:
    """`sort -m log/*.log` merges the logs of all processes (HAR-7)."""
    file = io.StringIO()
    EventLog("h1", file).note("host.parked", host="a.example", fetched=112, seconds=1.23456)
    moment, rest = file.getvalue().split(" ", 1)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", moment)
    assert rest == "h1 host.parked host=a.example fetched=112 seconds=1.235\n"


def test_an_event_is_one_line_whatever_its_facts_say() -> None:
    """A server can put anything into an error message."""
    file = io.StringIO()
    EventLog("h1", file).note("x", reason='it said "no"\nforged line', empty="")
    assert file.getvalue().count("\n") == 1
    assert file.getvalue().endswith("""x reason="it said 'no' forged line" empty=""\n""")


def test_what_a_terminal_would_obey_or_a_file_cannot_hold_is_replaced(tmp_path: Path) -> None:
    """Logs are looked at on a terminal; half a character must not end the process that notes it."""
    log = EventLog.at(tmp_path / "x.log", "h1")
    log.note("x", reason="\x1b[2Jgone\r", path="/data/\udcff")
    log.close()
    assert (tmp_path / "x.log").read_text().endswith(" x reason=\ufffd[2Jgone\ufffd path=/data/\ufffd\n")


def test_an_event_without_facts_has_no_trailing_space() -> None:
    """Small things make a log readable."""
    file = io.StringIO()
    EventLog("h1", file).note("keeper.gone")
    assert file.getvalue().endswith(" h1 keeper.gone\n")


def test_a_log_is_continued(tmp_path: Path) -> None:
    """A crawl has many runs, and each line is on disk at once."""
    path = tmp_path / "log" / "keeper.log"
    first = EventLog.at(path, "keeper")
    first.note("one")
    assert path.read_text().endswith("one\n")
    first.close()
    second = EventLog.at(path, "keeper")
    second.note("two")
    second.close()
    assert [line.split()[-1] for line in path.read_text().splitlines()] == ["one", "two"]


class FullDisk(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.refused: list[str] = []

    def write(self, text: str) -> int:
        self.refused.append(text)
        raise OSError(28, "No space left on device")


def test_a_full_disk_does_not_stop_the_crawl_for_the_sake_of_its_log() -> None:
    """The event that tells of it is often the first to find no room."""
    disk = FullDisk()
    EventLog("h1", disk).note("disk.full")
    assert len(disk.refused) == 1
