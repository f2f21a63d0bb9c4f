"""Do the engine in memory and NATS keep the same promises?"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

import pytest

from cluster_grounds import ClusterGround, append_for_sure
from tiptoe.cluster.engine import (
    MESSAGE_BYTES_MAX,
    Engine,
    EngineUnavailable,
    KeyChange,
    LogMessage,
    MessageTooLarge,
    NoResponse,
    OutOfDate,
)

Item = TypeVar("Item")


async def until_none(items: AsyncIterator[Item | None]) -> list[Item]:
    """Return what comes before the next None."""
    found: list[Item] = []
    while (item := await anext(items)) is not None:
        found.append(item)
    return found


async def whole_object(engine: Engine, name: str) -> bytes | None:
    async with engine.get_object(name) as parts:
        return None if parts is None else b"".join([part async for part in parts])


async def echo(data: bytes) -> bytes:
    return data


# -- keys ----------------------------------------------------------------


def test_a_key_holds_what_was_put_at_a_revision_that_rises(ground: ClusterGround) -> None:
    async def main() -> None:
        engine = await ground.connect()
        first = await engine.put("shard.1", b"a")
        second = await engine.put("shard.1", b"", revision=first)
        assert second > first
        assert await engine.get("shard.1") == KeyChange("shard.1", b"", second)
        assert await engine.get("shard.2") is None

    ground.run(main())


def test_who_was_slower_with_a_key_hears_it_and_changes_nothing(ground: ClusterGround) -> None:
    async def main() -> None:
        engine, other = await ground.connect(), await ground.connect()
        first = await engine.put("shard.1", b"a")
        second = await other.put("shard.1", b"b", revision=first)
        for stale in (0, first, second + 1):
            with pytest.raises(OutOfDate):
                await engine.put("shard.1", b"c", revision=stale)
            with pytest.raises(OutOfDate):
                await engine.delete("shard.1", revision=stale)
        with pytest.raises(OutOfDate):
            await engine.put("shard.2", b"c", revision=second)
        assert await engine.get("shard.1") == KeyChange("shard.1", b"b", second)
        assert await engine.get("shard.2") is None

    ground.run(main())


def test_of_many_who_take_a_key_at_once_one_gets_it(ground: ClusterGround) -> None:
    async def main() -> None:
        members = [await ground.connect() for _ in range(4)]
        puts = [member.put("shard.1", str(number).encode()) for number, member in enumerate(members)]
        results = await asyncio.gather(*puts, return_exceptions=True)
        [winner] = [number for number, result in enumerate(results) if isinstance(result, int)]
        assert [type(result) for result in results].count(OutOfDate) == 3
        held = await members[0].get("shard.1")
        assert held is not None
        assert held.value == str(winner).encode()

    ground.run(main())


def test_a_deleted_key_does_not_exist_and_can_be_made_again(ground: ClusterGround) -> None:
    """Its revisions go on: an old one can never be mistaken for the new key's."""

    async def main() -> None:
        engine = await ground.connect()
        first = await engine.put("agent.a", b"here")
        await engine.delete("agent.a", revision=first)
        assert await engine.get("agent.a") is None
        with pytest.raises(OutOfDate):
            await engine.delete("agent.a", revision=first)
        with pytest.raises(OutOfDate):
            await engine.delete("agent.b", revision=0)
        again = await engine.put("agent.a", b"back")
        assert again > first + 1

    ground.run(main())


def test_who_watches_hears_what_is_there_and_then_what_changes(ground: ClusterGround) -> None:
    async def main() -> None:
        engine, other = await ground.connect(), await ground.connect()
        await engine.put("crawl", b"x")
        gone = await engine.put("shard.2", b"gone")
        await engine.delete("shard.2", revision=gone)
        first = await engine.put("shard.1", b"a")
        await engine.put("shards.1", b"another noun")
        async with other.watch("shard") as changes:
            assert await until_none(changes) == [KeyChange("shard.1", b"a", first)]
            await engine.put("crawl", b"y", revision=1)
            itself = await engine.put("shard", b"all")
            assert await anext(changes) == KeyChange("shard", b"all", itself)
            second = await engine.put("shard.1", b"b", revision=first)
            assert await anext(changes) == KeyChange("shard.1", b"b", second)
            await engine.delete("shard.1", revision=second)
            deleted = await anext(changes)
            assert deleted is not None
            assert (deleted.key, deleted.value) == ("shard.1", None)
        async with other.watch("") as changes:
            assert [change.key for change in await until_none(changes)] == ["shards.1", "crawl", "shard"]
        async with other.watch("quota") as changes:
            assert await until_none(changes) == []

    ground.run(main())


def test_who_watches_hears_everything_anew_when_the_servers_are_back(ground: ClusterGround) -> None:
    async def main() -> None:
        engine = await ground.connect()
        await engine.put("shard.1", b"a")
        async with engine.watch("shard") as changes:
            assert len(await until_none(changes)) == 1
            ground.restart()
            assert [change.value for change in await until_none(changes)] == [b"a"]
            await engine.put("shard.2", b"b")
            change = await anext(changes)
            assert change is not None
            assert change.key == "shard.2"

    ground.run(main())


# -- logs ----------------------------------------------------------------


def test_a_log_keeps_messages_in_order_under_rising_sequences(ground: ClusterGround) -> None:
    async def main() -> None:
        engine = await ground.connect()
        assert await engine.last("log.1") is None
        first = await engine.append("log.1", b"a", expected=0)
        await engine.append("log.2", b"elsewhere")
        second = await engine.append("log.1", b"", expected=first)
        third = await engine.append("log.1", b"c")
        assert 0 < first < second < third
        assert await engine.last("log.1") == LogMessage(third, b"c")
        async with engine.follow("log.1") as messages:
            assert await until_none(messages) == [
                LogMessage(first, b"a", 0),
                LogMessage(second, b"", first),
                LogMessage(third, b"c"),
            ]
        async with engine.follow("log.1", after=second) as messages:
            assert await until_none(messages) == [LogMessage(third, b"c")]

    ground.run(main())


def test_who_has_lost_its_shard_cannot_write_to_its_log(ground: ClusterGround) -> None:
    """Fencing: whatever a holder believes, its append fails when another one has written."""

    async def main() -> None:
        old, new = await ground.connect(), await ground.connect()
        first = await old.append("log.1", b"old", expected=0)
        second = await new.append("log.1", b"new", expected=first)
        for stale in (0, first, second + 1):
            with pytest.raises(OutOfDate):
                await old.append("log.1", b"too late", expected=stale)
        with pytest.raises(OutOfDate):
            await old.append("log.2", b"there was never any", expected=second)
        assert await old.last("log.1") == LogMessage(second, b"new", first)
        assert await old.last("log.2") is None

    ground.run(main())


def test_of_many_who_append_behind_the_same_message_one_succeeds(ground: ClusterGround) -> None:
    async def main() -> None:
        members = [await ground.connect() for _ in range(4)]
        appends = [member.append("log.1", b"mine", expected=0) for member in members]
        results = await asyncio.gather(*appends, return_exceptions=True)
        assert [type(result) for result in results].count(OutOfDate) == 3
        async with members[0].follow("log.1") as messages:
            assert len(await until_none(messages)) == 1

    ground.run(main())


def test_who_follows_a_log_gets_what_is_appended_later(ground: ClusterGround) -> None:
    async def main() -> None:
        engine, other = await ground.connect(), await ground.connect()
        async with other.follow("mail.7") as messages:
            assert await until_none(messages) == []
            for number in range(300):
                await engine.append("mail.7", str(number).encode())
            found: list[bytes] = []
            while len(found) < 300:
                found += [message.data for message in await until_none(messages)]
            assert found == [str(number).encode() for number in range(300)]

    ground.run(main())


def test_who_follows_a_log_misses_nothing_and_gets_nothing_twice_across_a_restart(
    ground: ClusterGround,
) -> None:
    async def main() -> None:
        engine, other = await ground.connect(), await ground.connect()
        before = [await engine.append("log.1", b"before") for _ in range(3)]
        async with other.follow("log.1") as messages:
            got = [message.sequence for message in await until_none(messages)]
            assert got == before
            ground.restart()
            after = [await append_for_sure(engine, "log.1", b"after 1", before[-1])]
            after.append(await append_for_sure(engine, "log.1", b"after 2", after[-1]))
            while len(got) < 5:
                got += [message.sequence for message in await until_none(messages)]
            assert got == before + after

    ground.run(main())


def test_a_cut_keeps_what_is_behind_it_and_always_the_last(ground: ClusterGround) -> None:
    async def main() -> None:
        engine = await ground.connect()
        await engine.cut("log.1", before=10)  # of nothing
        sequences = [await engine.append("log.1", b"x") for _ in range(4)]
        elsewhere = await engine.append("log.2", b"stays")
        await engine.cut("log.1", before=sequences[1])
        async with engine.follow("log.1") as messages:
            assert [message.sequence for message in await until_none(messages)] == sequences[1:]
        await engine.cut("log.1", before=0)
        await engine.cut("log.1", before=elsewhere + 100)
        async with engine.follow("log.1") as messages:
            assert [message.sequence for message in await until_none(messages)] == sequences[3:]
        with pytest.raises(OutOfDate):
            await engine.append("log.1", b"y", expected=0)
        behind = await engine.append("log.1", b"y", expected=sequences[3])
        last = await engine.last("log.2")
        assert last is not None
        assert (last.sequence, behind > elsewhere) == (elsewhere, True)

    ground.run(main())


def test_a_reader_can_tell_that_a_log_was_cut_before_it_came_there(ground: ClusterGround) -> None:
    """Else the holder's next snapshot would hide what the reader of the last one has yet to see."""

    async def main() -> None:
        engine = await ground.connect()
        sequence, sequences = 0, []
        for _ in range(4):
            sequence = await engine.append("log.1", b"x", expected=sequence)
            sequences.append(sequence)
        await engine.cut("log.1", before=sequences[2])
        async with engine.follow("log.1", after=sequences[0]) as messages:
            first = await anext(messages)
        assert first is not None
        assert (first.sequence, first.expected) == (sequences[2], sequences[1])

    ground.run(main())


# -- objects -------------------------------------------------------------


def test_an_object_comes_back_as_it_was_put(ground: ClusterGround) -> None:
    async def main() -> None:
        engine, other = await ground.connect(), await ground.connect()
        large = [bytes([number]) * 700_001 for number in range(8)]
        await engine.put_object("snapshot.1.10", large)
        await engine.put_object("snapshot.1.11", [])
        await engine.put_object("snapshot.1", [b"", b"a", b"b"])
        assert await whole_object(other, "snapshot.1.10") == b"".join(large)
        assert await whole_object(other, "snapshot.1.11") == b""
        assert await whole_object(other, "snapshot.1") == b"ab"
        assert await whole_object(other, "snapshot.2") is None

    ground.run(main())


def test_an_object_is_replaced_whole_or_not_at_all(ground: ClusterGround) -> None:
    def breaks_off() -> Iterator[bytes]:
        yield b"new" * 100_000
        raise RuntimeError("the disk is gone")

    async def main() -> None:
        engine = await ground.connect()
        await engine.put_object("snapshot.1", [b"old" * 100_000])
        with pytest.raises(RuntimeError):
            await engine.put_object("snapshot.1", breaks_off())
        assert await whole_object(engine, "snapshot.1") == b"old" * 100_000
        await engine.put_object("snapshot.1", [b"newer" * 100_000])
        assert await whole_object(engine, "snapshot.1") == b"newer" * 100_000

    ground.run(main())


def test_of_two_uploads_at_once_one_is_there_whole(ground: ClusterGround) -> None:
    """An old holder and a new one may write the same snapshot."""

    async def main() -> None:
        members = [await ground.connect() for _ in range(3)]
        contents = [bytes([65 + number]) * 900_000 for number in range(3)]
        puts = [
            member.put_object("snapshot.1", [content])
            for member, content in zip(members, contents, strict=True)
        ]
        await asyncio.gather(*puts)
        assert await whole_object(members[0], "snapshot.1") in contents

    ground.run(main())


def test_a_deleted_object_is_gone_and_others_stay(ground: ClusterGround) -> None:
    async def main() -> None:
        engine = await ground.connect()
        await engine.put_object("snapshot.1", [b"a"])
        await engine.put_object("snapshot.1.5", [b"b"])
        await engine.delete_object("snapshot.1")
        await engine.delete_object("snapshot.1")
        await engine.delete_object("never.there")
        assert await whole_object(engine, "snapshot.1") is None
        assert await whole_object(engine, "snapshot.1.5") == b"b"
        await engine.put_object("snapshot.1", [b"again"])
        assert await whole_object(engine, "snapshot.1") == b"again"

    ground.run(main())


# -- requests ------------------------------------------------------------


def test_a_request_is_answered_by_whoever_serves_its_subject(ground: ClusterGround) -> None:
    async def main() -> None:
        engine, other = await ground.connect(), await ground.connect()
        async with other.serve("agent.b.echo", echo):
            assert await engine.request("agent.b.echo", b"hello", seconds=5) == b"hello"
            assert await engine.request("agent.b.echo", b"", seconds=5) == b""
            with pytest.raises(NoResponse):
                await engine.request("agent.c.echo", b"hello", seconds=5)
        with pytest.raises(NoResponse):
            await engine.request("agent.b.echo", b"hello", seconds=5)

    ground.run(main())


def test_an_answer_that_takes_too_long_is_none_and_holds_up_no_other(ground: ClusterGround) -> None:
    async def slow(data: bytes) -> bytes:
        if data == b"slow":
            await asyncio.sleep(60)
        return data

    async def main() -> None:
        engine = await ground.connect()
        async with engine.serve("agent.a.work", slow):
            stuck = asyncio.create_task(engine.request("agent.a.work", b"slow", seconds=0.5))
            assert await engine.request("agent.a.work", b"quick", seconds=0.4) == b"quick"
            with pytest.raises(NoResponse):
                await stuck

    ground.run(main())


def test_requests_are_served_again_when_the_servers_are_back(ground: ClusterGround) -> None:
    async def main() -> None:
        engine, other = await ground.connect(), await ground.connect()
        async with other.serve("agent.b.echo", echo):
            ground.restart()
            for _ in range(50):
                try:
                    assert await engine.request("agent.b.echo", b"hello", seconds=1) == b"hello"
                    return
                except NoResponse:
                    await asyncio.sleep(0.1)
            pytest.fail("nobody answers any more")

    ground.run(main())


# -- limits --------------------------------------------------------------


def test_names_that_could_mean_more_than_themselves_are_refused(ground: ClusterGround) -> None:
    async def main() -> None:
        engine = await ground.connect()
        for name in ("", ".", "a.", ".a", "a..b", "a b", "a.*", "a.>", "$KV.x", "a\r\nPUB", "é", "x" * 201):
            with pytest.raises(ValueError, match="words of letters"):
                await engine.get(name)
            with pytest.raises(ValueError, match="words of letters"):
                await engine.append(name, b"")
            with pytest.raises(ValueError, match="words of letters"):
                await engine.put_object(name, [])
            with pytest.raises(ValueError, match="words of letters"):
                await engine.request(name, b"", seconds=1)
        for name in ("shard.1", "log", "logs.1"):
            with pytest.raises(ValueError, match="begin with"):
                await engine.append(name, b"")

    ground.run(main())


def test_what_does_not_fit_into_a_message_is_refused_and_the_largest_passes(ground: ClusterGround) -> None:
    async def main() -> None:
        engine = await ground.connect()
        fits, does_not = bytes(MESSAGE_BYTES_MAX), bytes(MESSAGE_BYTES_MAX + 1)
        with pytest.raises(MessageTooLarge):
            await engine.append("log.1", does_not, expected=0)
        with pytest.raises(MessageTooLarge):
            await engine.put("shard.1", does_not)
        with pytest.raises(MessageTooLarge):
            await engine.request("agent.a", does_not, seconds=1)
        sequences = [await engine.append("log.1", fits)]
        sequences.append(await engine.append("log.1", fits, expected=sequences[0]))
        await engine.put("shard.1", fits)
        held = await engine.get("shard.1")
        assert held is not None
        assert held.value == fits
        async with engine.follow("log.1") as messages:
            assert [message.sequence for message in await until_none(messages)] == sequences
        async with engine.serve("agent.a", echo):
            assert await engine.request("agent.a", fits, seconds=5) == fits

    ground.run(main())


def test_a_closed_engine_says_so(ground: ClusterGround) -> None:
    async def main() -> None:
        engine = await ground.connect()
        async with engine.follow("log.1") as messages:
            assert await until_none(messages) == []
            await engine.close()
            with pytest.raises(EngineUnavailable):
                await anext(messages)
        with pytest.raises(EngineUnavailable):
            await engine.get("crawl")

    ground.run(main())
