"""Whatever happens to agents, messages and disks: does a shard hold what was acknowledged, and nothing else?

Steps write random rows, and add themselves to a history that is a row like the others. So what somebody reads
who has nothing says which steps it consists of, and their rows can be replayed.
"""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from shard_grounds import SHARD, Agent, Ground, content_of

from simulated.memory_engine import Fate
from tiptoe.cluster.batch_appender import ShardLost
from tiptoe.cluster.engine import EngineUnavailable, OutOfDate
from tiptoe.cluster.log_batch import position_of
from tiptoe.cluster.shard_snapshot import take_snapshot
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes

HISTORY = b"history"

Content = dict[tuple[Table, bytes], bytes]
Cell = tuple[Table, bytes, bytes | None]

names = st.sampled_from(["a", "b", "c"])
cells = st.tuples(
    st.sampled_from([Table.DUE, Table.PAGE, Table.META]),
    st.sampled_from([b"1", b"2", b"3", b"4", b"5"]),
    st.one_of(st.none(), st.binary(max_size=60)),
)
fates = st.builds(
    Fate,
    before=st.sampled_from([0.0, 0.01, 0.3, 0.99, 1.02, 1.2, 3.0]),
    after=st.sampled_from([0.0, 0.01, 0.9]),
    is_done=st.sampled_from([True, True, False]),
    is_answered=st.sampled_from([True, True, False]),
)


@dataclass
class MadeStep:
    """One step of some frontier."""

    number: int
    term: int
    rows: list[Cell]
    was_stale: bool  # when it was made, a later holder had its mark in the log already
    is_acknowledged: bool = False


@dataclass
class Past:
    """What all agents together have done."""

    steps: list[MadeStep] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)
    claimed: int = 0  # the highest term that has its mark in the log


class ShardLife(RuleBasedStateMachine):
    """Three agents and one shard."""

    def __init__(self) -> None:
        super().__init__()
        self.ground = Ground()
        self.past = Past()
        self.agents: dict[str, Agent] = {name: self.ground.agent(name) for name in "abc"}
        self.claim("a", 1.0)

    def teardown(self) -> None:
        self.ground.fates.clear()
        self.let_everything_settle()
        self.check_everything()
        self.ground.close()

    # -- what agents do --------------------------------------------------

    @rule(name=names, seconds=st.sampled_from([0.0, 0.002, 0.1, 20.0]))
    def claim(self, name: str, seconds: float) -> None:
        """Take the shard, whoever holds it."""
        agent = self.agents[name]
        if agent.log is None and not agent.loop.is_frozen:
            agent.start(self._claim(agent))
            self.ground.pass_time(seconds)

    async def _claim(self, agent: Agent) -> None:
        try:
            await agent.claim()
        except (EngineUnavailable, ShardLost):
            return
        self.past.claimed = max(self.past.claimed, agent.term)

    @property
    def holders(self) -> list[Agent]:
        """Who believes to hold the shard, and is awake."""
        return [agent for agent in self.agents.values() if agent.log and not agent.loop.is_frozen]

    @precondition(lambda self: self.holders)
    @rule(
        which=st.integers(0, 2),
        batches=st.lists(st.lists(cells, max_size=6), min_size=1, max_size=4),
        pause=st.sampled_from([0.0, 0.0, 0.001, 0.1, 2.0]),
    )
    def work(self, which: int, batches: list[list[Cell]], pause: float) -> None:
        """Make some steps of the frontier."""
        agent = self.holders[which % len(self.holders)]
        for rows in batches:
            self._step(agent, rows)
            self.ground.pass_time(pause)

    def _step(self, agent: Agent, rows: list[Cell]) -> None:
        if agent.log is None:
            return
        made = MadeStep(len(self.past.steps), agent.term, rows, was_stale=agent.term < self.past.claimed)
        history = agent.store.get(Table.HOST, HISTORY) or b""
        batch = Writes(rows)
        batch.put(Table.HOST, HISTORY, history + b"%d " % made.number)
        try:
            agent.store.write(batch)
        except ShardLost:
            agent.log = None
            return
        self.past.steps.append(made)
        agent.log.after_commit(lambda: self._acknowledge(made))

    def _acknowledge(self, made: MadeStep) -> None:
        assert not made.is_acknowledged
        assert not made.was_stale, "somebody else held the shard when this was done"
        made.is_acknowledged = True
        self.past.acknowledged.append(made.number)

    @precondition(lambda self: self.holders)
    @rule(which=st.integers(0, 2))
    def take_snapshot(self, which: int) -> None:
        agent = self.holders[which % len(self.holders)]
        agent.start(self._take_snapshot(agent))
        self.ground.pass_time(0.01)

    async def _take_snapshot(self, agent: Agent) -> None:
        try:
            await take_snapshot(agent.engine, SHARD, agent.partition)
        except (EngineUnavailable, OutOfDate):
            return

    # -- what happens to them --------------------------------------------

    @rule(fates=st.lists(fates, min_size=1, max_size=6))
    def trouble(self, fates: list[Fate]) -> None:
        self.ground.fates += fates

    @rule(seconds=st.sampled_from([0.001, 0.5, 3.0, 30.0]))
    def time_passes(self, seconds: float) -> None:
        self.ground.pass_time(seconds)

    @rule(name=names, loses_disk=st.booleans())
    def crash(self, name: str, loses_disk: bool) -> None:
        """Die at once, and come back with the disk, or with an empty one."""
        agent = self.agents[name]
        agent.kill()
        self.agents[name] = self.ground.agent(name, MemoryStore() if loses_disk else agent.disk)

    @precondition(lambda self: any(not agent.loop.is_frozen for agent in self.agents.values()))
    @rule(name=names)
    def freeze_or_thaw(self, name: str) -> None:
        """Stand still, or go on as if nothing had happened."""
        loop = self.agents[name].loop
        if loop.is_frozen:
            loop.thaw()
            self.ground.pass_time(0.001)
        else:
            loop.freeze()

    # -- what has to be true ---------------------------------------------

    @invariant()
    def each_holder_hears_of_its_steps_in_order(self) -> None:
        for term in {self.past.steps[number].term for number in self.past.acknowledged}:
            own = [number for number in self.past.acknowledged if self.past.steps[number].term == term]
            assert own == sorted(own)

    @rule()
    def check_everything(self) -> None:
        """What anybody reads consists of whole steps: all that were acknowledged, none of a stale holder."""
        held, self.ground.fates = self.ground.fates, []
        acknowledged = set(self.past.acknowledged)  # while somebody reads more may come
        content = self.ground.committed()
        steps = self._steps_of(content)
        assert content == self._replayed(steps)
        assert acknowledged <= set(steps)
        assert steps == sorted(steps)
        assert not any(self.past.steps[number].was_stale for number in steps)
        for agent in self.agents.values():
            self._check_disk(agent, steps)
        self.ground.fates = held

    def _check_disk(self, agent: Agent, committed: list[int]) -> None:
        """A disk holds what the log has up to some place, and from there one comes to all of it."""
        if position_of(agent.partition) is None:
            return  # never used, or half a snapshot
        own = content_of(agent.partition)
        steps = self._steps_of(own)
        assert steps[: len(committed)] == committed[: len(steps)]
        assert own == self._replayed(steps)

    def let_everything_settle(self) -> None:
        """Every agent comes to the same from what it has."""
        for name, agent in self.agents.items():
            agent.kill()
            self.agents[name] = again = self.ground.agent(name, agent.disk)
            self.ground.pass_time(10.0)
            again.do(again.replica.catch_up())
        contents = [content_of(agent.partition) for agent in self.agents.values()]
        assert all(content == contents[0] for content in contents)

    def _steps_of(self, content: Content) -> list[int]:
        return [int(number) for number in content.get((Table.HOST, HISTORY), b"").split()]

    def _replayed(self, numbers: list[int]) -> Content:
        content: Content = {}
        history = b""
        for number in numbers:
            for table, key, value in self.past.steps[number].rows:
                if value is None:
                    content.pop((table, key), None)
                else:
                    content[table, key] = value
            history += b"%d " % number
            content[Table.HOST, HISTORY] = history
        return content


TestShardLife = ShardLife.TestCase
TestShardLife.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
