"""Whoever asks for a page while no keeper runs goes by what the crawl knows, and the crawl hears of it."""

from pathlib import Path

import pytest

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.lone_requests import (
    CrawlLeave,
    LoneRequest,
    Moment,
    clear_requests,
    leave_of,
    note_request,
)
from tiptoe.keeper.lone_requests import read_requests as read
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.rocks import RocksStore

HOST, ADDRESS = "a.example", "192.0.2.1"
URL = f"http://{HOST}/x"
NOW = Moment(wall=1000.0, count=50.0, boot="this")


def later(seconds: float, *, set_by: float = 0.0, boot: str = "this") -> Moment:
    return Moment(NOW.wall + seconds + set_by, NOW.count + seconds, boot)


def asked(address: str = ADDRESS, rest: float = 300.0) -> LoneRequest:
    return LoneRequest(HOST, address, NOW, rest)


def leave(directory: Path, now: Moment = NOW, *, cdn_ranges: tuple[str, ...] = ()) -> CrawlLeave:
    return leave_of(directory, URL, HOST, ADDRESS, now, general_pause=300.0, cdn_ranges=cdn_ranges)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path


def test_a_rest_is_not_shortened_by_a_clock_that_is_set() -> None:
    assert asked().seconds_left(later(100.0)) == 200.0
    assert asked().seconds_left(later(100.0, set_by=10_000.0)) == 200.0
    assert asked().seconds_left(later(100.0, boot="another")) == 200.0  # only the wall is left to go by
    assert asked().seconds_left(later(-500.0, boot="another")) == 300.0
    assert asked().seconds_left(later(301.0)) == 0.0


def test_an_address_that_was_asked_apart_rests_before_it_is_asked_again(directory: Path) -> None:
    note_request(directory, asked())
    assert "rests for another 200 s" in leave(directory, later(100.0)).hindrance
    assert leave(directory, later(301.0)) == CrawlLeave()


def test_every_host_of_a_delivery_network_rests_for_itself(directory: Path) -> None:
    """There each has a gate of its own: who was asked later says nothing of who was asked before (POL-11)."""
    note_request(directory, asked())
    note_request(directory, LoneRequest("b.example", ADDRESS, later(10.0), 300.0))
    said = leave(directory, later(20.0), cdn_ranges=("192.0.2.0/24",)).hindrance
    assert "rests for another 280 s" in said


def test_a_host_rests_wherever_its_name_leads(directory: Path) -> None:
    """Name servers give several addresses in turn; the host is one (POL-1)."""
    note_request(directory, asked("192.0.2.7"))
    assert "rests for another 200 s" in leave(directory, later(100.0)).hindrance


def test_each_address_is_noted_once_until_it_has_rested(directory: Path) -> None:
    note_request(directory, asked("192.0.2.7", rest=10.0))
    note_request(directory, asked(rest=900.0))
    again = LoneRequest(HOST, ADDRESS, later(20.0), 300.0)
    note_request(directory, again)
    assert read(directory) == [again]
    clear_requests(directory)
    assert read(directory) == []


def test_in_a_shared_network_only_the_host_rests(directory: Path) -> None:
    note_request(directory, LoneRequest("b.example", ADDRESS, NOW, 300.0))
    assert leave(directory).hindrance
    assert not leave(directory, cdn_ranges=("192.0.2.0/24",)).hindrance


def opened(directory: Path) -> RocksStore:
    return RocksStore(directory / DATABASE, block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)


def visited(directory: Path, *, is_ended: bool = True) -> RocksStore:
    """Return the database of a crawl that has asked the host just now."""
    store = opened(directory)
    frontier = Frontier(store, FrontierPolicy())
    frontier.runs.begin(NOW.boot, NOW.wall - NOW.count, now=NOW.wall, rest=300.0)
    frontier.add([Request(URL)], NOW.wall)
    frontier.new_hosts(1)
    frontier.resolved_all([(HOST, ADDRESS, "")], NOW.wall)
    frontier.tick(NOW.wall)
    (visit,) = frontier.visits(1, "h-1", NOW.wall)
    frontier.lose("h-1", NOW.wall + 1.0)
    assert visit.address == ADDRESS
    if is_ended:
        frontier.runs.end(now=NOW.wall + 1.0)
    return store


def test_an_address_rests_that_the_crawl_has_asked_last(directory: Path) -> None:
    visited(directory).close()
    assert "rests for another" in leave(directory, later(100.0)).hindrance
    assert leave(directory, later(100_000.0)) == CrawlLeave()


def test_who_is_blocked_or_slowed_in_the_crawl_is_so_for_everybody(directory: Path) -> None:
    store = visited(directory)
    frontier = Frontier(store, FrontierPolicy())
    frontier.slow(HOST, 30.0)
    store.close()
    assert leave(directory, later(100_000.0)) == CrawlLeave(slowed_to=30.0)
    store = opened(directory)
    Frontier(store, FrontierPolicy()).block_address(ADDRESS)
    store.close()
    assert "blocked" in leave(directory, later(100_000.0)).hindrance


def test_after_a_crash_nobody_is_asked_before_the_next_start(directory: Path) -> None:
    visited(directory, is_ended=False).close()
    assert "did not end in good order" in leave(directory, later(100_000.0)).hindrance


def test_a_frontier_lets_an_address_rest_that_somebody_has_asked() -> None:
    frontier = Frontier(MemoryStore(), FrontierPolicy())
    frontier.rest_address(ADDRESS, 500.0)
    frontier.add([Request(URL)], 0.0)
    frontier.new_hosts(1)
    frontier.resolved_all([(HOST, ADDRESS, "")], 0.0)
    frontier.tick(499.0)
    assert frontier.visits(1, "h-1", 499.0) == []
    frontier.tick(500.0)
    assert [visit.address for visit in frontier.visits(1, "h-1", 500.0)] == [ADDRESS]
