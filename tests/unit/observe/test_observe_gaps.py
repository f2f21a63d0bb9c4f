"""How often each host was asked, from the request logs alone."""

import tracemalloc
from pathlib import Path

import pytest

from tiptoe.observe import gaps
from tiptoe.observe.gaps import HostGaps, read_gaps
from tiptoe.write.logentries import RequestEntry
from tiptoe.write.requestlog import RequestLog
from tiptoe.write.underway import PLACE_BYTES


def log(directory: Path, harvester: str, *spans: tuple[str, float, float]) -> None:
    """Write a request log: host, start, end."""
    requests = RequestLog(directory, harvester)
    for host, started_at, ended_at in spans:
        requests.write_request(
            RequestEntry(
                started_at=started_at,
                ended_at=ended_at,
                host=host,
                address="192.0.2.1",
                url=f"http://{host}/",
                purpose="page",
                robots="allowed",
                delay=2.0,
                visit="1",
                harvester=harvester,
            )
        )
    requests.close()


def gaps_in(directory: Path, pause: float = 300.0) -> dict[str, HostGaps]:
    return {gaps.host: gaps for gaps in read_gaps(directory, pause=pause, hosts_max=8).most_asked}


def test_the_shortest_gap_is_between_an_answer_and_the_next_request(tmp_path: Path) -> None:
    """As the server sees it, whoever asked (POL-9)."""
    log(tmp_path, "h1", ("a.example", 0.0, 1.0), ("a.example", 20.0, 21.0))
    log(tmp_path, "h2", ("a.example", 6.0, 8.0), ("b.example", 0.0, 0.5))
    gaps = gaps_in(tmp_path)
    assert gaps["a.example"].requests == 3
    assert gaps["a.example"].shortest_gap == 5.0
    assert gaps["a.example"].mean_seconds == 4.0 / 3
    assert gaps["b.example"].shortest_gap is None


def test_two_requests_at_once_show_as_a_negative_gap(tmp_path: Path) -> None:
    """The worst breach must not be hidden by the order of the logs."""
    log(tmp_path, "h1", ("a.example", 0.0, 10.0))
    log(tmp_path, "h2", ("a.example", 4.0, 5.0))
    assert gaps_in(tmp_path)["a.example"].shortest_gap == -6.0


def test_series_end_with_a_pause(tmp_path: Path) -> None:
    """max-reqs counts between two general pauses (POL-3)."""
    moments = [0.0, 5.0, 10.0, 400.0, 405.0]
    log(tmp_path, "h1", *(("a.example", at, at + 1.0) for at in moments))
    series = {pause: gaps_in(tmp_path, pause)["a.example"].longest_series for pause in (300.0, 1000.0, 1.0)}
    assert series == {300.0: 3, 1000.0: 5, 1.0: 1}


def test_a_request_that_was_cut_off_counts_and_took_no_known_time(tmp_path: Path) -> None:
    log(tmp_path, "h1", ("a.example", 0.0, 1.0))
    notes = "".join(f"{at}\t7\t{host}\t192.0.2.1\tpage\thttp://{host}/x\n".ljust(PLACE_BYTES, "\0")
                    for at, host in ((5.0, "a.example"), (6.0, "b.example")))  # fmt: skip
    (tmp_path / "log" / "requests-h1.underway").write_text(notes)
    gaps = gaps_in(tmp_path)
    assert (gaps["a.example"].requests, gaps["a.example"].cut_off) == (2, 1)
    assert gaps["a.example"].shortest_gap == 4.0
    assert gaps["a.example"].mean_seconds == 1.0
    assert (gaps["b.example"].requests, gaps["b.example"].mean_seconds) == (1, 0.0)


def test_a_crawl_without_requests_has_no_hosts(tmp_path: Path) -> None:
    """Also when there is no log folder yet."""
    assert gaps_in(tmp_path) == {}


def test_logs_of_several_harvesters_are_one_story(tmp_path: Path) -> None:
    """A host moves from one harvester to another; the pause between them counts like any other."""
    for number in range(12):
        begun = 100.0 * (number // 3) + number % 3
        spans = [("a.example", begun + 10.0 * step, begun + 10.0 * step + 0.25) for step in range(9)]
        log(tmp_path, f"h{number}", *spans)
    gaps = gaps_in(tmp_path)["a.example"]
    assert (gaps.requests, gaps.shortest_gap, gaps.longest_series) == (108, 0.75, 108)


def test_lines_that_cannot_be_read_are_counted_and_passed_over(tmp_path: Path) -> None:
    """The end of a crawl is no place to fail over its log."""
    log(tmp_path, "h1", ("a.example", 0.0, 1.0), ("a.example", 5.0, 6.0), ("a.example", 10.0, 11.0))
    path = tmp_path / "log" / "requests-h1.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"\0" * 40 + b"\n" + lines[2])
    found = read_gaps(tmp_path, pause=1.0, hosts_max=8)
    assert (found.count, found.bad_lines, found.hosts) == (2, 1, 1)


def test_memory_does_not_grow_with_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl of a month has a hundred million requests to ten million hosts."""
    monkeypatch.setattr(gaps, "NAMES_MAX", 1_000)
    peaks = []
    for size in (4_000, 24_000):
        directory = tmp_path / str(size)
        (directory / "log").mkdir(parents=True)
        with (directory / "log" / "requests-h1.jsonl").open("w") as file:
            for number in range(size):
                host = "a.example" if number % 2 else f"h{number}.example"
                file.write(f'{{"started_at":{number},"ended_at":{number}.5,"host":"{host}","url":"x"}}\n')
        tracemalloc.start()
        found = read_gaps(directory, pause=1.0, hosts_max=8)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.count == size
        assert found.most_asked[0].requests == size // 2
    assert peaks[1] < 2.5 * peaks[0]
    assert peaks[1] < 2_000_000
