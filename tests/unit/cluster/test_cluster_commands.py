"""Commands of an operator to agents that crawl a small web together."""

from itertools import pairwise

import pytest
from agent_grounds import busy_host, played

from simulated.agent_operator import SimulatedOperator
from simulated.agent_world import AgentWorld
from tiptoe.cluster.cluster_operator import last_command
from tiptoe.cluster.command_row import LAST_KEY, SHOWN_MAX
from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.protocol.operator import BlockHost, PauseCrawl, ResumeCrawl, SlowHost, StopCrawl, UnblockHost


def asked(world: AgentWorld, host: str, since: float) -> int:
    return sum(served.host == host and served.at > since for served in world.served)


def live(world: AgentWorld, until: float) -> None:
    """Let time pass, whether or not the crawl ends."""
    world.timeline.run(until=until)


def test_a_blocked_host_is_left_alone_at_once_and_asked_again_when_it_is_let_go() -> None:
    """Also by visits that are under way."""
    world = AgentWorld(2)
    with played(world, 0, 1, 2):
        world.run(until=30.0)
        host = busy_host(world)
        confirmation = world.operator.give(BlockHost(host.upper() + "."))
        assert confirmation.is_complete
        assert confirmation.confirmed == ("m0", "m1", "m2")
        blocked_at = world.timeline.now
        world.run(until=blocked_at + 60.0)
        assert asked(world, host, blocked_at) == 0
        assert world.operator.give(UnblockHost(host)).is_complete
    assert asked(world, host, blocked_at) > 0


def test_a_blocked_address_is_left_alone() -> None:
    world = AgentWorld(2)
    with played(world, 0, 1):
        world.run(until=30.0)
        address = world.web.address_of(busy_host(world))
        assert world.operator.give(BlockHost(address)).is_complete
        world.run(until=90.0)
        world.operator.give(UnblockHost(address))


def test_a_host_that_nobody_has_met_yet_is_blocked_wherever_it_turns_up() -> None:
    """Its home knows, wherever it would live, and whoever holds that."""
    world = AgentWorld(4, shards=8, hosts=30)
    with played(world, 0):
        world.run(until=8.0)
        hosts = [f"h{number}.example" for number in reversed(range(world.web.hosts))]
        unmet = []
        for host in hosts:
            assert world.operator.give(BlockHost(host)).is_complete
            if host not in {served.host for served in world.served}:
                unmet.append(host)
        assert len({ShardLabels(world.shards).home(host) for host in unmet}) > 3
        world.start(1)
    assert not {served.host for served in world.served} & set(unmet)


def test_who_comes_later_obeys_from_the_beginning() -> None:
    world = AgentWorld(3)
    with played(world, 0):
        world.run(until=20.0)
        host = busy_host(world)
        world.operator.give(BlockHost(host))
        world.start(1)
        world.run(until=60.0)
        world.begin("kill", 0)
        world.run(until=130.0)
        assert {one.number for one in world.living() if one.frontier.held} == {1}
        record = next(record for life in world.living() if (record := life.frontier.host(host)))
        assert record.is_blocked
        world.operator.give(UnblockHost(host))


def test_a_shard_that_was_nobodys_hears_of_it_before_any_visit_begins() -> None:
    """All agents are dead when the command is given; nobody confirms it, and it holds all the same."""
    world = AgentWorld(5)
    with played(world, 0, 1):
        world.run(until=30.0)
        host = busy_host(world)
        world.begin("kill", 0)
        world.begin("burn", 1)
        live(world, 100.0)  # the last harvester has stopped
        confirmation = world.operator.give(BlockHost(host))
        assert confirmation.silent == ("m0", "m1")
        assert not confirmation.is_complete
        blocked_at = world.timeline.now
        world.start(0)
        world.run(until=blocked_at + 120.0)
        assert askers(world, blocked_at)
        assert asked(world, host, blocked_at) == 0
        assert world.operator.give(UnblockHost(host)).is_complete


def askers(world: AgentWorld, since: float) -> set[str]:
    return {served.by for served in world.served if served.at > since}


def test_an_agent_that_is_cut_off_is_named_and_obeys_when_it_is_back() -> None:
    world = AgentWorld(6)
    with played(world, 0, 1) as (first, _):
        world.run(until=30.0)
        first.engine.cut_off()
        confirmation = world.operator.give(PauseCrawl())
        assert confirmation.silent == ("m0",)
        assert confirmation.is_complete, "its shards went to the other one while it was waited for"
        first.engine.join()
        world.run(until=world.timeline.now + 30.0)
        assert first.harvester.is_held
        world.operator.give(ResumeCrawl())


def test_a_pause_survives_the_restart_of_everything() -> None:
    world = AgentWorld(7)
    with played(world, 0, 1):
        world.run(until=30.0)
        assert world.operator.give(PauseCrawl()).is_complete
        paused_at = world.timeline.now
        for number in (0, 1):
            world.begin("kill", number)
        live(world, paused_at + 60.0)
        for number in (0, 1):
            world.start(number)
        live(world, paused_at + 200.0)
        assert askers(world, paused_at) == set()
        assert world.operator.give(ResumeCrawl()).is_complete
    assert askers(world, paused_at)


def test_a_stop_is_for_those_who_are_there() -> None:
    """Who is started later goes on with the crawl."""
    world = AgentWorld(8)
    with played(world, 0, 1) as (first, second):
        world.run(until=30.0)
        world.operator.give(StopCrawl())
        world.run(until=90.0)
        assert first.is_over
        assert second.is_over
        assert not any(life.has_ended for life in world.lives)
        world.start(0)
        world.start(2)
        world.run(until=150.0)
        assert {life.number for life in world.living()} == {0, 2}


def test_hosts_can_be_slowed_down() -> None:
    world = AgentWorld(9)
    with played(world, 0, 1):
        world.run(until=20.0)
        host = busy_host(world)
        assert world.operator.give(SlowHost(host, 40.0)).is_complete
        slowed_at = world.timeline.now
        world.run(until=slowed_at + 300.0)
        moments = [served.at for served in world.served if served.host == host and served.at > slowed_at]
        assert len(moments) > 1
        assert all(later - before > 38.0 for before, later in pairwise(sorted(moments)))
        world.operator.give(SlowHost(host, 0.0))


def test_commands_are_remembered_in_their_order_and_numbers_are_given_once() -> None:
    """Also when two operators give some at the same time, and answers get lost."""
    world = AgentWorld(10)
    with played(world, 0):
        world.run(until=10.0)
        world.operator.engine.trouble = world.fate
        world.loss = 0.2
        tasks = [world.operator.begin(BlockHost(f"x{number}.example")) for number in range(20)]
        rival = SimulatedOperator(world.timeline, world.broker, world.served, world.web, "rival")
        tasks += [rival.begin(SlowHost(f"y{number}.example", 1.0)) for number in range(20)]
        world.timeline.run(until=1000.0, is_over=lambda: all(task.done() for task in tasks))
        world.loss = 0.0
        history = world.operator.loop.create_task(world.operator.client.history())
        world.timeline.run(until=world.timeline.now + 60.0, is_over=history.done)
        given = history.result()
        assert [one.number for one in given] == list(range(1, len(given) + 1))
        for kind in (BlockHost, SlowHost):
            assert len({one.command.target for one in given if isinstance(one.command, kind)}) == 20
        rival.loop.kill()
        world.operator.blocked.clear()


@pytest.mark.parametrize("is_late", [False, True])
def test_the_row_does_not_grow_for_ever(is_late: bool) -> None:
    """Who blocks and lets go every day for years leaves no more than the last commands."""
    world = AgentWorld(11)
    try:
        world.start(0)
        live(world, 10.0)
        for _ in range(SHOWN_MAX):
            world.operator.give(PauseCrawl())
            world.operator.give(ResumeCrawl())
        last = world.operator.loop.create_task(last_command(world.operator.engine))
        world.timeline.run(until=world.timeline.now + 10.0, is_over=last.done)
        assert last.result() == 2 * SHOWN_MAX
        keys = [change.key for change in world.broker.changes("command", since=0) if change.value is not None]
        assert len(keys) == SHOWN_MAX
        if is_late:
            late = world.start(1)
            assert late is not None
            live(world, world.timeline.now + 60.0)
            assert late.frontier.orders.last == 2 * SHOWN_MAX
    finally:
        world.close()


def test_nobody_takes_a_shard_before_it_knows_what_was_confirmed() -> None:
    """The watch of the leases may be ahead of that of the commands."""
    world = AgentWorld(12)
    with played(world, 0) as (agent,):
        world.run(until=10.0)
        assert len(agent.frontier.held) == world.shards
        noting = world.stagehand.create_task(world.operator.engine.put(LAST_KEY, b"1"))
        world.run(until=11.0)
        assert noting.done()
        late = world.start(1)
        assert late is not None
        world.run(until=60.0)
        assert not late.frontier.held
        assert world.operator.give(BlockHost("h1.example")).number == 1
        world.run(until=80.0)
        assert late.frontier.held
        world.operator.give(UnblockHost("h1.example"))


def test_what_was_stored_is_told_although_nobody_can_be_asked() -> None:
    world = AgentWorld(13)
    with played(world, 0):
        world.run(until=10.0)
        task = world.operator.begin(PauseCrawl())
        world.timeline.run(until=20.0, is_over=lambda: world.broker.get(LAST_KEY) is not None)
        world.broker.stop()
        live(world, world.timeline.now + 120.0)
        confirmation = task.result()
        assert confirmation is not None
        assert (confirmation.number, confirmation.is_complete) == (1, False)
        world.broker.start()
        world.operator.give(ResumeCrawl())
