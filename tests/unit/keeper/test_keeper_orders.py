"""What a step lets out waits for its commit; what stops requests does not."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from keeper_samples import RULES, LateFrontier, Peer, make_keeper

from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.keeper.document_links import take_links
from tiptoe.keeper.keeper import Keeper
from tiptoe.protocol.messages import (
    Amend,
    Beat,
    Cancel,
    Heard,
    Hello,
    Hold,
    More,
    News,
    Noted,
    Refusal,
    Revoke,
    Unsure,
    Work,
)
from tiptoe.protocol.operator import BlockHost, Command, ShowStatus, StatusReply
from tiptoe.protocol.work import Report, Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.write.dropbox import FoundLinks, leave_links, waiting_links

URLS = ("http://a.example/1", "http://a.example/2")
SHARD = 7
CORPUS = "corpus/h1-f4240-0001.s07-00001.jsonl"
OTHERS = "corpus/h1-f4240-0001.s08-00001.jsonl"


@dataclass
class Bench:
    """A keeper over one shard whose commits take their time."""

    directory: Path

    def __post_init__(self) -> None:
        policy = FrontierPolicy(politeness=RULES)
        self.frontier = LateFrontier(MemoryStore(), policy)
        self.keeper, self.peer = make_keeper(self.directory, *URLS, frontier=self.frontier)
        (self.member,) = self.keeper.roster.members.values()

    def hear(self, message: object) -> None:
        self.keeper.hear(self.member, self.peer, message)  # type: ignore[arg-type]

    def visit(self) -> int:
        """Hand out a visit; return its id."""
        self.keeper.hand_out()
        self.frontier.commit()
        (work,) = [message for message in self.peer.told if isinstance(message, Work) and message.visits]
        self.peer.told.clear()
        return work.visits[0].id


def test_nobody_waits_for_a_harvester_that_loads_its_models(tmp_path: Path) -> None:
    """It has nothing to stop; before its first visit it hears what was ordered meanwhile."""
    bench, late = Bench(tmp_path), Peer()
    bench.keeper.let_in(late, Hello("harvester", "h2", pid=102))  # type: ignore[arg-type]
    bench.keeper.orders.give(lambda order: Hold(is_held=True, order=order))
    bench.frontier.commit()
    assert not bench.keeper.orders.are_obeyed
    bench.hear(Heard(bench.keeper.orders.last))
    assert bench.keeper.orders.are_obeyed
    assert [message.order for message in late.told if isinstance(message, Hold)][
        -1
    ] == bench.keeper.orders.last


def test_visits_are_told_when_they_are_stored(tmp_path: Path) -> None:
    """Else another agent could take over and hand out the same."""
    bench = Bench(tmp_path)
    bench.keeper.hand_out()
    assert (bench.peer.told, len(bench.member.visits)) == ([], 1)
    bench.frontier.commit()
    assert [type(message) for message in bench.peer.told] == [Work]


def test_marks_are_noted_and_further_work_is_given_when_the_report_is_stored(tmp_path: Path) -> None:
    """A file gets its final name by that."""
    bench = Bench(tmp_path)
    visit = bench.visit()
    marks = {"corpus/h1-f4240-0001-00001.jsonl": 10}
    bench.hear(News([Report(visit, [], is_done=True, wants_more=False)], marks))
    assert bench.peer.told == []
    bench.frontier.commit()
    assert bench.peer.told == [More(visit, []), Noted(marks)]


def test_an_order_comes_after_the_visits_that_it_is_about_and_once_before(tmp_path: Path) -> None:
    """A visit on its way must not come after the word that forbids it."""
    bench = Bench(tmp_path)
    bench.keeper.hand_out()
    bench.keeper.cancel("a.example")
    assert bench.peer.told == [Cancel("a.example", 0)]
    bench.hear(Heard(0))
    assert not bench.keeper.orders.are_obeyed
    bench.frontier.commit()
    early, work, cancel = bench.peer.told
    assert (early, type(work), cancel) == (Cancel("a.example", 0), Work, Cancel("a.example", 1))
    bench.hear(Heard(1))
    assert bench.keeper.orders.are_obeyed


def test_everybody_is_held_at_once_and_goes_on_in_turn(tmp_path: Path) -> None:
    """Whoever is to go on may wait; whoever is to stop may not."""
    bench = Bench(tmp_path)
    bench.keeper.hold("disk")
    bench.keeper.go_on("disk")
    assert bench.peer.told == [Hold(is_held=True, order=0)]
    bench.frontier.commit()
    assert bench.peer.told[1:] == [Hold(is_held=True, order=1), Hold(is_held=False, order=2)]


def test_orders_of_a_crawl_on_one_machine_are_told_once(tmp_path: Path) -> None:
    """There every step is committed when it returns."""
    keeper, peer = make_keeper(tmp_path)
    keeper.hold("disk")
    keeper.cancel("a.example")
    keeper.orders.give(lambda number: Amend({}, number))
    assert peer.told == [Hold(is_held=True, order=1), Cancel("a.example", 2), Amend({}, 3)]


def shard_bench(directory: Path) -> tuple[Keeper, Peer, LateFrontier, int]:
    """Return a keeper with a visit of shard 7 under way."""
    frontier = LateFrontier(MemoryStore(), FrontierPolicy(politeness=RULES), shard=SHARD)
    keeper, peer = make_keeper(directory, *URLS, frontier=frontier)
    keeper.hand_out()
    frontier.commit()
    (work,) = peer.told
    assert isinstance(work, Work)
    peer.told.clear()
    assert shard_of_visit(work.visits[0].id) == SHARD
    return keeper, peer, frontier, work.visits[0].id


def report_of(visit: int) -> Report:
    return Report(visit, [Result(Request(URLS[0]), status=200)], is_done=True, wants_more=False)


def test_visits_of_a_shard_that_was_lost_are_broken_off_at_once_and_those_on_their_way_not_told(
    tmp_path: Path,
) -> None:
    """Whoever holds the shard now may ask the same hosts."""
    frontier = LateFrontier(MemoryStore(), FrontierPolicy(politeness=RULES), shard=SHARD)
    keeper, peer = make_keeper(tmp_path, *URLS, frontier=frontier)
    keeper.hand_out()
    keeper.orders.revoke(SHARD)
    frontier.commit()
    assert peer.told == [Revoke(SHARD, 1)]
    (member,) = keeper.roster.members.values()
    assert member.visits == set()


def test_what_was_said_before_a_harvester_heard_that_a_shard_is_lost_does_not_count(tmp_path: Path) -> None:
    """Should the shard be ours again by then, its pages would stand in the corpus twice."""
    keeper, peer, frontier, visit = shard_bench(tmp_path)
    (member,) = keeper.roster.members.values()
    keeper.orders.revoke(SHARD)
    news = News([report_of(visit)], {CORPUS: 10, OTHERS: 20})
    keeper.hear(member, peer, news)  # type: ignore[arg-type]
    frontier.commit()
    assert peer.told == [Revoke(SHARD, 1), Noted({OTHERS: 20})]
    keeper.hear(member, peer, Heard(1))  # type: ignore[arg-type]
    keeper.hear(member, peer, News([], {CORPUS: 30}))  # type: ignore[arg-type]
    frontier.commit()
    assert peer.told[2:] == [Noted({CORPUS: 30})]
    assert frontier.counters.totals.discards == {"lease_lost": 1}


def test_marks_of_a_shard_that_was_lost_before_they_were_stored_are_not_noted(tmp_path: Path) -> None:
    """The file would get its final name, with pages that nobody knows of."""
    keeper, peer, frontier, visit = shard_bench(tmp_path)
    (member,) = keeper.roster.members.values()
    keeper.hear(member, peer, News([report_of(visit)], {CORPUS: 10, OTHERS: 20}))  # type: ignore[arg-type]
    keeper.orders.revoke(SHARD)
    frontier.commit()
    assert [one for one in peer.told if isinstance(one, Noted)] == [Noted({OTHERS: 20})]


def test_a_shard_that_was_lost_confirms_no_order_before_it(tmp_path: Path) -> None:
    """It goes out at once, and may overtake one that waits."""
    bench = Bench(tmp_path)
    bench.keeper.cancel("a.example")
    bench.keeper.orders.revoke(SHARD)
    bench.hear(Heard(2))
    assert not bench.keeper.orders.are_obeyed
    assert bench.member.revoked == {}
    bench.hear(Heard(1))
    assert bench.keeper.orders.are_obeyed


def test_beats_are_sent_back_unless_the_hook_says_no(tmp_path: Path) -> None:
    """An agent that is not certain of its shards must not let its harvesters ask, nor go."""
    is_certain = True
    keeper, peer = make_keeper(tmp_path, may_echo=lambda incarnation: is_certain)
    (member,) = keeper.roster.members.values()
    keeper.hear(member, peer, Beat(1))  # type: ignore[arg-type]
    is_certain = False
    keeper.hear(member, peer, Beat(2))  # type: ignore[arg-type]
    assert peer.told == [Beat(1), Unsure(2)]


class OperatorWire(Peer):
    """An operator's end of the wire: says hello, gives a command, and goes when told to."""

    def __init__(self, command: Command) -> None:
        super().__init__()
        self.said: list[object] = [Hello("control"), command, None]

    async def receive(self, bytes_max: int = 0) -> object:
        return self.said.pop(0)

    async def drain(self) -> None:
        """Everything is heard at once."""


def test_an_operator_is_answered_when_the_order_is_stored(tmp_path: Path) -> None:
    """The answer says that it is done, so it must outlive this machine."""

    async def run() -> tuple[list[object], list[object]]:
        frontier = LateFrontier(MemoryStore(), FrontierPolicy(politeness=RULES))
        keeper, _ = make_keeper(tmp_path, *URLS, frontier=frontier)
        keeper.roster.leave("h1-f4240-0001")  # nobody has to confirm
        wire = OperatorWire(BlockHost("a.example"))
        talk = asyncio.ensure_future(keeper.reception.talk(wire))  # type: ignore[arg-type]
        for _ in range(10):
            await asyncio.sleep(0)
        before = list(wire.told)
        frontier.commit()
        await talk
        return before, wire.told

    before, told = asyncio.run(run())
    assert before == []
    assert len(told) == 1
    assert not isinstance(told[0], Refusal)


def test_who_only_wants_to_know_something_is_answered_at_once(tmp_path: Path) -> None:
    """Above all while nothing can be stored."""

    async def run() -> list[object]:
        frontier = LateFrontier(MemoryStore(), FrontierPolicy(politeness=RULES))
        keeper, _ = make_keeper(tmp_path, *URLS, frontier=frontier)
        wire = OperatorWire(ShowStatus())
        await asyncio.wait_for(keeper.reception.talk(wire), 5.0)  # type: ignore[arg-type]
        return wire.told

    assert [type(one) for one in asyncio.run(run())] == [StatusReply]


def test_links_of_documents_stay_where_they_are_until_they_are_stored(tmp_path: Path) -> None:
    """Nobody else has them."""
    frontier = LateFrontier(MemoryStore(), FrontierPolicy(politeness=RULES))
    leave_links(tmp_path, "1", [FoundLinks("http://a.example/a.pdf", 0, ["/x", "/y"])])
    (path,) = waiting_links(tmp_path)
    assert take_links(frontier, tmp_path, 0.0) == 2
    assert path.exists()
    frontier.commit()
    assert not path.exists()
