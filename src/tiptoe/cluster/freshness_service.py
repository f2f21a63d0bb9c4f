"""How fresh is the collection of the whole crawl?

The facts about pages are in the tables of their shards, so each agent surveys those that it holds, on a
request to `agent.<name>.freshness`. A survey takes a while: the first request begins it; further ones with
the same token return its progress and, in the end, the findings by shard. The tables are read in small
portions, because the same loop keeps leases alive.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Final

import msgspec

from tiptoe.cluster.engine import Engine, EngineUnavailable, NoResponse
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.keeper.survey import measured_by, survey_pages
from tiptoe.observe.collection_freshness import Collection
from tiptoe.observe.freshness_report import Measured
from tiptoe.observe.tally import Spread
from tiptoe.store.tables import Store, Table

__all__ = ["FreshnessService", "ShardFreshness", "WholeFreshness", "ask_freshness"]

HOSTS_MAX: Final = 10_000
PORTION_ROWS: Final = 1000
SURVEYS_MAX: Final = 4
"""Maximum surveys kept at once; a further one drops the oldest."""
REST_SECONDS: Final = 0.005
"""Pause after each portion, so that a survey takes only part of its agent's time."""
ANSWER_SECONDS: Final = 5.0
LOOK_SECONDS: Final = 0.3
SILENCES_MAX: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardFreshness:
    """What the tables of one shard show."""

    collection: Collection  # its moments are those of the shard
    measured: Measured


class FreshnessRequest(msgspec.Struct, frozen=True, array_like=True):
    """Request for a survey, with the number of hosts to list."""

    token: str
    hosts_max: int


class FreshnessReply(msgspec.Struct, frozen=True, array_like=True):
    """The progress of a survey and, at its end, its findings."""

    read: int
    expected: int
    found: dict[int, ShardFreshness] | None = None  # by shard


@dataclass(slots=True)
class Survey:
    """One survey of the shards that an agent holds."""

    expected: int
    read: int = 0
    found: dict[int, ShardFreshness] = field(default_factory=dict)
    task: asyncio.Task[None] | None = None


class FreshnessService:
    """Surveys the shards of one agent on request."""

    def __init__(
        self, engine: Engine, agent: str, held: Callable[[], Iterable[HeldShard]], count: Callable[[], float]
    ) -> None:
        """`count` is the machine's count of seconds, on which the clocks of shards are based."""
        self._engine = engine
        self._subject = f"agent.{agent}.freshness"
        self._held = held
        self._count = count
        self._surveys: dict[str, Survey] = {}

    async def run(self) -> None:
        """Serve until cancelled."""
        try:
            async with self._engine.serve(self._subject, self._answer):
                await asyncio.Event().wait()
        finally:
            for survey in self._surveys.values():
                if survey.task is not None:
                    survey.task.cancel()

    async def _answer(self, data: bytes) -> bytes:
        asked = msgspec.msgpack.decode(data, type=FreshnessRequest)
        survey = self._surveys.get(asked.token) or self._begin(asked)
        assert survey.task is not None
        if not survey.task.done():
            return _encode(FreshnessReply(survey.read, survey.expected))
        survey.task.result()
        return _encode(FreshnessReply(survey.read, survey.expected, survey.found))

    def _begin(self, asked: FreshnessRequest) -> Survey:
        while len(self._surveys) >= SURVEYS_MAX:
            oldest = self._surveys.pop(next(iter(self._surveys)))
            if oldest.task is not None:
                oldest.task.cancel()
        held = list(self._held())
        survey = Survey(sum(one.frontier.counters.totals.urls for one in held))
        survey.task = asyncio.create_task(self._read(survey, held, min(max(1, asked.hosts_max), HOSTS_MAX)))
        self._surveys[asked.token] = survey
        return survey

    async def _read(self, survey: Survey, held: list[HeldShard], hosts_max: int) -> None:
        for one in held:
            found = Collection(one.clock.now(self._count()), hosts_max)
            portions = survey_pages(
                found, one.frontier.counters, _rows(one.store, Table.PAGE), partial(one.store.get, Table.HOST)
            )
            is_whole = True
            for read in portions:
                survey.read += read
                await asyncio.sleep(REST_SECONDS)
                # If the shard was given away or lost, another agent reports on it.
                if is_whole := one in self._held():
                    continue
                break
            if is_whole:
                measured = measured_by(one.frontier.counters)
                survey.found[one.shard] = ShardFreshness(collection=found, measured=measured)
            await asyncio.sleep(0)


def _rows(store: Store, table: Table) -> Iterator[tuple[bytes, bytes]]:
    """Yield all rows of a table, scanning in portions because it may change meanwhile."""
    start = b""
    while portion := list(islice(store.scan(table, start), PORTION_ROWS)):
        yield from portion
        start = portion[-1][0] + b"\0"


# -- the requesting side ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeFreshness:
    """The findings of all agents."""

    collection: Collection
    measured: Measured
    missing: tuple[int, ...]  # shards that no agent reported on


async def ask_freshness(
    engine: Engine,
    agents: Iterable[str],
    *,
    token: str,
    shards: int,
    now: float,
    hosts_max: int,
    advance: Callable[[int, int], object] = lambda read, expected: None,
) -> WholeFreshness:
    """Ask all agents; `advance` is called with the pages read and the pages expected, in total."""
    progress: dict[str, tuple[int, int]] = {}

    async def ask(name: str) -> Mapping[int, ShardFreshness]:
        found: Mapping[int, ShardFreshness] = {}
        asked = FreshnessRequest(f"{token}-{name}", hosts_max)
        async with contextlib.aclosing(_answers(engine, name, asked)) as answers:
            async for one in answers:
                progress[name] = (one.read, one.expected)
                advance(sum(read for read, _ in progress.values()), sum(all for _, all in progress.values()))
                found = one.found or {}
        return found

    collection, measured = Collection(now, hosts_max), Measured()
    known: dict[int, ShardFreshness] = {}
    for one in await asyncio.gather(*map(ask, agents)):
        known.update(one)  # a shard that moved meanwhile is reported twice; either will do
    for shard in sorted(known):
        collection.merge(known[shard].collection)
        measured = measured.plus(known[shard].measured)
    missing = tuple(shard for shard in range(shards) if shard not in known)
    return WholeFreshness(collection=collection, measured=measured, missing=missing)


async def _answers(
    engine: Engine, agent: str, asked: FreshnessRequest
) -> AsyncGenerator[FreshnessReply, None]:
    """Yield the answers of an agent until there is a result; none if it is silent or makes no sense."""
    silences = 0
    while silences < SILENCES_MAX:
        try:
            data = msgspec.msgpack.encode(asked)
            answer = await engine.request(f"agent.{agent}.freshness", data, seconds=ANSWER_SECONDS)
            text = _DECODER.decode(answer)
        except (NoResponse, EngineUnavailable):
            silences += 1
            continue
        except (msgspec.DecodeError, ValueError):
            return
        silences = 0
        yield text
        if text.found is not None:
            return
        await asyncio.sleep(LOOK_SECONDS)


# -- on the wire ---------------------------------------------------------------


def _encode(told: FreshnessReply) -> bytes:
    return msgspec.msgpack.encode(told, enc_hook=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Spread):
        return value.parts()
    raise NotImplementedError(f"{type(value)} is not told")


def _read_back(kind: type, value: Any) -> object:
    """Rebuild what `_plain` has taken apart; all spreads here belong to a collection."""
    if kind is Spread:
        made = Collection(0.0).intervals
        made.merge(*value)
        return made
    raise NotImplementedError(f"{kind} is not told")


_DECODER: Final = msgspec.msgpack.Decoder(FreshnessReply, dec_hook=_read_back)
