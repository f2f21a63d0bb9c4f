"""Does a crawl go on in an engine where it stopped on one machine, and the other way round?"""

import io
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import pytest

from simulated.agent_harvester import Served
from simulated.agent_world import BRIEF, LEASE_SECONDS, AgentWorld, SimulatedAgent
from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.cluster.crawl_transfer import apply_losses, apply_orders, apply_wishes, bring_in, take_out
from tiptoe.cluster.damage_notes import leave_note
from tiptoe.cluster.lost_members import LostMembers
from tiptoe.cluster.shard_clock import ClockReading, MachineTime
from tiptoe.cluster.shard_division import NotAtRest, divide
from tiptoe.cluster.shard_labels import LabelRule
from tiptoe.cluster.shared_texts import LEARN_SECONDS
from tiptoe.errors import CrawlerError
from tiptoe.experiment.frontier_player import FrontierPlayer, PlayedRequest
from tiptoe.frontier.counters import Counters
from tiptoe.frontier.covered_rows import urls_in
from tiptoe.frontier.duplicity import Paragraphs
from tiptoe.frontier.filemarks import FileMark, FileState
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.holdings import Holding, Item
from tiptoe.frontier.imported_files import ImportedFiles
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.standing_orders import StandingOrder
from tiptoe.frontier.wishes import NotedWish, NumberedWish
from tiptoe.keeper.output_repair import Damage
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.work import Question, Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.partition import Partition
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import host_of

HOUR: Final = 3600.0
SEED, HOSTS, SHARDS = 31, 30, 6
POLICY: Final = FrontierPolicy(politeness=BRIEF)
WALL: Final = 1e9
"""What the wall clocks of the world's machines show when it begins, but for some minutes."""

BEHIND: Final = 300.0
LABELS: Final = [LabelRule("even", suffixes=tuple(f"h{number}.example" for number in range(0, HOSTS, 2)))]
EARLY: Final = "corpus/tiptoe-h1-1f-0001-00001.jsonl"
"""A file of the one machine, which bears the name of no member."""

Done = TypeVar("Done")


class OneMachine:
    """A crawl of the world's web by one frontier, on a machine whose wall clock is five minutes behind."""

    def __init__(self, world: AgentWorld, store: MemoryStore, *, count: float) -> None:
        self.store = store
        self._world = world
        self.frontier = Frontier(store, POLICY)
        self.offset = self.frontier.runs.offset("one", count=count, wall=count + WALL - BEHIND)
        now = count + self.offset
        self.frontier.runs.begin("one", self.offset, now=now, rest=0.0)
        self.frontier.recover(now)
        self.player = FrontierPlayer(
            self.frontier, lambda request, now: world.web.answer(request), world.web.address_of, now,
            record=self._note,
        )  # fmt: skip

    def note_file(self, name: str) -> None:
        """Note that all pages that have a text stand in one file."""
        holding, decode = Holding([name]), msgspec.msgpack.Decoder(PageRecord).decode
        for key, stored in self.store.scan(Table.PAGE):
            if version := decode(stored).version:
                holding.add(Item(key, version, 1, 0.0, 0, 0))
        row = b"tiptoe-h1-1f-0001\0" + bytes(8)
        self.store.write(Writes([(Table.HOLDING, row, msgspec.msgpack.encode(holding))]))
        self.frontier.outputs.note({name: FileMark(1, FileState.FINISHED)})

    @property
    def count(self) -> float:
        """The time of the world."""
        return self.player.now - self.offset

    @property
    def wall_ahead(self) -> float:
        return self.count + WALL - BEHIND - self.player.now

    def _note(self, played: PlayedRequest) -> None:
        self._world.served.append(
            Served(
                played.at - self.offset, played.ended_at - self.offset, played.address, played.host,
                played.url, -played.visit, "one", is_settled=True,
            )
        )  # fmt: skip

    def crawl(self, until: int | None = None) -> None:
        """Go on until so many requests were made, or to the end; then stop in good order."""
        while not self.frontier.is_finished() and (until is None or len(self._world.served) < until):
            self.player.step()
        while self.player.ends_at is not None:
            self.player.end_first()
        self.frontier.runs.end(now=self.player.now, wall_ahead=self.wall_ahead)
        self.frontier.check()


@contextmanager
def world(labels: list[LabelRule]) -> Iterator[AgentWorld]:
    made = AgentWorld(
        SEED, machines=3, shards=SHARDS, hosts=HOSTS, labels=labels, takes={1: ("even", UNLABELLED)}
    )
    made.rules = BRIEF
    try:
        yield made
    finally:
        made.close()


def carried_out(made: AgentWorld, work: Coroutine[Any, Any, Done]) -> Done:
    """Do something beside the agents."""
    task = made.timeline.loop("operator").create_task(work)
    assert made.timeline.run(until=made.timeline.now + HOUR, is_over=task.done)
    return task.result()


def imported(made: AgentWorld) -> None:
    """Crawl on one machine for a while, before the world begins, and bring that in."""
    one = OneMachine(made, MemoryStore(), count=-HOUR)
    one.player.add(*made.web.seeds())
    one.crawl(until=60)
    one.note_file(EARLY)
    # The world begins when that has ended.
    late = one.count
    for served in made.served:
        served.at, served.ended_at = served.at - late, served.ended_at - late
    disk = MemoryStore()
    files = ImportedFiles("importer", [EARLY])
    divide(one.store, [Partition(disk, shard) for shard in range(SHARDS)], made.plan, imported=files)
    clock = ClockReading("one", 0.0, one.player.now, one.wall_ahead + late)
    engine = made.broker.connect("importer")
    carried_out(made, bring_in(engine, disk, SHARDS, agent="importer", clock=clock))


def machine_time(made: AgentWorld) -> MachineTime:
    return MachineTime("exporter", made.timeline.now, WALL + made.timeline.now - BEHIND)


async def exported(made: AgentWorld, target: MemoryStore) -> None:
    await take_out(
        made.broker.connect("exporter"), MemoryStore(), target, shards=SHARDS, plan=made.plan, policy=POLICY,
        machine_time=lambda: machine_time(made), lease_seconds=LEASE_SECONDS,
    )  # fmt: skip


def started(made: AgentWorld, *numbers: int) -> list[SimulatedAgent]:
    return [agent for number in numbers if (agent := made.start(number)) is not None]


@pytest.mark.parametrize("labels", [[], LABELS], ids=["alike", "labelled"])
def test_a_crawl_of_one_machine_goes_on_on_many(labels: list[LabelRule]) -> None:
    """What was asked is not asked again, nobody is asked too soon, everything is found and counted."""
    with world(labels) as made:
        imported(made)
        before = len(made.served)
        started(made, 0, 1, 2)
        assert made.run(until=2 * HOUR)
        assert before < len(made.served)
        assert len({served.by for served in made.served}) == 4
        assert made.judge() == []
        assert made.repeated() == 0


@pytest.mark.parametrize("end", ["leave", "kill"])
def test_a_crawl_on_many_machines_goes_on_on_one(end: str) -> None:
    """Also if its agents died: after a lease it is known that they are gone."""
    with world(LABELS) as made:
        agents = started(made, 0, 1, 2)
        made.run(until=150.0)
        for agent in agents:
            agent.leave() if end == "leave" else agent.kill()
        made.run(until=150.0 + 2 * LEASE_SECONDS)
        assert all(agent.is_over for agent in agents)
        store = MemoryStore()
        carried_out(made, exported(made, store))
        one = OneMachine(made, store, count=made.timeline.now)
        before = len(made.served)
        one.crawl()
        assert before < len(made.served)
        assert made.rudeness() == []
        assert {served.url for served in made.served if "robots" not in served.url} == made.web.pages()
        assert one.frontier.counters.totals.pages == len(made.web.pages())
        if end == "leave":
            assert made.repeated() == 0


def test_there_and_back_is_one_crawl() -> None:
    with world([]) as made:
        imported(made)
        agents = started(made, 0, 1)
        made.run(until=120.0)
        for agent in agents:
            agent.leave()
        made.run(until=200.0)
        store = MemoryStore()
        carried_out(made, exported(made, store))
        one = OneMachine(made, store, count=made.timeline.now)
        one.crawl()
        assert made.rudeness() == []
        assert made.repeated() == 0
        assert one.frontier.counters.totals.pages == len(made.web.pages())


def test_texts_on_their_way_are_known_on_the_one_machine() -> None:
    """They stand in the log of the shard that has them to tell; nobody was told when its agent died."""
    document, hashes = "http://h1.example/d.pdf", b"whole...one.....another."
    with world([]) as made:
        (agent,) = started(made, 0)
        made.run(until=60.0)
        agent.loop.call_soon(lambda: agent.frontier.learn([(document, hashes)]))
        made.run(until=60.0 + LEARN_SECONDS / 2)
        assert sum(len(held.frontier.text_outbox or ()) for held in agent.frontier.held) == 1
        agent.kill()
        made.run(until=60.0 + 2 * LEASE_SECONDS)
        store = MemoryStore()
        carried_out(made, exported(made, store))
        question = Question(1, "http://h2.example/copy.pdf", hashes)
        answers: list[dict[int, bytes]] = []
        Frontier(store, POLICY).find_known_paragraphs([question], answers.append)
        assert answers == [{1: b"\1" + document.encode()}]


def brought_to_one_machine(made: AgentWorld) -> MemoryStore:
    """Let one agent crawl for a minute and leave; return what is exported then."""
    for agent in started(made, 0):
        made.run(until=60.0)
        agent.leave()
    made.run(until=120.0)
    store = MemoryStore()
    carried_out(made, exported(made, store))
    return store


def test_what_was_ordered_for_all_members_holds_on_the_one_machine() -> None:
    """Also about hosts that no shard has met yet."""
    with world([]) as made:
        store = brought_to_one_machine(made)
        orders = [
            StandingOrder(1, "never-met.example", is_blocked=True),
            StandingOrder(2, "h0.example", slowed_to=60.0),
            StandingOrder(3, "192.0.2.7", is_address=True, is_blocked=True),
            StandingOrder(4, "192.0.2.8", is_address=True, slowed_to=30.0),
        ]
        apply_orders(store, POLICY, orders, now=WALL)
        frontier = Frontier(store, POLICY)
        blocked, slowed = frontier.host("never-met.example"), frontier.host("h0.example")
        assert blocked is not None
        assert slowed is not None
        assert (blocked.is_blocked, slowed.slowed_to) == (True, 60.0)
        assert len([*store.scan(Table.ADDRESS, b"192.0.2.", b"192.0.3.")]) == 2
        assert all(host.ordered == 0 for host in (blocked, slowed))


def test_what_owners_want_to_be_forgotten_is_not_known_to_the_one_machine() -> None:
    """Though it was said when all agents had left, so that no shard knew."""
    with world([]) as made:
        store = brought_to_one_machine(made)
        host = host_of(made.served[0].url)
        batch = Writes()
        Paragraphs(store).learn(batch, f"http://{host}/p0", b"a whole text of it", is_kept=True)
        store.write(batch)
        pages = Counters(store).totals.pages
        apply_wishes(store, [NumberedWish(1, NotedWish(host, "a letter", 1.0))])
        rows = [(table, value) for table in Table for _, value in store.scan(table)]
        assert [
            url for table, row in rows if row for url in urls_in(table, row) if host_of(url) == host
        ] == []
        assert not list(store.scan(Table.PARAGRAPH))
        frontier = Frontier(store, POLICY)
        frontier.recover(0.0)
        frontier.check()
        assert frontier.counters.totals.pages < pages
        assert frontier.add([Request(f"http://{host}/new")], 0.0) == 0


def test_what_members_have_lost_is_known_to_the_one_machine(tmp_path: Path) -> None:
    """All may have left before the operator says so: then no shard has heard of it."""
    with world([]) as made:
        (agent,) = started(made, 0)
        made.run(until=60.0)
        held = next(iter(agent.frontier.held))
        names = [
            f"corpus/tiptoe-{name}.h1-1f-0001.s{held.shard:02d}-00001.jsonl" for name in ("m7", "m8", "m9")
        ]
        held.frontier.outputs.note(dict.fromkeys(names, FileMark(10)))
        agent.leave()
        made.run(until=120.0)
        engine = made.broker.connect("operator")
        carried_out(made, engine.put("lost.m7", b""))
        carried_out(made, leave_note(engine, held.shard, Damage([], {names[1]: None})))
        store = MemoryStore()
        carried_out(made, exported(made, store))
        carried_out(
            made,
            apply_losses(engine, store, POLICY, tmp_path, robot="tiptoe", shards=SHARDS, now=WALL),
        )
        assert Frontier(store, POLICY).outputs.marks().keys() & set(names) == {names[2]}


def pages_lost(store: Store) -> int:
    decode = msgspec.msgpack.Decoder(PageRecord).decode
    return sum(decode(stored).is_lost for _, stored in store.scan(Table.PAGE))


def pages_in_file(store: Store) -> int:
    (row,) = store.scan(Table.HOLDING)
    return len([*msgspec.msgpack.decode(row[1], type=Holding).items()])


def test_what_was_written_before_the_import_is_lost_with_the_importer(tmp_path: Path) -> None:
    """Its files bear no name of a member, and their pages live in every shard."""
    with world([]) as made:
        imported(made)
        (agent,) = started(made, 0)
        while len(agent.frontier.held) < SHARDS:
            made.run(until=made.timeline.now + 0.1)
        first = next(held for held in agent.frontier.held if held.shard == 0)
        members = LostMembers(
            agent.engine, agent.frontier, tmp_path, agent="m0", robot="tiptoe",
            log=EventLog("t", io.StringIO()), count=lambda: agent.machine.count(made.timeline.now),
        )  # fmt: skip
        watching = agent.loop.create_task(members.run())
        operator = made.broker.connect("operator")
        carried_out(made, operator.put("lost.importer", b""))
        made.run(until=made.timeline.now + 0.5)
        assert sum(pages_lost(held.store) for held in agent.frontier.held) == pages_in_file(first.store)
        assert not any(held.frontier.outputs.imported_by("importer") for held in agent.frontier.held)
        watching.cancel()


def test_what_was_written_before_the_import_is_asked_for_by_the_one_machine(tmp_path: Path) -> None:
    """The importer may be lost when nobody is there to hear of it."""
    with world([]) as made:
        imported(made)
        engine = made.broker.connect("operator")
        carried_out(made, engine.put("lost.importer", b""))
        store = MemoryStore()
        carried_out(made, exported(made, store))
        losses = apply_losses(engine, store, POLICY, tmp_path, robot="tiptoe", shards=SHARDS, now=WALL)
        assert carried_out(made, losses) == pages_in_file(store) == pages_lost(store) > 0
        assert Frontier(store, POLICY).outputs.imported_by("importer") == []


def test_shards_that_somebody_holds_are_not_taken_out() -> None:
    with world([]) as made:
        started(made, 0)
        made.run(until=60.0)
        with pytest.raises(NotAtRest, match="agent m0 holds shard"):
            carried_out(made, exported(made, MemoryStore()))


def test_a_crawl_is_not_brought_in_over_another() -> None:
    with world([]) as made:
        imported(made)
        clock = ClockReading("one", 0.0, WALL, 0.0)
        engine = made.broker.connect("again")
        with pytest.raises(CrawlerError, match="already"):
            carried_out(made, bring_in(engine, MemoryStore(), SHARDS, agent="again", clock=clock))
