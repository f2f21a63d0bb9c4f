"""Does an engine do what a dictionary and a list would do, whatever one asks of it and in whatever order?"""

import pytest
from hypothesis import settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from cluster_grounds import ClusterGround, MemoryGround, NatsGround
from simulated.memory_engine import Fate, MemoryEngine
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange, LogMessage, OutOfDate
from tiptoe.cluster.nats_server import NatsServer

KEYS = strategies.sampled_from(["crawl", "shard.1", "shard.2", "agent.a"])
LOGS = strategies.sampled_from(["log.1", "log.2", "mail.1"])
WHO = strategies.sampled_from([0, 1])
DATA = strategies.binary(max_size=5)
FATES = strategies.sampled_from([Fate(is_answered=False), Fate(is_done=False)])


class EngineMachine(RuleBasedStateMachine):
    """Two members on one engine, beside what should be there."""

    def __init__(self) -> None:
        super().__init__()
        self.ground = self.make_ground()
        self.members: list[Engine] = [self.ground.run(self.ground.connect()) for _ in range(2)]
        self.keys: dict[str, KeyChange] = {}
        self.logs: dict[str, list[LogMessage]] = {}
        self.deleted: dict[str, int] = {}
        self.revision_max = 0

    def make_ground(self) -> ClusterGround:
        return MemoryGround()

    @rule(who=WHO, key=KEYS, value=DATA, is_current=strategies.booleans(), wrong=strategies.integers(0, 9))
    def put(self, who: int, key: str, value: bytes, is_current: bool, wrong: int) -> None:
        current = self.keys[key].revision if key in self.keys else 0
        revision = current if is_current else wrong
        if revision == current or (current == 0 and revision == self.deleted.get(key)):
            made = self.ground.run(self.members[who].put(key, value, revision=revision))
            assert made > self.revision_max
            self.revision_max = made
            self.keys[key] = KeyChange(key, value, made)
        else:
            with pytest.raises(OutOfDate):
                self.ground.run(self.members[who].put(key, value, revision=revision))

    @rule(who=WHO, key=KEYS, is_current=strategies.booleans())
    def delete(self, who: int, key: str, is_current: bool) -> None:
        current = self.keys[key].revision if key in self.keys else 0
        if is_current and current:
            self.ground.run(self.members[who].delete(key, revision=current))
            del self.keys[key]
            self.revision_max += 1
            self.deleted[key] = self.revision_max
        else:
            with pytest.raises(OutOfDate):
                self.ground.run(self.members[who].delete(key, revision=0))

    @rule(who=WHO, key=KEYS)
    def get(self, who: int, key: str) -> None:
        assert self.ground.run(self.members[who].get(key)) == self.keys.get(key)

    @rule(who=WHO, prefix=strategies.sampled_from(["", "shard", "agent", "crawl", "quota"]))
    def watch(self, who: int, prefix: str) -> None:
        async def look() -> list[KeyChange]:
            found = []
            async with self.members[who].watch(prefix) as changes:
                while (change := await anext(changes)) is not None:
                    found.append(change)
            return found

        wanted = [change for key, change in self.keys.items() if not prefix or key.split(".")[0] == prefix]
        assert self.ground.run(look()) == sorted(wanted, key=lambda change: change.revision)

    @rule(who=WHO, subject=LOGS, data=DATA, offset=strategies.sampled_from([None, 0, 0, 0, -1, 1]))
    def append(self, who: int, subject: str, data: bytes, offset: int | None) -> None:
        log = self.logs.setdefault(subject, [])
        last = log[-1].sequence if log else 0
        expected = None if offset is None else max(last + offset, 0)
        append = self.members[who].append(subject, data, expected=expected)
        if expected in (None, last):
            sequence = self.ground.run(append)
            assert sequence > last
            log.append(LogMessage(sequence, data, expected))
        else:
            with pytest.raises(OutOfDate):
                self.ground.run(append)

    @rule(who=WHO, subject=LOGS, data=DATA, fate=FATES)
    def append_without_an_answer(self, who: int, subject: str, data: bytes, fate: Fate) -> None:
        """Send the same again, expecting the same; when that is out of date the first one was stored."""
        member = self.members[who]
        if not isinstance(member, MemoryEngine):
            return
        log = self.logs.setdefault(subject, [])
        expected = log[-1].sequence if log else 0
        usual, member.trouble = member.trouble, lambda operation, name: fate
        with pytest.raises(EngineUnavailable):
            self.ground.run(member.append(subject, data, expected=expected))
        member.trouble = usual
        try:
            sequence = self.ground.run(member.append(subject, data, expected=expected))
            assert not fate.is_done
        except OutOfDate:
            last = self.ground.run(member.last(subject))
            assert last is not None
            sequence = last.sequence
            assert fate.is_done
        log.append(LogMessage(sequence, data, expected))

    @rule(who=WHO, subject=LOGS)
    def last(self, who: int, subject: str) -> None:
        log = self.logs.get(subject)
        assert self.ground.run(self.members[who].last(subject)) == (log[-1] if log else None)

    @rule(who=WHO, subject=LOGS, after=strategies.integers(0, 12))
    def follow(self, who: int, subject: str, after: int) -> None:
        async def look() -> list[LogMessage]:
            found = []
            async with self.members[who].follow(subject, after=after) as messages:
                while (message := await anext(messages)) is not None:
                    found.append(message)
            return found

        wanted = [message for message in self.logs.get(subject, []) if message.sequence > after]
        assert self.ground.run(look()) == wanted

    @rule(who=WHO, subject=LOGS, before=strategies.integers(0, 12))
    def cut(self, who: int, subject: str, before: int) -> None:
        self.ground.run(self.members[who].cut(subject, before=before))
        log = self.logs.get(subject, [])
        self.logs[subject] = [message for message in log if message.sequence >= before or message is log[-1]]

    def teardown(self) -> None:
        self.ground.close()


def test_the_engine_in_memory_does_what_the_model_does() -> None:
    run_state_machine_as_test(
        EngineMachine,
        settings=settings(max_examples=150, stateful_step_count=40, deadline=None),
    )


def test_nats_does_what_the_model_does(server: NatsServer) -> None:
    class NatsMachine(EngineMachine):
        def make_ground(self) -> ClusterGround:
            return NatsGround([server])

    run_state_machine_as_test(
        NatsMachine,
        settings=settings(max_examples=12, stateful_step_count=25, deadline=None),
    )
