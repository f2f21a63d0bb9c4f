"""What a step means for other hosts, as values that can be sent."""

from typing import get_args

import msgspec
import pytest

from tiptoe.frontier.effect import (
    Downloaded,
    Effect,
    HostOrdered,
    LeadRewarded,
    MirrorFound,
    RulesAnswered,
    RulesWanted,
    TextShared,
)
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.host import HostState
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.mirrors import MIRROR_PAGES_MIN
from tiptoe.frontier.sections import section_of
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table

ROBOTS = "http://b.example/robots.txt"
MOVED = Request(
    ROBOTS, Purpose.ROBOTS, hops=1, via="http://a.example/robots.txt", for_origin="http://a.example"
)

EFFECTS: dict[str, Effect] = {
    "links": LinkBatch.single(Request("http://b.example/x", depth=2, via="http://a.example/")),
    "a redirect": LinkBatch.single(Request("http://b.example/y", hops=1, via="http://a.example/"), hint=0),
    "rules": RulesAnswered(
        "b.example", "http://b.example", RobotsNote(RobotsState.RULES, [(False, "/x")], 3.0, ["http://b.example/map"]),
        "http://a.example/robots.txt", 1, is_own=False,
    ),
    "rules that moved": RulesAnswered(
        "b.example", "http://b.example", RobotsNote(RobotsState.MOVED, location="http://c.example/robots.txt"),
        "http://a.example/robots.txt", 1, is_own=False,
    ),
    "rules that moved too often": RulesAnswered(
        "b.example", "http://b.example", RobotsNote(RobotsState.MOVED, location="http://c.example/robots.txt"),
        "http://a.example/robots.txt", 5, is_own=False,
    ),
    "rules that cannot be had": RulesAnswered(
        "b.example", "http://b.example", RobotsNote(RobotsState.UNREACHABLE, retry_after=500.0), ROBOTS
    ),
    "a wish for rules": RulesWanted("b.example", MOVED),
    "a shared text": TextShared("b.example", "a.example", 5, 1),
    "a text of a mirror": TextShared("b.example", "c.example", MIRROR_PAGES_MIN, MIRROR_PAGES_MIN),
    "a mirror": MirrorFound("b.example"),
    "pages that others have": Downloaded("b.example", ["http://b.example/elsewhere"]),
    "an order to leave it alone": HostOrdered("b.example", is_blocked=True),
    "an order to ask it less often": HostOrdered("b.example", slowed_to=30.0),
    "a lead": LeadRewarded("b.example", section_of("http://b.example/p/1"), 700.0),
}  # fmt: skip


def crawl() -> tuple[MemoryStore, Frontier]:
    """A crawl that has visited a good host, and a poor one that is to learn something."""
    store = MemoryStore()
    frontier = Frontier(store, FrontierPolicy())
    hosts = ("good.example", "b.example", "c.example")
    frontier.add([Request(f"http://{host}/p/{page}") for host in hosts for page in range(30)], 0.0)
    for number, host in enumerate(hosts):
        frontier.resolved_all([(host, f"192.0.2.{number}", "")], 0.0)
    frontier.tick(0.0)
    for visit in frontier.visits(9, "h", 0.0):
        results = [
            Result(
                request, status=200, body_bytes=1000, text_chars=900, text_hash=request.url.encode(),
                usability=1.0 if "good" in request.url else 0.05,
            )
            for work in visit.hosts
            for request in work.requests
        ]  # fmt: skip
        frontier.report([Report(visit.id, results, is_done=True)], {}, 1.0)
    return store, frontier


def rows(store: MemoryStore) -> dict[Table, list[tuple[bytes, bytes]]]:
    return {table: list(store.scan(table)) for table in Table}


@pytest.mark.parametrize("name", EFFECTS)
def test_an_effect_that_was_sent_has_the_same_outcome(name: str) -> None:
    """The host it is addressed to may live in another frontier."""
    effect = EFFECTS[name]
    before = rows(crawl()[0])
    (here, near), (there, far) = crawl(), crawl()
    assert rows(here) == rows(there) == before
    near.apply([effect], 2.0)
    far.apply(msgspec.msgpack.decode(msgspec.msgpack.encode([effect]), type=list[Effect]), 2.0)
    for frontier in (near, far):
        frontier.check()
    assert rows(here) == rows(there)
    assert rows(here) != before, "it has an outcome"
    assert effect.host == "b.example"


def test_every_kind_of_effect_is_sent_in_these_tests() -> None:
    assert {type(effect) for effect in EFFECTS.values()} == set(get_args(Effect))


def test_effects_have_effects() -> None:
    """Of two hosts that share their texts, the one with more pages tells the other that it is a mirror."""
    _, frontier = crawl()
    good, twin = frontier.host("good.example"), frontier.host("c.example")
    assert good is not None
    assert twin is not None
    frontier.apply([TextShared("good.example", "c.example", good.pages + 1, good.pages + 1)], 2.0)
    assert (good.state, twin.state) == (HostState.IDLE, HostState.IDLE), "the smaller one has a single copy"
    frontier.apply([TextShared("good.example", "c.example", MIRROR_PAGES_MIN, MIRROR_PAGES_MIN)], 2.0)
    assert (twin.state, twin.gone_because) == (HostState.GONE, "mirror")
    assert good.state is HostState.IDLE


def test_of_two_mirrors_one_stays() -> None:
    _, frontier = crawl()
    for effect in (
        TextShared("b.example", "c.example", 1, 1, is_twin_gone=True),
        TextShared("nobody.example", "c.example", 99, 99),
    ):
        frontier.apply([effect] * 99, 2.0)
    for host in ("b.example", "c.example"):
        record = frontier.host(host)
        assert record is not None
        assert record.state is not HostState.GONE


def test_effects_for_hosts_that_nobody_knows_make_none() -> None:
    """They may have been on their way for long."""
    store, frontier = crawl()
    known = list(store.scan(Table.HOST))
    frontier.apply(
        [MirrorFound("x.example"), LeadRewarded("x.example", "s", 9.0), TextShared("x.example", "y", 1, 1)],
        2.0,
    )
    assert list(store.scan(Table.HOST)) == known
