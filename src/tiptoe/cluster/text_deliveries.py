"""Which texts must be sent to which agents, until all blocks have stored their parts?

It takes the rows from the outboxes of all held shards (`TextOutbox`), divides their hashes among the agents
that hold their blocks, and drops a row when each of its blocks has confirmed it. Pure: the sender reports the
results.

Rule: a block gets the rows of a shard in order, because it skips numbers that it has passed. So one message
at a time is under way to an agent, it is repeated until it is answered, and when blocks have moved,
everything is divided again only while no message is under way.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.text_messages import LearnTexts, ShardTexts, TextRow
from tiptoe.frontier.text_outbox import HAS_WHOLE, IS_ONCE, SettledText, TextOutbox, text_block, text_blocks
from tiptoe.text.fingerprint import HASH_BYTES

__all__ = ["TextDeliveries"]

ROWS_MAX: Final = 5000
"""Maximum rows of all shards that are under way at once; further ones wait in their tables."""

TEXTS_PER_MESSAGE: Final = 2000
"""Maximum texts per message: about half a megabyte, well below the engine's limit."""


class _Row:
    """A row of an outbox, and the blocks that have yet to store their part."""

    __slots__ = ("held", "left", "number", "texts")

    def __init__(self, held: HeldShard, number: int, texts: list[SettledText], left: set[int]) -> None:
        self.held = held
        self.number = number
        self.texts = texts
        self.left = left


class _Part:
    """The part of a row that concerns one agent."""

    __slots__ = ("blocks", "row", "texts")

    def __init__(self, row: _Row) -> None:
        self.row = row
        self.blocks: set[int] = set()
        self.texts: list[SettledText] = []


class TextDeliveries:
    """The texts of all held shards on their way to the holders of their blocks."""

    def __init__(self, shards: int) -> None:
        self._shards = shards
        self._outboxes: dict[HeldShard, TextOutbox] = {}
        self._stored: dict[HeldShard, int] = {}  # up to which number rows are in the log
        self._begun: dict[HeldShard, int] = {}  # up to which they are under way
        self._rows: dict[tuple[HeldShard, int], _Row] = {}
        self._routes: Sequence[str] = ()
        self._queues: dict[str, deque[_Part]] = {}
        self._under_way: dict[str, list[_Part]] = {}
        self._must_divide = False

    def __repr__(self) -> str:
        return f"<TextDeliveries {len(self._rows)} rows to {len(self._queues)} agents>"

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def has_work(self) -> bool:
        """Whether there are texts to be sent, or answers to wait for."""
        return bool(self._rows) or any(self._stored[held] > self._begun[held] for held in self._outboxes)

    # -- shards ----------------------------------------------------------------

    def take(self, held: HeldShard, outbox: TextOutbox) -> None:
        """Begin to send the texts of a shard: those left in its outbox, and new ones."""
        self._outboxes[held] = outbox
        self._stored[held] = outbox.last
        self._begun[held] = outbox.first - 1

    def drop(self, held: HeldShard) -> None:
        """Stop sending the texts of a shard."""
        if self._outboxes.pop(held, None) is not None:
            del self._stored[held], self._begun[held]
            self._rows = {key: row for key, row in self._rows.items() if key[0] is not held}

    def stored(self, held: HeldShard, number: int) -> None:
        """Note that the rows of a shard up to this number are in its log."""
        if held in self._outboxes:
            self._stored[held] = max(self._stored[held], number)

    # -- messages --------------------------------------------------------------

    def fill(self, routes: Sequence[str]) -> None:
        """Queue stored rows for the current holders of their blocks."""
        if routes != self._routes or self._must_divide:
            if self._under_way:
                return
            self._routes, self._must_divide = list(routes), False
            self._queues = {}
            for row in sorted(self._rows.values(), key=lambda row: (row.held.shard, row.number)):
                self._divide(row)
        for held, outbox in self._outboxes.items():
            begun, stored = self._begun[held], self._stored[held]
            if begun < stored and (room := ROWS_MAX - len(self._rows)) > 0:
                last = min(stored, begun + room)
                for number, texts in outbox.after(begun, last):
                    self._begin(held, number, texts)
                self._begun[held] = last

    def _begin(self, held: HeldShard, number: int, texts: list[SettledText]) -> None:
        row = _Row(held, number, texts, set())
        for text in texts:
            row.left.update(self._blocks(text))
        self._rows[held, number] = row
        self._divide(row)

    def _blocks(self, text: SettledText) -> Sequence[int]:
        if text.flags & IS_ONCE:  # the block of the whole text notifies the others
            return [text_block(text.hashes, self._shards)]
        return text_blocks(text.hashes, self._shards)

    def _divide(self, row: _Row) -> None:
        """Put the parts of a row into the queues of the agents that hold its blocks."""
        left = row.left
        parts: dict[str, _Part] = {}
        for text in row.texts:
            blocks = self._blocks(text)
            agents = self._divided(blocks, left)
            for agent, places in agents.items():
                if agent not in parts:
                    parts[agent] = _Part(row)
                part = parts[agent]
                part.blocks.update(
                    blocks if len(places) == len(blocks) else [blocks[place] for place in places]
                )
                part.texts.append(text if len(places) == len(blocks) else _some(text, places))
        for agent, part in parts.items():
            self._queues.setdefault(agent, deque()).append(part)

    def _divided(self, blocks: Sequence[int], left: set[int]) -> dict[str, Sequence[int]]:
        """Return the holders of the remaining blocks, each with the places of its hashes."""
        routes, concerned = self._routes, set(blocks)
        holders = {routes[block] for block in concerned}
        if len(holders) == 1 and concerned <= left:
            return {holders.pop(): range(len(blocks))}
        places: dict[str, list[int]] = {}
        for place, block in enumerate(blocks):
            if block in left:
                places.setdefault(routes[block], []).append(place)
        return {**places}

    def idle_agents(self) -> list[str]:
        """Return the agents with queued texts and no message under way."""
        return [agent for agent, queue in self._queues.items() if queue and agent not in self._under_way]

    def take_message(self, agent: str) -> LearnTexts:
        """Return the next message to an agent, and count it as under way."""
        queue, taken, texts = self._queues[agent], [], 0
        while queue and texts < TEXTS_PER_MESSAGE:
            part = queue.popleft()
            if part.row.held in self._outboxes:
                taken.append(part)
                texts += len(part.texts)
        self._under_way[agent] = taken
        senders: dict[int, ShardTexts] = {}
        for part in taken:
            shard = part.row.held.shard
            if shard not in senders:
                senders[shard] = ShardTexts(shard, [])
            senders[shard].rows.append(TextRow(part.row.number, part.texts))
        blocks = set().union(*(part.blocks for part in taken))
        return LearnTexts(sorted(blocks), list(senders.values()))

    def answered(self, agent: str, stored: Sequence[int]) -> list[SettledText]:
        """Note that an agent has stored the last message as far as it concerns these blocks.

        Returns the texts that are known everywhere now.
        """
        done: dict[HeldShard, list[int]] = {}
        known: list[SettledText] = []
        for part in self._under_way.pop(agent):
            row = part.row
            row.left.difference_update(part.blocks.intersection(stored))
            if not part.blocks.issubset(stored):
                self._must_divide = True  # they have moved, or are moving
            if not row.left and self._rows.pop((row.held, row.number), None) is not None:
                done.setdefault(row.held, []).append(row.number)
                known += row.texts
        for held, numbers in done.items():
            with held.unhurried():  # if they were sent again, the receiver would skip them
                self._outboxes[held].drop(numbers)
        return known

    def unanswered(self, agent: str) -> None:
        """Send the last message to an agent again, because it may not have arrived."""
        self._queues.setdefault(agent, deque()).extendleft(reversed(self._under_way.pop(agent)))


def _some(text: SettledText, places: Sequence[int]) -> SettledText:
    hashes = b"".join([text.hashes[HASH_BYTES * at : HASH_BYTES * (at + 1)] for at in places])
    flags = text.flags if places[0] == 0 else text.flags & ~HAS_WHOLE
    return SettledText(text.url, hashes, flags)
