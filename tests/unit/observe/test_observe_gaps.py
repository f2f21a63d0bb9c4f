"""How often each host was asked, from the request logs alone."""

from pathlib import Path

from tiptoe.observe.gaps import HostGaps, host_gaps
from tiptoe.write.requestlog import RequestEntry, RequestLog
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


def gaps_in(directory: Path) -> dict[str, HostGaps]:
    return {gaps.host: gaps for gaps in host_gaps(directory)}


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
    gaps = gaps_in(tmp_path)["a.example"]
    assert gaps.longest_series(300.0) == 3
    assert gaps.longest_series(1000.0) == 5
    assert gaps.longest_series(1.0) == 1


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
