"""The frontiers of several shards, as a keeper sees them."""

from collections.abc import Iterator

import pytest

from simulated.agent_world import AgentWorld, SimulatedAgent
from simulated.memory_engine import Fate
from tiptoe.frontier.locator import find_host
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.protocol.status import Cause
from tiptoe.protocol.work import Report, Visit
from tiptoe.url.address import host_of

CLOCK = 1e9
HARVESTER = "h2-1-0001"


@pytest.fixture
def world() -> Iterator[AgentWorld]:
    made = AgentWorld(11)
    yield made
    made.close()


@pytest.fixture
def agent(world: AgentWorld) -> SimulatedAgent:
    """An agent in the middle of its crawl, which holds everything."""
    agent = world.start(0)
    assert agent is not None
    world.run(until=60.0)
    assert len(agent.frontier.held) == world.shards
    return agent


def test_what_was_counted_is_that_of_all_shards(world: AgentWorld, agent: SimulatedAgent) -> None:
    frontier: CrawlFrontier = agent.frontier
    frontier.check()
    each = [held.frontier.counters for held in agent.frontier.held]
    total = frontier.counters
    assert total.totals.pages == sum(counters.totals.pages for counters in each) > 0
    assert total.gauges.queued == sum(counters.gauges.queued for counters in each)
    outcomes = sum((sum(counters.totals.outcomes.values()) for counters in each), 0)
    assert sum(total.totals.outcomes.values()) == outcomes > 0


def test_a_report_about_a_shard_that_is_not_held_ends_its_visit(agent: SimulatedAgent) -> None:
    """The harvester is told so at once: nobody waits for a commit that never comes."""
    visit = next(visit for held in agent.frontier.held for visit in held.visits)
    agent.frontier.drop(shard_of_visit(visit))
    assert agent.frontier.report([Report(visit, [], is_done=True)], {}, CLOCK) == {visit: []}
    told: list[bool] = []
    agent.frontier.after_commit(lambda: told.append(True))
    assert told == [True]


def test_a_shard_that_is_given_away_begins_and_extends_no_visit(agent: SimulatedAgent) -> None:
    for held in agent.frontier.held:
        held.is_closing = True
    agent.frontier.tick(CLOCK)
    assert agent.frontier.visits(10, HARVESTER, CLOCK + 1e6) == []
    visit = next(visit for held in agent.frontier.held for visit in held.visits)
    assert agent.frontier.report([Report(visit, [], is_done=True)], {}, CLOCK) == {visit: []}


def test_nothing_is_handed_out_of_shards_that_are_not_held_for_sure(
    world: AgentWorld, agent: SimulatedAgent
) -> None:
    """Nor is a harvester that visits their hosts to go on."""
    assert agent.frontier.may_go_on(agent.harvester.name)
    agent.engine.cut_off()
    world.run(until=world.timeline.now + 19.0)
    agent.frontier.tick(CLOCK + 1e6)
    assert agent.frontier.visits(10, HARVESTER, CLOCK + 1e6) == []
    assert agent.frontier.may_go_on(HARVESTER)  # it has none of their visits
    visiting = any(held.visits for held in agent.frontier.held)
    assert agent.frontier.may_go_on(agent.harvester.name) == (not visiting)


def test_a_member_whose_servers_are_away_says_so(world: AgentWorld, agent: SimulatedAgent) -> None:
    """Else nothing is asked for, and nobody knows why."""

    def causes() -> list[Cause]:
        waiting = agent.frontier.waiting(agent.machine.count(world.timeline.now))
        return [reason.cause for reason in waiting.reasons]

    assert Cause.SERVERS not in causes()
    world.broker.stop()
    world.run(until=world.timeline.now + 60.0)
    assert causes()[0] is Cause.SERVERS
    world.broker.start()
    world.run(until=world.timeline.now + 60.0)
    assert Cause.SERVERS not in causes()


def test_a_member_that_gets_no_part_because_the_servers_are_full_says_so(world: AgentWorld) -> None:
    """They can be read, so it has joined; but that it is there cannot be stored."""
    agent = world.start(0)
    assert agent is not None
    agent.engine.trouble = lambda operation, name: Fate(is_done=operation != "put")
    world.run(until=60.0)
    assert not agent.frontier.held
    waiting = agent.frontier.waiting(agent.machine.count(world.timeline.now))
    assert [reason.cause for reason in waiting.reasons] == [Cause.SERVERS]


def test_every_visit_says_what_time_it_is_in_its_shard(world: AgentWorld) -> None:
    """Its harvester writes that down, so that requests of other agents can be compared with its own."""
    agent = world.start(0)
    assert agent is not None
    handed_out: list[Visit] = []
    visits = agent.frontier.visits

    def noted(wanted: int, harvester: str, now: float) -> list[Visit]:
        found = visits(wanted, harvester, now)
        handed_out.extend(found)
        return found

    agent.frontier.visits = noted  # type: ignore[method-assign]
    world.run(until=60.0)
    clocks = {held.shard: held.clock for held in agent.frontier.held}
    assert handed_out
    for visit in handed_out:
        assert visit.time is not None
        assert visit.time.offset == clocks[shard_of_visit(visit.id)].offset
        assert visit.time.boot == agent.machine.time(0.0).boot != ""


def test_an_order_for_a_host_reaches_the_shard_where_it_lives(
    world: AgentWorld, agent: SimulatedAgent
) -> None:
    host = host_of(world.web.seeds()[0])
    agent.frontier.block(host, CLOCK)
    record = agent.frontier.host(host)
    assert record is not None
    assert record.is_blocked


def test_a_lost_harvester_loses_its_visits_in_all_shards(agent: SimulatedAgent) -> None:
    assert any(held.visits for held in agent.frontier.held)
    agent.frontier.lose(agent.harvester.name, CLOCK + 1000)
    assert not any(held.visits for held in agent.frontier.held)
    agent.frontier.check()


def test_the_story_of_a_host_stands_in_the_shard_where_it_lives(agent: SimulatedAgent) -> None:
    """`tiptoe why` on a member; of hosts that live elsewhere it knows nothing."""
    host = agent.frontier.visited_hosts()[0]
    tables = agent.frontier.tables_of(host)
    assert tables is not None
    found = find_host(tables, host, unproductive_rest=0.0)
    assert found is not None
    assert (found.host, found.state) == (host, "visited")
    assert agent.frontier.tables_of("never.example") is None
    for shard in [held.shard for held in agent.frontier.held]:
        agent.frontier.drop(shard)
    assert agent.frontier.tables_of(host) is None
