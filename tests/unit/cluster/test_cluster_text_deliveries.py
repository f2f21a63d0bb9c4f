"""Which texts are to be told to whom, until all shards have stored what concerns them?"""

import random

import pytest
from text_grounds import FakeShard, blocks_of, fingerprint_of, held

from simulated.text_world import OneIndex
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.text_blocks import TextBlocks
from tiptoe.cluster.text_deliveries import TextDeliveries
from tiptoe.cluster.text_messages import LearnTexts
from tiptoe.frontier.text_outbox import text_blocks
from tiptoe.store.tables import Table

SHARDS = 6
ROUTES = ["a", "a", "a", "b", "b", "b"]


def deliveries_of(*shards: FakeShard) -> TextDeliveries:
    deliveries = TextDeliveries(SHARDS)
    for shard in shards:
        deliveries.take(held(shard), shard.text_outbox)
    return deliveries


def settle(deliveries: TextDeliveries, shard: FakeShard, *names: str) -> None:
    shard.settle(f"http://{names[0]}.example/", fingerprint_of(*names))
    deliveries.stored(held(shard), shard.text_outbox.last)


def blocks_in(message: LearnTexts) -> set[int]:
    return {
        block
        for sender in message.senders
        for row in sender.rows
        for text in row.texts
        for block in text_blocks(text.hashes, SHARDS)
    }


def test_each_agent_is_told_what_its_blocks_are_to_know() -> None:
    shard = FakeShard(0)
    deliveries = deliveries_of(shard)
    settle(deliveries, shard, *"abcdefgh")
    deliveries.fill(ROUTES)
    for agent in deliveries.idle_agents():
        message = deliveries.take_message(agent)
        assert {ROUTES[block] for block in blocks_in(message)} == {agent}
        assert blocks_in(message) == set(message.blocks)


def test_what_is_not_in_the_log_is_told_to_nobody() -> None:
    """Its shard may be lost before, and its page asked for again."""
    shard = FakeShard(0)
    deliveries = deliveries_of(shard)
    shard.settle("http://a.example/", fingerprint_of("a"))
    deliveries.fill(ROUTES)
    assert deliveries.idle_agents() == []
    deliveries.stored(held(shard), 1)
    assert deliveries.has_work
    deliveries.fill(ROUTES)
    assert deliveries.idle_agents()


def test_a_row_stays_until_every_block_has_it() -> None:
    shard = FakeShard(0)
    deliveries = deliveries_of(shard)
    settle(deliveries, shard, *"abcdefgh")
    deliveries.fill(ROUTES)
    messages = {agent: deliveries.take_message(agent) for agent in deliveries.idle_agents()}
    assert set(messages) == {"a", "b"}
    assert deliveries.answered("a", messages["a"].blocks) == []
    assert len(shard.text_outbox) == 1
    assert [text.url for text in deliveries.answered("b", messages["b"].blocks)] == ["http://a.example/"]
    assert len(shard.text_outbox) == 0
    assert list(shard.store.scan(Table.TEXT)) == []


def test_who_does_not_answer_is_told_the_same_again() -> None:
    shard = FakeShard(0)
    deliveries = deliveries_of(shard)
    settle(deliveries, shard, *"abcdefgh")
    deliveries.fill(ROUTES)
    first = deliveries.take_message("a")
    settle(deliveries, shard, *"ijklmnop")
    deliveries.unanswered("a")
    deliveries.fill(ROUTES)
    again = deliveries.take_message("a")
    assert again.senders[0].rows[0] == first.senders[0].rows[0]
    assert [row.number for row in again.senders[0].rows] == [1, 2]


def test_what_has_moved_is_told_to_its_new_holder_when_nothing_is_under_way() -> None:
    """Before, a later row could come to the block by the new way earlier than this one by the old."""
    shard = FakeShard(0)
    deliveries = deliveries_of(shard)
    settle(deliveries, shard, *"abcdefgh")
    deliveries.fill(ROUTES)
    deliveries.take_message("a")
    deliveries.fill(["c"] * SHARDS)
    assert "c" not in deliveries.idle_agents()
    deliveries.unanswered("a")
    deliveries.fill(["c"] * SHARDS)
    assert deliveries.idle_agents() == ["c"]
    assert blocks_in(deliveries.take_message("c")) == set(text_blocks(fingerprint_of(*"abcdefgh"), SHARDS))


def test_a_shard_that_is_lost_tells_nothing_more() -> None:
    shard, other = FakeShard(0), FakeShard(1)
    deliveries = deliveries_of(shard, other)
    settle(deliveries, shard, "a")
    deliveries.fill(ROUTES)
    agents = deliveries.idle_agents()
    message = deliveries.take_message(agents[0])
    deliveries.drop(held(shard))
    assert deliveries.answered(agents[0], message.blocks) == []
    assert not deliveries.has_work
    assert len(shard.text_outbox) == 1, "whoever takes it tells it"


@pytest.mark.parametrize("seed", range(8))
def test_whatever_gets_lost_or_moves_everything_is_learned_once_and_in_order(seed: int) -> None:
    """Answers get lost after the deed, blocks move, senders begin anew: the index is that of one machine."""
    chance = random.Random(seed)
    agents = {name: blocks_of(SHARDS)[0] for name in "abc"}
    stores = {number: FakeShard(number) for number in range(SHARDS)}
    routes = [chance.choice("abc") for _ in range(SHARDS)]
    for number, agent in enumerate(routes):
        agents[agent].take(held(stores[number]), settles_at=0.0)
    one, senders, texts = OneIndex(), [FakeShard(0), FakeShard(1)], 0
    deliveries = deliveries_of(*senders)
    under_way: dict[str, LearnTexts] = {}
    for turn in range(400):
        event = chance.random()
        if event < 0.3 and turn < 300:
            names = [f"w{chance.randrange(60)}" for _ in range(chance.randint(1, 6))]
            texts += 1
            sender = senders[texts % 2]
            text = fingerprint_of(*dict.fromkeys(names))
            url = f"http://h.example/{texts}"
            sender.settle(url, text)
            deliveries.stored(held(sender), sender.text_outbox.last)
            one.learn(url, text, is_kept=True)
        elif event < 0.35 and turn < 300:
            number = chance.randrange(SHARDS)
            agents[routes[number]].drop(number)
            routes[number] = chance.choice("abc")
            agents[routes[number]].take(held(stores[number]), settles_at=0.0)
        elif event < 0.38 and turn < 300:
            deliveries = deliveries_of(*senders)  # another agent has taken both
            under_way.clear()
        elif under_way and event < 0.7:
            agent, message = under_way.popitem()
            stored = _tell(agents[agent], message, chance)
            if chance.random() < 0.3 and turn < 350:
                deliveries.unanswered(agent)
            else:
                deliveries.answered(agent, stored)
        else:
            deliveries.fill(routes)
            for agent in deliveries.idle_agents():
                under_way[agent] = deliveries.take_message(agent)
    while deliveries.has_work or under_way:
        for agent, message in under_way.items():
            deliveries.answered(agent, _tell(agents[agent], message, chance))
        deliveries.fill(routes)
        under_way = {agent: deliveries.take_message(agent) for agent in deliveries.idle_agents()}
    known = {key: row for shard in stores.values() for key, row in shard.store.scan(Table.PARAGRAPH)}
    alone = dict(one.store.scan(Table.PARAGRAPH))
    assert known.keys() == alone.keys()
    assert _counted(known) == _counted(alone)


def _tell(agent: TextBlocks[HeldShard], message: LearnTexts, chance: random.Random) -> list[int]:
    """Tell an agent once, or twice, for messages may be doubled."""
    written = agent.learn([message] * chance.choice([1, 1, 2]))
    return [shard.shard for shard in written]


def _counted(rows: dict[bytes, bytes]) -> dict[bytes, int]:
    """Return in how many documents each paragraph is: who was first depends on the way."""
    return {
        key: int.from_bytes(row[8:10]) if len(row) == 10 else 1 for key, row in rows.items() if len(key) == 8
    }
