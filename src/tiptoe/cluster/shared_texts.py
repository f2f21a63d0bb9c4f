"""How does an agent share the index of texts with the others?

    a harvester asks ─▶ `TextInquiries` ─▶ own blocks, and a request to each other agent ─▶ answer
    a page is settled ─▶ outbox of its shard ─▶ `TextDeliveries` ─▶ own blocks, and requests to others
    requests of others ─▶ `TextBlocks`

Questions and texts are gathered for a moment, longer with more agents, because each asks each. If the holder
of a block is gone, its hashes are unknown until the shard is held again, and new texts for it wait.
"""

import asyncio
import contextlib
import math
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from tiptoe.cluster.engine import Engine
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.shard_lease import ShardLease
from tiptoe.cluster.text_blocks import SETTLING_SECONDS, TextBlocks
from tiptoe.cluster.text_deliveries import TextDeliveries
from tiptoe.cluster.text_inquiries import OpenClaim, Opened, OpenPart, TextInquiries
from tiptoe.cluster.text_messages import (
    ELSEWHERE,
    AskTexts,
    LearnTexts,
    TextAnswers,
    decode_answers,
    decode_request,
    decode_stored,
    encode,
    texts_subject,
)
from tiptoe.cluster.text_peer import TextPeer
from tiptoe.errors import CrawlerError
from tiptoe.frontier.duplicity import Answered
from tiptoe.frontier.text_outbox import SettledText
from tiptoe.protocol.work import Question, Result

__all__ = ["SharedTexts"]

GATHER_SECONDS: Final = 0.1
"""How long questions are gathered, per agent ..."""

GATHER_SECONDS_MAX: Final = 0.5
"""... and at most in total."""

DELIVER_SECONDS: Final = 0.125
"""How long texts are gathered before they are sent, per agent ..."""

DELIVER_SECONDS_MIN: Final = 0.5
DELIVER_SECONDS_MAX: Final = 1.0
"""... and at most: copies met meanwhile wait, and ask again, but no harvester has more than a few seconds."""

LEARN_SECONDS: Final = 0.1
"""How long received ones are gathered before they are written, together with other rows for the logs."""

LOOK_SECONDS: Final = 0.1
"""Minimum time between two checks of who holds which shard."""

IDLE_SECONDS: Final = 0.5
"""The same while there are no questions."""

ANSWER_SECONDS: Final = 1.0
STORE_SECONDS: Final = 3.0
NO_ANSWER: Final = (CrawlerError, msgspec.MsgspecError, ValueError)
"""Errors that mean no answer in time, or one of another version."""

UNHEARD_SECONDS: Final = 60.0
"""Time after which the claims of an agent end that holds no shard and sends no requests."""


class SharedTexts:
    """The index of texts of the whole crawl, as one agent sees it."""

    is_shared = True

    def __init__(
        self, engine: Engine, leases: Sequence[ShardLease], *, agent: str, incarnation: str,
        pages_of: Callable[[str], tuple[int, int]], is_forgotten: Callable[[str], bool] = lambda url: False,
    ) -> None:  # fmt: skip
        """`pages_of` returns, for a URL, the shard in which it is settled and how many pages its host has.

        `is_forgotten` says of a URL that nothing of it may be learned.
        """
        self._engine = engine
        self._leases = leases
        self._agent = agent
        self._incarnation = incarnation
        self._pages_of = pages_of
        shards = len(leases)
        self._blocks: TextBlocks[HeldShard] = TextBlocks(shards, is_forgotten=is_forgotten)
        self._inquiries = TextInquiries(shards)
        self._deliveries = TextDeliveries(shards)
        self._told: dict[HeldShard, int] = {}  # last row of its outbox that awaits its commit
        self._places: list[tuple[str, int]] = [("", 0)] * shards  # holder and term of each shard
        self._routes = [""] * shards
        self._looked_at = -IDLE_SECONDS
        self._peers: dict[str, TextPeer] = {}
        self._heard: dict[str, float] = {}  # when each asker asked last
        self._holders: set[str] = set()  # incarnations that hold shards
        self._tasks: set[asyncio.Task[None]] = set()
        self._has_questions = asyncio.Event()
        self._has_texts = asyncio.Event()
        self._hurries = asyncio.Event()
        self._untold: list[tuple[LearnTexts, asyncio.Future[list[int]]]] = []  # received, but not learned yet
        self._is_told = asyncio.Event()

    def __repr__(self) -> str:
        return f"<SharedTexts of {self._agent}: {self._blocks!r}, {self._deliveries!r}>"

    # -- shards come and go ------------------------------------------------------

    def take(self, held: HeldShard) -> None:
        """Begin to use the block of a shard that is now held, and to deliver its texts."""
        outbox = held.frontier.text_outbox
        if outbox is not None:
            now = _now()
            is_first = self._leases[held.shard].term == 1  # so there are no earlier claims
            self._blocks.take(held, settles_at=now if is_first else now + SETTLING_SECONDS)
            self._deliveries.take(held, outbox)
            self._told[held] = outbox.last
            self._look(now)
            self._has_texts.set()

    def drop(self, held: HeldShard) -> None:
        """Forget a shard that is no longer held: its pages will be settled elsewhere, if at all."""
        if self._told.pop(held, None) is not None:
            self._blocks.drop(held.shard)
            self._deliveries.drop(held)
            self._inquiries.pending.clear()
            self._end(self._inquiries.of_shard(held.shard))

    def unlearn(self, held: HeldShard, texts: Iterable[tuple[str, bytes]], *, is_whole_host: bool) -> None:
        """Remove texts that leave the corpus from the block of a shard that is held."""
        self._blocks.unlearn(held, texts, is_whole_host=is_whole_host)

    def strike(self, held: HeldShard, keys: Iterable[bytes]) -> None:
        """Remove rows from the block of a shard that is held."""
        self._blocks.strike(held, keys)

    # -- from the keeper -----------------------------------------------------------

    def ask(self, questions: list[Question], answered: Answered, *, is_look: bool = False) -> None:
        """Answer questions about texts as soon as all agents concerned have answered, or in time."""
        now = _now()
        if now >= self._looked_at + LOOK_SECONDS:
            self._look(now)
        inquiry = self._inquiries.begin(answered, now)
        opened: list[Opened] = []
        for question in questions:
            shard, pages = self._pages_of(question.url)
            opened += self._inquiries.add(
                inquiry, question, self._routes, shard=shard, pages=pages, is_look=is_look
            )
        self._put_all(opened, now)
        self._inquiries.start(inquiry)
        if len(self._inquiries):
            self._has_questions.set()

    def settled(self, held: HeldShard, results: Iterable[Result] = (), *, hurries: bool = False) -> None:
        """Take in a step of a shard that has settled these results, and may have learned texts."""
        outbox = held.frontier.text_outbox
        if outbox is None:
            return
        # The claims of all other pages last until their texts are known everywhere.
        ended = [result.request.url for result in results if not result.fingerprint]
        ended += outbox.take_ended()
        if ended:
            self._end(ended)
        if outbox.last > self._told[held]:
            self._inquiries.pending.add(outbox.recent(self._told[held]))
            self._told[held] = outbox.last
            held.log.after_commit(partial(self._stored, held, outbox.last, hurries))

    def _stored(self, held: HeldShard, last: int, hurries: bool) -> None:
        self._deliveries.stored(held, last)
        self._has_texts.set()
        if hurries:
            self._hurries.set()

    def _known(self, texts: list[SettledText]) -> None:
        """Note that texts are stored in all their blocks, so that no page need wait for theirs."""
        self._inquiries.pending.remove(texts)
        self._end(text.url for text in texts)

    def _end(self, urls: Iterable[str]) -> None:
        """Report pages that are no longer under way to the agents where they have claims."""
        ended: dict[str, list[str]] = {}
        for block, url in self._inquiries.end(urls):
            ended.setdefault(self._routes[block], []).append(url)
        for agent, some in ended.items():
            if agent:
                self._peer(agent).ended.extend(some)

    # -- who holds what ------------------------------------------------------------

    def _look(self, now: float) -> None:
        """Update who holds which block; repeat claims where blocks have moved, end those of lost agents."""
        self._looked_at = now
        self._blocks.look(now)
        places = [(lease.holder, lease.record.term if lease.record else 0) for lease in self._leases]
        if places != self._places:
            moved = {shard for shard, place in enumerate(places) if place != self._places[shard]}
            self._places, self._routes = places, [holder for holder, _ in places]
            self._peers = {agent: peer for agent, peer in self._peers.items() if agent in self._routes}
            self._put_all(self._inquiries.claim_again(moved, self._routes, now), now)
        holders = {lease.record.incarnation for lease in self._leases if lease.record and lease.record.holder}
        gone = self._holders - holders
        gone.update(
            asker for asker, at in self._heard.items() if asker not in holders and at < now - UNHEARD_SECONDS
        )
        self._holders = holders
        for asker in gone - {self._incarnation}:
            self._heard.pop(asker, None)
            self._blocks.claims.lose(asker, now)

    def _peer(self, agent: str) -> TextPeer:
        if agent not in self._peers:
            self._peers[agent] = TextPeer()
        return self._peers[agent]

    @property
    def _gather_seconds(self) -> float:
        return min(GATHER_SECONDS * len(set(self._routes)), GATHER_SECONDS_MAX)

    @property
    def _deliver_seconds(self) -> float:
        seconds = DELIVER_SECONDS * len(set(self._routes))
        return min(max(seconds, DELIVER_SECONDS_MIN), DELIVER_SECONDS_MAX)

    # -- questions -----------------------------------------------------------------

    def _put_all(self, opened: list[Opened], now: float) -> None:
        """Queue questions and claims for the agents that know the answers, this one included."""
        for agent, one in opened:
            self._put(agent, one, now)

    def _put(self, agent: str, opened: OpenPart | OpenClaim, now: float) -> None:
        if agent and (peer := self._peer(agent)).breaker.may_ask(now):
            peer.opened.append(opened)
        elif isinstance(opened, OpenPart):
            # Without a holder (`ELSEWHERE`) it is retried, because that may change soon; a silent one has no
            # answer.
            self._inquiries.hear(opened, b"" if agent else bytes((ELSEWHERE,)) * len(opened.places), now)
        else:
            self._inquiries.hear_claim(opened, None if agent else bytes((ELSEWHERE,)), now)

    def _answer_own(self, now: float) -> None:
        """Answer what is known here: all that was gathered with one look into the tables."""
        parts, claims, ended = self._peer(self._agent).take(math.inf)
        self._blocks.claims.end(self._incarnation, ended, now)
        if parts or claims:
            answers = self._blocks.answer(self._incarnation, _blocks_of(parts), parts, claims)
            self._hear(parts, claims, TextAnswers(*answers), now)

    def _request(self, parts: list[OpenPart], claims: list[OpenClaim], ended: list[str]) -> AskTexts:
        return AskTexts(
            self._incarnation, list(_blocks_of(parts)), [part.part for part in parts],
            [claim.claim for claim in claims], ended,
        )  # fmt: skip

    def _hear(self, parts: list[OpenPart], claims: list[OpenClaim], answers: TextAnswers, now: float) -> None:
        for part, marks in zip(parts, answers.marks, strict=True):
            self._inquiries.hear(part, marks, now)
        for claim, claimed in zip(claims, answers.claimed, strict=True):
            self._inquiries.hear_claim(claim, claimed, now)

    async def _carry_questions(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(IDLE_SECONDS):
                    await self._has_questions.wait()
            self._has_questions.clear()
            await asyncio.sleep(self._gather_seconds)
            now = _now()
            if now >= self._looked_at + LOOK_SECONDS:
                self._look(now)
            self._put_all(self._inquiries.take_again(self._routes, now), now)
            self._answer_own(now)
            self._inquiries.finish(now)
            for agent, peer in self._peers.items():
                if agent != self._agent and peer.has_request(now):
                    self._spawn(self._ask_peer(agent, peer))
            if len(self._inquiries):
                self._has_questions.set()

    async def _ask_peer(self, agent: str, peer: TextPeer) -> None:
        parts, claims, ended = peer.take()
        peer.is_asked = True
        peer.breaker.ask()
        request = encode(self._request(parts, claims, ended))
        try:
            data = await self._engine.request(texts_subject(agent), request, seconds=ANSWER_SECONDS)
            peer.breaker.answered()
            self._hear(parts, claims, decode_answers(data), _now())
        except NO_ANSWER:
            peer.breaker.unanswered(_now())
            peer.ended.extendleft(reversed(ended))
            # What was gathered meanwhile would fare no better.
            unheard = [*parts, *claims, *peer.opened]
            peer.opened.clear()
            for opened in unheard:
                self._put(agent, opened, _now())
        finally:
            peer.is_asked = False
        self._inquiries.finish(_now())

    # -- texts ---------------------------------------------------------------------

    async def _carry_texts(self) -> None:
        while True:
            await self._has_texts.wait()
            self._has_texts.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._deliver_seconds):
                    await self._hurries.wait()
            self._hurries.clear()
            now = _now()
            if now >= self._looked_at + LOOK_SECONDS:
                self._look(now)
            self._deliveries.fill(self._routes)
            for agent in self._deliveries.idle_agents():
                if agent == self._agent:
                    self._spawn(self._take_own(self._deliveries.take_message(agent)))
                elif agent and self._peer(agent).breaker.may_ask(now):
                    self._spawn(self._send_to_peer(agent, self._deliveries.take_message(agent)))
            if self._deliveries.has_work:
                self._has_texts.set()

    async def _take_own(self, message: LearnTexts) -> None:
        self._known(self._deliveries.answered(self._agent, await self._learn(message)))

    async def _send_to_peer(self, agent: str, message: LearnTexts) -> None:
        try:
            data = await self._engine.request(texts_subject(agent), encode(message), seconds=STORE_SECONDS)
            self._known(self._deliveries.answered(agent, decode_stored(data)))
        except NO_ANSWER:
            self._deliveries.unanswered(agent)

    async def _learn(self, message: LearnTexts) -> list[int]:
        """Learn texts; return the blocks that have committed them to their logs."""
        stored: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        self._untold.append((message, stored))
        self._is_told.set()
        return await stored

    async def _store_texts(self) -> None:
        """Learn all texts received meanwhile, from all agents, with one write per block."""
        while True:
            await self._is_told.wait()
            await asyncio.sleep(LEARN_SECONDS)
            self._is_told.clear()
            told, self._untold = self._untold, []
            written = self._blocks.learn([message for message, _ in told])
            stored = set()
            for held in written:
                self.settled(held)  # it may have paragraphs for other blocks
            for held in written:
                with contextlib.suppress(CrawlerError):
                    await held.log.committed(hurries=False)
                    stored.add(held.shard)
            for message, answer in told:
                if not answer.done():
                    answer.set_result([block for block in message.blocks if block in stored])

    # -- life ----------------------------------------------------------------------

    async def run(self) -> None:
        """Share texts until cancelled."""
        async with self._engine.serve(texts_subject(self._agent), self._serve):
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._carry_questions())
                    group.create_task(self._carry_texts())
                    group.create_task(self._store_texts())
            finally:
                tasks = list(self._tasks)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, data: bytes) -> bytes:
        request = decode_request(data)
        if isinstance(request, LearnTexts):
            return encode(await self._learn(request))
        self._heard[request.asker] = now = _now()
        if now >= self._looked_at + LOOK_SECONDS:
            self._look(now)
        return encode(self._blocks.ask(request, now))

    def check(self) -> None:
        """Assert every invariant; between steps only."""
        self._blocks.check()
        for held in self._told:
            assert held.frontier.text_outbox is not None
            held.frontier.text_outbox.check()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _blocks_of(parts: Iterable[OpenPart]) -> set[int]:
    """Return the blocks that contain the hashes of these parts."""
    blocks: set[int] = set()
    for part in parts:
        blocks.update(part.blocks)
    return blocks


def _now() -> float:
    return asyncio.get_running_loop().time()
