"""Every request is in the log, whatever happens to us."""

import os
import signal
from pathlib import Path

import msgspec
import pytest
from write_samples import SmallDisk, make_request

from simulated.proofs import read_requests
from tiptoe.errors import CorruptFile, DiskFull
from tiptoe.observe.cutoff import cut_off
from tiptoe.protocol.work import ShardTime
from tiptoe.write.logclock import LogClock
from tiptoe.write.logentries import ClockEntry, Opening, RobotsEntry, Terms
from tiptoe.write.output_kinds import REQUEST_LOG
from tiptoe.write.requestlog import RequestLog


def test_a_request_is_on_disk_as_soon_as_it_is_logged(tmp_path: Path) -> None:
    """A killed harvester must not hide what it asked."""
    log = RequestLog(tmp_path, "h1-0003")
    log.write_request(make_request())

    (entry,) = read_requests(tmp_path / "log" / "requests-h1-0003.jsonl")
    assert entry == make_request()
    assert entry.seconds == 0.25
    log.sync()
    log.close()


def test_the_first_request_of_a_killed_harvester_is_found_beside_its_log(tmp_path: Path) -> None:
    """Whoever reads logs finds the notes by them: without a log the request would be hidden."""
    child = os.fork()
    if not child:
        log = RequestLog(tmp_path, "h1", terms=TERMS)
        log.begin(log.now(), 7, "a.example", "192.0.2.1", "robots", "https://a.example/robots.txt")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    (path,) = REQUEST_LOG.files(tmp_path)
    assert [begun.url for begun in cut_off(path)] == ["https://a.example/robots.txt"]
    assert msgspec.json.decode(path.read_bytes(), type=Opening).terms == TERMS


def test_a_full_disk_delays_lines_but_loses_none(tmp_path: Path) -> None:
    """The request did happen; the next flush says that the disk is full."""
    disk = SmallDisk(room=0)
    log = RequestLog(tmp_path, "h1", write=disk.write)
    log.write_request(make_request())
    with pytest.raises(DiskFull):
        log.flush()

    disk.room = 10_000
    log.write_request(make_request("https://b.example/"))
    urls = [entry.url for entry in read_requests(tmp_path / "log" / "requests-h1.jsonl")]
    assert urls == ["https://www.example.com/a", "https://b.example/"]
    log.close()


def test_a_torn_last_line_is_passed_over_and_a_broken_one_is_named(tmp_path: Path) -> None:
    """A power cut may tear the end; anything else is a fault someone must hear of."""
    log = RequestLog(tmp_path, "h1")
    log.write_request(make_request())
    log.close()
    path = tmp_path / "log" / "requests-h1.jsonl"
    whole = path.read_bytes()

    path.write_bytes(whole + whole[:-9])
    assert list(read_requests(path)) == [make_request()]
    path.write_bytes(whole + b"{}\n" + whole)
    with pytest.raises(CorruptFile) as caught:
        list(read_requests(path))
    assert caught.value.offset == len(whole)


TERMS = Terms(
    user_agent="tiptoe/0.1 (+https://example.org/bot)", agent="tiptoe", req_delay=5.0, max_hosts=2,
    max_reqs=50, general_pause=300.0, slow_factor=2.0, delay_max=60.0, retry_after_max=86400.0,
    backoff_first=60.0,
    robots_expiry=86400.0, cdn_ranges=("192.0.2.0/24",),
)  # fmt: skip


def kinds(path: Path) -> list[str]:
    return [msgspec.json.decode(line).get("kind", "request") for line in path.read_bytes().splitlines()]


def test_a_log_opens_with_the_terms_in_force(tmp_path: Path) -> None:
    """Whoever judges it later needs nothing else."""
    log = RequestLog(tmp_path, "h1", terms=TERMS, clock=LogClock(lambda: 9.0, lambda: 4.0, boot="b"))
    path = tmp_path / "log" / "requests-h1.jsonl"
    assert not path.exists(), "a log without a request is no log"
    log.write_request(make_request())
    opening = msgspec.json.decode(path.read_bytes().splitlines()[0], type=Opening)
    assert opening == Opening(opened_at=9.0, counted=4.0, boot="b", harvester="h1", terms=TERMS)
    assert kinds(path) == ["opening", "request"]
    log.close()


def test_rules_and_orders_stand_between_the_requests(tmp_path: Path) -> None:
    log = RequestLog(tmp_path, "h1", clock=LogClock(lambda: 9.0, lambda: 4.0, boot="b"))
    log.write_robots("http://a.example", "rules", crawl_delay=2.0, rules=[(False, "/x")])
    log.write_request(make_request())
    log.write_order("leave", "a.example")
    path = tmp_path / "log" / "requests-h1.jsonl"
    assert kinds(path) == ["robots", "request", "order"]
    assert list(read_requests(path)) == [make_request()]
    first = msgspec.json.decode(path.read_bytes().splitlines()[0], type=RobotsEntry)
    assert first == RobotsEntry(
        read_at=9.0, origin="http://a.example", state="rules", crawl_delay=2.0, rules=[(False, "/x")]
    )
    log.close()


def test_endless_rules_are_cut_and_marked(tmp_path: Path) -> None:
    """A megabyte of patterns is no robots.txt; the audit must know that it does not know all."""
    log = RequestLog(tmp_path, "h1")
    log.write_robots("http://a.example", "rules", rules=[(False, "/" + "x" * 1023)] * 2000)
    line = (tmp_path / "log" / "requests-h1.jsonl").read_bytes()
    entry = msgspec.json.decode(line, type=RobotsEntry)
    assert (len(entry.rules), entry.is_cut) == (1024, True)
    log.close()


def clocks_in(path: Path) -> list[ClockEntry]:
    lines = [line for line in path.read_bytes().splitlines() if b'"kind":"clock"' in line]
    return [msgspec.json.decode(line, type=ClockEntry) for line in lines]


class Counting:
    """A machine that has counted so many seconds, and whose wall clock shows a thousand more."""

    def __init__(self) -> None:
        self.count = 50.0

    def clock(self) -> LogClock:
        return LogClock(lambda: self.count + 1000.0, lambda: self.count, boot="here")


def test_the_clock_of_a_shard_is_noted_when_it_is_news(tmp_path: Path) -> None:
    """On the machine that counts for the shard it is known exactly, however late the message came."""
    machine = Counting()
    log = RequestLog(tmp_path, "h1", clock=machine.clock())
    log.note_time(7, ShardTime(moment=0.0, offset=1300.0, boot="here"))
    machine.count = 60.0
    log.note_time(7, ShardTime(moment=1360.0, offset=1300.0, boot="here"))
    log.note_time(7, ShardTime(moment=1350.0, offset=1290.0, boot="here"))  # it was elsewhere meanwhile
    log.close()
    assert clocks_in(tmp_path / "log" / "requests-h1.jsonl") == [
        ClockEntry(since=1050.0, shard=7, ahead=300.0),
        ClockEntry(since=1060.0, shard=7, ahead=290.0),
    ]


def test_a_clock_that_counts_elsewhere_is_estimated_by_the_fastest_message(tmp_path: Path) -> None:
    machine = Counting()
    log = RequestLog(tmp_path, "h1", clock=machine.clock())
    for delay in (0.5, 0.7, 0.495, 0.25):
        machine.count += 10.0
        true_moment = machine.count + 5000.0
        log.note_time(7, ShardTime(moment=true_moment - delay, offset=77.0, boot="there"))
    log.close()
    assert clocks_in(tmp_path / "log" / "requests-h1.jsonl") == [
        ClockEntry(since=1060.0, shard=7, ahead=3999.5, is_estimate=True),
        ClockEntry(since=1090.0, shard=7, ahead=3999.75, is_estimate=True),
    ]
