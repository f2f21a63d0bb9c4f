"""Agents crawl a web of copied texts: does none stand twice, and does nobody wait for those who are gone?"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import pytest

from simulated.agent_world import BRIEF, LEASE_SECONDS, LONG, SimulatedAgent
from simulated.text_world import TextWorld, is_copy
from tiptoe.cluster.text_inquiries import MOVING_SECONDS
from tiptoe.protocol.work import Question
from tiptoe.store.tables import Table

HOUR = 3600.0
DIFFERENT_SHARE = 0.001
USUAL = replace(LONG, req_delay=5.0)
"""With the pause that a crawl makes unless told otherwise."""

TICK = 0.2
"""By how much an answer may be late: agents look at the clock when they gather."""


@contextmanager
def judged(seed: int) -> Iterator[TextWorld]:
    """Let something happen; then let the agents crawl to the end, and judge what servers saw."""
    world = TextWorld(seed)
    try:
        yield world
        assert world.run(until=2 * HOUR), f"it never ends: {world.living()}"
        assert world.judge() == []
    finally:
        world.close()


def started(world: TextWorld, *numbers: int) -> list[SimulatedAgent]:
    agents = [world.start(number) for number in numbers]
    return [agent for agent in agents if agent is not None]


def twice(world: TextWorld) -> list[list[str]]:
    """Return the pages of each text that stands more than once in the union of the corpora."""
    return [urls for urls in world.kept().values() if len(urls) > 1]


def different(world: TextWorld) -> int:
    """Count the pages of which agents said something else than one machine.

    Of two pages with one text, read at one moment, either may be the one that is kept.
    """
    agents = Counter(world.texts.whole(one.url) for one in world.compared if is_copy(one.agents))
    alone = Counter(world.texts.whole(one.url) for one in world.compared if is_copy(one.alone))
    return ((agents - alone) + (alone - agents)).total()


@pytest.mark.parametrize("seed", [3, 4])
def test_agents_say_of_every_page_what_one_machine_says(seed: int) -> None:
    """`bench/same_texts.py` asks so of thousands."""
    with judged(seed) as world:
        world.rules = USUAL
        started(world, 0, 1, 2)
    assert len({served.by for served in world.served}) == 3
    assert sum(is_copy(compared.agents) for compared in world.compared) > 50
    assert [compared for compared in world.compared if not compared.is_same] == []
    assert [one for one in world.compared if one.agents.duplicity != one.alone.duplicity] == []
    assert twice(world) == []


@pytest.mark.parametrize("seed", [3, 4])
def test_after_short_pauses_hardly_a_page_has_another_share_of_known_text(seed: int) -> None:
    """Counts of what is met on many pages are a second or two behind: by them a paragraph is furniture."""
    with judged(seed) as world:
        world.rules = BRIEF
        started(world, 0, 1, 2)
    assert [compared for compared in world.compared if not compared.is_same] == []
    others = [one for one in world.compared if one.agents.duplicity != one.alone.duplicity]
    # 1.2 % over many worlds (`bench/same_texts.py --pause 2`), by chance more or less in one of them.
    assert len(others) <= 0.02 * len(world.compared)


@pytest.mark.parametrize("seed", [5, 6])
def test_no_text_stands_twice_when_agents_come_and_go_in_good_order(seed: int) -> None:
    """Blocks move with their shards, and claims go after them."""
    with judged(seed) as world:
        started(world, 0)
        world.at(40.0, partial(world.start, 1))
        world.at(60.0, partial(world.start, 2))
        world.at(90.0, partial(world.begin, "leave", 0))
        world.at(130.0, partial(world.start, 0))
        world.at(170.0, partial(world.begin, "leave", 1))
    assert twice(world) == []
    assert len(world.compared) > 300
    assert different(world) <= DIFFERENT_SHARE * len(world.compared), "here: none of them"


def test_whoever_takes_a_block_knows_what_its_holder_knew() -> None:
    """It stands in the log of its shard: also when the machine has burnt."""
    with judged(9) as world:
        _, second = started(world, 0, 1)
        world.run(until=100.0)
        known = _known_in(world)
        assert known
        world.begin("burn", 0)
        world.run(until=100.0 + 2 * LEASE_SECONDS)
        assert len(second.frontier.held) == world.shards
        assert known.keys() <= _known_in(world).keys()


def test_the_end_of_a_holder_stops_nobody() -> None:
    """Nothing waits longer than the limit, and a dead agent does not cost it for every question."""
    with judged(10) as world:
        _, second = started(world, 0, 1)
        world.run(until=80.0)
        before, asked = len(world.compared), len(world.waits)
        world.begin("kill", 0)
        world.run(until=80.0 + 0.8 * LEASE_SECONDS)
        assert not any(held.shard in range(world.shards) for held in second.frontier.held) or before < len(
            world.compared
        ), "pages are judged while nobody holds the blocks"
        waits = world.waits[asked:]
        assert max(waits) <= MOVING_SECONDS + TICK
        assert sum(wait > 0.5 for wait in waits) <= len(waits) / 3
    assert max(world.waits) <= MOVING_SECONDS + TICK


def test_pages_are_judged_by_whom_one_can_reach_while_a_link_is_cut() -> None:
    with judged(11) as world:
        first, _, _ = started(world, 0, 1, 2)
        world.run(until=60.0)
        asked = len(world.waits)
        first.engine.cut_off()
        world.run(until=75.0)
        first.engine.join()
        world.run(until=110.0)
        assert len(world.waits) > asked
    assert max(world.waits) <= MOVING_SECONDS + TICK


def test_the_claims_of_an_agent_end_with_it() -> None:
    """What it had read and not settled is asked for again by whoever has its shards, and kept once."""
    with judged(12) as world:
        first, second = started(world, 0, 1)
        world.run(until=60.0)
        shard = next(iter(first.frontier.held)).shard
        url, texts = "http://claimed.example/", second.frontier.texts
        mark = world.texts.mark(url)
        answers: list[bytes] = []

        def ask(agent: SimulatedAgent, by: str) -> None:
            agent.loop.call_soon(
                lambda: agent.frontier.claim_paragraphs(
                    [Question(1, by, mark.hashes)], lambda said: answers.append(said[1])
                )
            )

        ask(first, url)
        world.run(until=61.0)
        ask(second, "http://copy.example/")
        world.run(until=62.0)
        first.kill()
        world.run(until=62.0 + 2.5 * LEASE_SECONDS)
        assert any(held.shard == shard for held in second.frontier.held)
        ask(second, "http://copy.example/")
        world.run(until=70.0 + 2.5 * LEASE_SECONDS)
        assert texts is not None
        assert [sum(answer) for answer in answers] == [0, 2 * len(answers[1]), 0]


def test_texts_of_converted_documents_are_known_to_all() -> None:
    """They are told by whichever agent has taken them in, and once."""
    with judged(13) as world:
        first, second = started(world, 0, 1)
        world.run(until=60.0)
        document, mark = "http://h1.example/d.pdf", world.texts.mark("http://h1.example/d.pdf")
        known: list[dict[int, bytes]] = []
        for moment in (60.0, 61.0):
            first.loop.call_at(moment, lambda: first.frontier.learn([(document, mark.hashes)]))
        question = Question(1, "http://h2.example/copy.pdf", mark.hashes)
        second.loop.call_at(64.0, lambda: second.frontier.find_known_paragraphs([question], known.append))
        paragraph = Question(1, "http://h2.example/part.pdf", b"another!" + mark.hashes[8:16])
        second.loop.call_at(64.0, lambda: second.frontier.find_known_paragraphs([paragraph], known.append))
        world.run(until=66.0)
        assert known == [{1: b"\1" + document.encode()}, {1: b"\0\1"}]


@pytest.mark.parametrize("seed", [20, 21])
def test_whatever_happens_the_crawl_ends_and_hardly_a_text_stands_twice(seed: int) -> None:
    """Deaths, standstills, cuts and bad lines; of texts whose holders are away nobody can know."""
    with judged(seed) as world:
        world.trouble(until=300.0)
    assert len(twice(world)) <= len(world.kept()) * 0.05


def _known_in(world: TextWorld) -> dict[bytes, bytes]:
    """Return what stands in the index, at all agents."""
    return {
        key: row
        for life in world.living()
        for held in life.frontier.held
        for key, row in held.log.store.scan(Table.PARAGRAPH)
    }
