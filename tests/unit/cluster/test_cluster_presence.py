"""Is it known who is there?"""

import math

import pytest

from tiptoe.cluster.agent_presence import AgentPresence, AgentsSeen
from tiptoe.cluster.assignment import Contender


@pytest.fixture
def agents() -> AgentsSeen:
    return AgentsSeen(lease_seconds=30.0)


def presence(name: str = "a", *, beats: int = 9, is_leaving: bool = False) -> AgentPresence:
    return AgentPresence(name, f"{name}-1", beats, is_leaving=is_leaving)


def names(found: list[AgentPresence]) -> set[str]:
    return {one.name for one in found}


def test_an_agent_is_there_while_its_key_changes(agents: AgentsSeen) -> None:
    agents.seen("a", presence(), 1, 100.0)
    agents.seen("a", presence(beats=10), 2, 105.0)
    assert names(agents.heard(119.9)) == {"a"}
    assert agents.changes_at(119.9) == 120.0
    assert agents.heard(120.0) == []
    assert agents.changes_at(120.0) == math.inf


def test_to_be_told_the_same_again_is_no_sign_of_life(agents: AgentsSeen) -> None:
    """A watch tells all keys anew after every loss of the connection."""
    agents.seen("a", presence(), 1, 100.0)
    agents.seen("a", presence(), 1, 114.0)
    assert agents.heard(116.0) == []
    assert agents.dead(129.9) == set()
    assert agents.dead(130.0) == {"a"}


def test_one_that_is_heard_again_is_there_again(agents: AgentsSeen) -> None:
    agents.seen("a", presence(), 1, 100.0)
    agents.seen("a", presence(beats=10), 2, 500.0)
    assert names(agents.contenders(501.0)) == {"a"}


def test_nothing_is_given_to_those_who_have_just_come_or_are_leaving(agents: AgentsSeen) -> None:
    agents.seen("new", presence("new", beats=1), 1, 100.0)
    agents.seen("leaving", presence("leaving", is_leaving=True), 2, 100.0)
    agents.seen("a", presence(), 3, 100.0)
    assert names(agents.heard(101.0)) == {"new", "leaving", "a"}
    assert names(agents.contenders(101.0)) == {"a"}


def test_one_that_has_left_is_forgotten(agents: AgentsSeen) -> None:
    agents.seen("a", presence(), 1, 100.0)
    agents.seen("a", None, 2, 101.0)
    assert agents.names() == set()
    assert agents.contender_of("a") is None


def test_beats_alone_change_nothing_worth_deciding_anew(agents: AgentsSeen) -> None:
    agents.seen("a", presence(beats=1), 1, 100.0)
    joining = agents.contender_of("a")
    agents.seen("a", presence(beats=2), 2, 105.0)
    joined = agents.contender_of("a")
    agents.seen("a", presence(beats=3), 3, 110.0)
    assert joining != joined
    assert joined == agents.contender_of("a")


def test_an_agent_takes_part_with_what_it_says() -> None:
    said = AgentPresence("a", "a-1", 0, weight=0, takes=("sk",))
    assert said.contender() == Contender("a", 1, frozenset({"sk"}))
