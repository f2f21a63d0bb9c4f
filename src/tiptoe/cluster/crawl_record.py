"""Which crawl is this, and which settings do all its members share?

The first agent creates the record of a crawl in the engine; all others read it, even after everything was
stopped and started again. Seeds are stored before the record, so that an agent that finds it finds them too.
"""

import contextlib
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec
from zstandard import ZstdCompressor, ZstdDecompressor

from tiptoe.cluster.crawl_ending import ENDED_KEY, SOWN_KEY
from tiptoe.cluster.engine import Engine, OutOfDate
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.store.tables import FORMAT

__all__ = [
    "RECORD_KEY",
    "CrawlRecord",
    "are_all_seeded",
    "change_settings",
    "go_on",
    "join_crawl",
    "note_seeded",
    "read_record",
    "read_urls",
    "widen_crawl",
    "write_urls",
]

RECORD_KEY: Final = "crawl.record"
IDENTITY_BYTES: Final = 8
PIECE_LINES: Final = 10_000
URL_LISTS_BYTES_MAX: Final = 4 << 30


class CrawlRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl as it was created; settings that can change while it runs are as they are now."""

    identity: str  # distinguishes it from earlier crawls of the same name
    shards: int
    settings: dict[str, object]  # by full name, those that all members share
    first_settings: dict[str, object]  # as they were when it was created
    created_at: float  # by the wall clock of the agent that created it
    format: int = FORMAT  # of the rows in the shards


async def join_crawl(
    engine: Engine,
    *,
    shards: int,
    settings: Mapping[str, object],
    seeds: list[str],
    downloaded: list[str],
    created_at: float,
) -> tuple[CrawlRecord, bool]:
    """Return the record of the crawl, and whether this call created it.

    Raises SettingsError when there is none, and no seed to begin one with.
    """
    if (found := await read_record(engine)) is not None:
        return found, False
    if not seeds:
        raise SettingsError("there is no such crawl to join; name at least one seed to create it")
    identity = secrets.token_hex(IDENTITY_BYTES)
    record = CrawlRecord(
        identity=identity,
        shards=shards,
        settings=dict(settings),
        first_settings=dict(settings),
        created_at=created_at,
    )
    await write_urls(engine, f"seeds.{identity}", seeds)
    if downloaded:
        await write_urls(engine, f"downloaded.{identity}", downloaded)
    try:
        await engine.put(RECORD_KEY, msgspec.json.encode(record))
    except OutOfDate:  # another agent was faster
        for name in (f"seeds.{identity}", f"downloaded.{identity}"):
            await engine.delete_object(name)
        found = await read_record(engine)
        if found is None:
            raise CrawlerError("the crawl was removed at this moment; give the command once more") from None
        return found, False
    return record, True


async def read_record(engine: Engine) -> CrawlRecord | None:
    """Return the record of the crawl; None when it was not created yet."""
    found = await engine.get(RECORD_KEY)
    if found is None or found.value is None:
        return None
    try:
        record = msgspec.json.decode(found.value, type=CrawlRecord)
    except msgspec.MsgspecError as error:
        raise SettingsError(f"the record of the crawl cannot be read: {error}") from error
    if record.format != FORMAT:
        raise SettingsError(
            f"the shards of this crawl have format {record.format}, and this version of tiptoe reads format "
            f"{FORMAT}; all members have to run the same version"
        )
    return record


async def change_settings(
    engine: Engine, amend: Callable[[dict[str, object]], dict[str, object]]
) -> CrawlRecord:
    """Change the shared settings and return the new record; members that join from now on read it."""
    while True:
        found = await engine.get(RECORD_KEY)
        record = await read_record(engine)
        if found is None or record is None:
            raise SettingsError("there is no such crawl")
        changed = msgspec.structs.replace(record, settings=amend(dict(record.settings)))
        if changed == record:
            return record
        with contextlib.suppress(OutOfDate):  # another change came first: amend that one
            await engine.put(RECORD_KEY, msgspec.json.encode(changed), revision=found.revision)
            return changed


async def widen_crawl(engine: Engine, record: CrawlRecord, seeds: list[str], *, adds: bool) -> None:
    """Add seeds to a crawl that has begun or ended; raise SettingsError for new ones without `adds`."""
    name = f"seeds.{record.identity}"
    known = dict.fromkeys(await read_urls(engine, name))
    new = [seed for seed in seeds if seed not in known]
    if not new:
        if not await are_all_seeded(engine, record.identity):  # the process that added them was cut off
            await go_on(engine)
        return
    if not adds:
        raise SettingsError(
            f"{new[0]} is no seed of this crawl; leave the seeds out to join it, or say --add-seeds"
        )
    await write_urls(engine, name, [*known, *new])
    await _take_away(engine, SOWN_KEY)  # the holder of the first shard sows again
    await go_on(engine)


async def note_seeded(engine: Engine, seeds: int) -> None:
    """Note that this many seeds, from the start of the list, are in the shards."""
    await engine.put(SOWN_KEY, b"%d" % seeds)


async def are_all_seeded(engine: Engine, identity: str) -> bool:
    """Return whether the whole list is sown; if not, delete the note that says so.

    The list and the note are not updated together: the list may have grown while earlier seeds were sown, or
    the process that extended it was cut off before it deleted the note.
    """
    found = await engine.get(SOWN_KEY)
    if found is None or found.value is None:
        return False
    if not found.value.isdigit() or int(found.value) >= len(await read_urls(engine, f"seeds.{identity}")):
        return True
    await _take_away(engine, SOWN_KEY)
    return False


async def go_on(engine: Engine) -> None:
    """Let a crawl that has ended go on when an agent takes part again, because there is more to fetch."""
    await _take_away(engine, ENDED_KEY)


async def _take_away(engine: Engine, key: str) -> None:
    while (found := await engine.get(key)) is not None:
        with contextlib.suppress(OutOfDate):
            await engine.delete(key, revision=found.revision)


async def write_urls(engine: Engine, name: str, urls: Iterable[str]) -> None:
    """Store a list of URLs."""
    await engine.put_object(name, _pieces(list(urls)))


def _pieces(urls: list[str]) -> Iterator[bytes]:
    compressor = ZstdCompressor().compressobj()
    for start in range(0, len(urls), PIECE_LINES):
        lines = "".join(f"{url}\n" for url in urls[start : start + PIECE_LINES])
        if piece := compressor.compress(lines.encode()):
            yield piece
    yield compressor.flush()


async def read_urls(engine: Engine, name: str) -> list[str]:
    """Return a list of URLs; empty when there is none."""
    text, size = ZstdDecompressor().decompressobj(), 0
    pieces: list[bytes] = []
    async with engine.get_object(name) as parts:
        if parts is None:
            return []
        async for part in parts:
            pieces.append(text.decompress(part))
            size += len(pieces[-1])
            if size > URL_LISTS_BYTES_MAX:
                raise CrawlerError(f"{name}: more than {URL_LISTS_BYTES_MAX} bytes of addresses")
    return b"".join(pieces).decode().split("\n")[:-1]
