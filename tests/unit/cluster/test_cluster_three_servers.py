"""Does a crawl on three servers go on when one is killed, and is nothing lost that was acknowledged?"""

import asyncio
import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress

import nats
import psutil
import pytest

from cluster_grounds import NatsGround, append_for_sure
from nats_servers import PASSWORD, USER, clustered_servers
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange, OutOfDate
from tiptoe.cluster.nats_server import NatsServer


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[NatsServer]]:
    with clustered_servers(tmp_path_factory.mktemp("nats")) as running:
        yield running


@pytest.fixture
def ground(servers: list[NatsServer]) -> Iterator[NatsGround]:
    made = NatsGround(servers, replicas=3)
    yield made
    made.close()


async def opened(ground: NatsGround) -> Engine:
    """Open the engine when the servers have found each other."""
    for _ in range(20):
        with suppress(EngineUnavailable):
            return await ground.connect()
        await asyncio.sleep(0.2)
    raise AssertionError("the servers do not find each other")


async def leader_of(ground: NatsGround, stream: str) -> NatsServer:
    """Return the server that decides about a stream."""
    addresses = [server.options.address for server in ground.servers if server.is_running]
    client = await nats.connect(addresses, user=USER, password=PASSWORD)
    found = await client.jetstream().stream_info(stream.format(f"tiptoe-{ground.crawl}"))
    await client.close()
    assert found.cluster is not None
    [leader] = [server for server in ground.servers if server.options.name == found.cluster.leader]
    return leader


def test_nothing_acknowledged_is_lost_when_the_leader_is_killed(ground: NatsGround) -> None:
    """Its log goes on under another one; readers miss nothing and get nothing twice."""

    async def main() -> None:
        engine = await opened(ground)
        reader = await ground.connect()
        acknowledged: list[int] = []
        followed: list[int] = []
        count = 120

        async def write() -> None:
            for number in range(count):
                last = acknowledged[-1] if acknowledged else 0
                acknowledged.append(await append_for_sure(engine, "log.1", f"{number}".encode(), last))

        async def follow() -> None:
            async with reader.follow("log.1") as messages:
                while len(followed) < count:
                    message = await anext(messages)
                    if message is not None:
                        followed.append(message.sequence)

        async def kill() -> None:
            while len(acknowledged) < count // 3:
                await asyncio.sleep(0.001)
            victim = await leader_of(ground, "{}-log")
            victim.kill()
            while len(acknowledged) < 2 * count // 3:
                await asyncio.sleep(0.001)
            await asyncio.to_thread(victim.start)

        async with asyncio.timeout(60):
            await asyncio.gather(write(), follow(), kill())
        assert followed == acknowledged
        async with reader.follow("log.1") as messages:
            stored: list[bytes] = []
            while len(stored) < count:  # a server that is behind may say too early that there are no more
                if (message := await anext(messages)) is not None:
                    stored.append(message.data)
        assert stored == [b"%d" % number for number in range(count)]

    ground.run(main())


def test_of_many_writers_at_once_one_succeeds_each_time(ground: NatsGround) -> None:
    """Also while its message is on its way to the other servers: who was too late sees it at once."""

    async def append(member: Engine, subject: str, expected: int) -> bool:
        try:
            await member.append(subject, b"x", expected=expected)
        except OutOfDate:
            last = await member.last(subject)
            assert last is not None
            assert last.sequence > expected
            return False
        return True

    async def main() -> None:
        members = [await opened(ground), *[await ground.connect() for _ in range(3)]]
        for number in range(20):
            subject = f"log.{number % 2}"
            held = await members[0].last(subject)
            last = held.sequence if held else 0
            appends = [append(member, subject, last) for member in members for _ in range(3)]
            assert sorted(await asyncio.gather(*appends)) == [False] * 11 + [True]
        revision = 0
        for _ in range(20):
            puts = [member.put("shard.1", b"x", revision=revision) for member in members]
            results = await asyncio.gather(*puts, return_exceptions=True)
            [revision] = [result for result in results if isinstance(result, int)]
            assert [type(result) for result in results].count(OutOfDate) == 3

    ground.run(main())


def test_what_is_still_undecided_is_not_called_out_of_date(ground: NatsGround) -> None:
    """Whoever repeats an append that waits for other servers must not take it for another holder's."""

    async def main() -> None:
        first = await append_for_sure(await opened(ground), "log.1", b"a", 0)
        leader = await leader_of(ground, "{}-log")
        engine = await ground.connect_by(ground.options(servers=(leader.options.address,), seconds=0.5))
        followers = [server for server in ground.servers if server is not leader]
        for server in followers:
            os.kill(server.pid, signal.SIGSTOP)
        async with asyncio.timeout(10):  # on a busy machine a server may answer once more
            while any(psutil.Process(server.pid).status() != psutil.STATUS_STOPPED for server in followers):
                await asyncio.sleep(0.01)
        try:
            for _ in range(3):
                with pytest.raises(EngineUnavailable):
                    await engine.append("log.1", b"b", expected=first)
        finally:
            for server in followers:
                os.kill(server.pid, signal.SIGCONT)
        async with asyncio.timeout(30):
            second = await append_for_sure(engine, "log.1", b"b", first)
        assert second > first

    ground.run(main())


def test_keys_and_objects_survive_the_death_of_their_leader(ground: NatsGround) -> None:
    async def main() -> None:
        engine = await opened(ground)
        revision = await engine.put("shard.1", b"held")
        await engine.put_object("snapshot.1", [b"rows" * 100_000])
        async with engine.watch("shard") as changes:
            assert await anext(changes) == KeyChange("shard.1", b"held", revision)
            assert await anext(changes) is None
            victim = await leader_of(ground, "KV_{}")
            victim.kill()
            try:
                async with asyncio.timeout(60):
                    await take_over(engine, revision)
                    while (change := await anext(changes)) is None or change.value != b"taken":
                        pass
                    assert await object_for_sure(engine, "snapshot.1") == b"rows" * 100_000
            finally:
                await asyncio.to_thread(victim.start)

    ground.run(main())


async def take_over(engine: Engine, revision: int) -> None:
    """Set a key as the only one who does, who may hear nothing."""
    while True:
        with suppress(EngineUnavailable, OutOfDate):
            await engine.put("shard.1", b"taken", revision=revision)
            return
        with suppress(EngineUnavailable):
            held = await engine.get("shard.1")
            if held is not None and held.value == b"taken":
                return


async def object_for_sure(engine: Engine, name: str) -> bytes:
    while True:
        with suppress(EngineUnavailable):
            async with engine.get_object(name) as parts:
                assert parts is not None
                return b"".join([part async for part in parts])


def test_strangers_do_not_get_in_among_the_servers_either(ground: NatsGround) -> None:
    """Whoever could pose as a server would hear everything."""

    async def main() -> None:
        await opened(ground)
        cluster_port = ground.servers[0].options.cluster_port
        reader, writer = await asyncio.open_connection("127.0.0.1", cluster_port)
        greeting = await reader.readline()
        assert re.match(rb"INFO \{", greeting)
        writer.write(b'CONNECT {"verbose":false,"name":"evil","user":"server","pass":"guessed"}\r\nPING\r\n')
        heard = b""
        with suppress(ConnectionResetError):
            while line := await asyncio.wait_for(reader.readline(), 10):
                heard += line
        writer.close()
        assert b"PONG" not in heard
        assert b"RS+" not in heard

    ground.run(main())
