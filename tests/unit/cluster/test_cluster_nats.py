"""What does a crawl on NATS meet that an engine in memory has not?"""

import asyncio
import gc
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import nats
import nats.errors
import pytest
import trustme

from cluster_grounds import NatsGround
from nats_servers import PASSWORD, USER, Link, free_ports
from tiptoe.cluster import nats_connection
from tiptoe.cluster.engine import EngineUnavailable, KeyChange, OutOfDate
from tiptoe.cluster.engine_options import EngineOptions, open_engine
from tiptoe.cluster.nats_connection import CarefulClient
from tiptoe.cluster.nats_engine import NatsEngine
from tiptoe.cluster.nats_server import NatsServer, ServerOptions, find_program
from tiptoe.errors import SettingsError


@pytest.fixture
def ground(server: NatsServer) -> Iterator[NatsGround]:
    made = NatsGround([server])
    yield made
    made.close()


async def echo(data: bytes) -> bytes:
    return data


# -- the way to the servers ----------------------------------------------


def test_an_append_whose_answer_is_lost_stands_there_and_is_not_stored_twice(ground: NatsGround) -> None:
    """Whoever hears nothing sends the same again, expecting the same, and looks."""

    async def main() -> None:
        link = Link(ground.servers[0].options.port)
        await link.open()
        engine = await ground.connect_by(
            ground.options(servers=(f"nats://127.0.0.1:{link.port}",), seconds=0.3)
        )
        first = await engine.append("log.1", b"a", expected=0)
        link.is_deaf = True
        with pytest.raises(EngineUnavailable):
            await engine.append("log.1", b"b", expected=first)
        link.cut()
        with pytest.raises(EngineUnavailable):
            await engine.append("log.1", b"b", expected=first)
        link.mend()
        patient = await ground.connect()
        with pytest.raises(OutOfDate):
            await patient.append("log.1", b"b", expected=first)
        last = await patient.last("log.1")
        assert last is not None
        assert (last.data, last.expected) == (b"b", first)
        await link.close()

    ground.run(main())


def test_what_was_asked_without_a_connection_is_surely_not_done(ground: NatsGround) -> None:
    """Kept back and sent later, it would be done when nobody expects it any more."""

    async def main() -> None:
        link = Link(ground.servers[0].options.port)
        await link.open()
        engine = await ground.connect_by(
            ground.options(servers=(f"nats://127.0.0.1:{link.port}",), seconds=0.3)
        )
        other = await ground.connect()
        link.cut()
        await asyncio.sleep(0.05)
        with pytest.raises(EngineUnavailable):
            await engine.append("log.1", b"kept back", expected=0)
        link.mend()
        while True:
            try:
                await engine.get("crawl")
                break
            except EngineUnavailable:
                continue
        assert await other.last("log.1") is None
        await link.close()

    ground.run(main())


def test_who_watches_learns_of_a_deletion_while_the_link_was_down_by_absence(
    ground: NatsGround,
) -> None:
    async def main() -> None:
        link = Link(ground.servers[0].options.port)
        await link.open()
        engine = await ground.connect_by(ground.options(servers=(f"nats://127.0.0.1:{link.port}",)))
        other = await ground.connect()
        gone = await other.put("agent.a", b"1")
        stays = await other.put("agent.b", b"1")
        async with engine.watch("agent") as changes:
            told = [await anext(changes) for _ in range(3)]
            link.cut()
            await other.delete("agent.a", revision=gone)
            link.mend()
            anew = [await anext(changes), await anext(changes)]
        assert told[-1] is None
        assert anew == [KeyChange("agent.b", b"1", stays), None]
        await link.close()

    ground.run(main())


def test_an_error_that_makes_the_client_of_nats_give_up_is_survived(ground: NatsGround) -> None:
    async def main() -> None:
        link = Link(ground.servers[0].options.port)
        await link.open()
        engine = await ground.connect_by(ground.options(servers=(f"nats://127.0.0.1:{link.port}",)))
        other = await ground.connect()
        async with (
            engine.serve("agent.a", echo),
            engine.watch("agent") as changes,
            engine.follow("mail.1") as messages,
        ):
            assert await anext(changes) is None
            assert await anext(messages) is None
            link.say(b"-ERR 'maximum connections exceeded'\r\n")
            sequence = await other.append("mail.1", b"for a")
            while (message := await anext(messages)) is None:
                pass
            assert message.sequence == sequence
            revision = await other.put("agent.b", b"here")
            while (change := await anext(changes)) is None:
                pass
            assert change.revision == revision
            assert await other.request("agent.a", b"still there", seconds=5) == b"still there"
            assert await engine.append("log.1", b"goes on", expected=0) > 0
        await link.close()

    ground.run(main())


def test_without_any_server_there_is_an_end_to_waiting() -> None:
    async def main() -> None:
        options = EngineOptions(
            servers=(f"nats://127.0.0.1:{free_ports(1)[0]}",), crawl="a", replicas=1, seconds=0.2
        )
        with pytest.raises(EngineUnavailable, match="refuses connections"):
            await open_engine(options)

    asyncio.run(main())


def test_a_line_that_never_ends_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where encryption has failed midway, the client waits for the end of the line for ever."""

    async def never_end(_client: CarefulClient) -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        nobody = EngineOptions(servers=("nats://127.0.0.1:1",), crawl="c", member="m", seconds=0.1)
        async with asyncio.timeout(10):
            with pytest.raises(EngineUnavailable, match="refuses connections"):
                await open_engine(nobody)

    monkeypatch.setattr(CarefulClient, "close", never_end)
    monkeypatch.setattr(nats_connection, "CLOSE_SECONDS", 0.1)
    asyncio.run(main())


def test_a_long_log_is_read_by_one_consumer(ground: NatsGround) -> None:
    """One for each portion would take a third of a second each."""

    async def main() -> None:
        engine = await ground.connect()
        sizes = [100] * 700 + [40_000] * 500 + [7_000_000] * 3 + [1] * 300
        await asyncio.gather(*(engine.append("log.1", bytes(size)) for size in sizes))
        client = await nats.connect(ground.servers[0].options.address, user=USER, password=PASSWORD)
        async with engine.follow("log.1") as messages:
            found = [await anext(messages) for _ in sizes]
            assert await anext(messages) is None
            [consumer] = await client.jetstream().consumers_info(f"tiptoe-{ground.crawl}-log")
        assert sorted(len(message.data) for message in found if message) == sorted(sizes)
        assert consumer.delivered is not None
        assert consumer.delivered.consumer_seq == len(sizes)
        await client.close()

    ground.run(main())


# -- who may come in -----------------------------------------------------


def test_wrong_credentials_learn_nothing_and_change_nothing(ground: NatsGround) -> None:
    async def main() -> None:
        engine = await ground.connect()
        revision = await engine.put("crawl", b"secret")
        for wrong in (
            {"password": "something else"},
            {"user": "another"},
            {"user": None, "password": None},
            {"password": ""},
        ):
            with pytest.raises(SettingsError, match="does not accept these credentials"):
                await open_engine(ground.options(**wrong))
        assert await engine.get("crawl") == KeyChange("crawl", b"secret", revision)

    ground.run(main())


def test_a_stranger_on_the_socket_hears_nothing_and_is_not_heard(ground: NatsGround) -> None:
    """The same without our own client, which might be too polite."""

    async def main() -> None:
        engine = await ground.connect()
        reader, writer = await asyncio.open_connection("127.0.0.1", ground.servers[0].options.port)
        writer.write(b'CONNECT {"verbose":false}\r\nSUB > 1\r\n')
        writer.write(f"PUB tiptoe.{ground.crawl}.log.1 4\r\nevil\r\nPING\r\n".encode())
        await engine.append("log.2", b"secret")
        heard = b""
        with suppress(ConnectionResetError):  # the server does not read what it does not want to hear
            while line := await asyncio.wait_for(reader.readline(), 5):
                heard += line
        writer.close()
        assert b"secret" not in heard
        assert b"PONG" not in heard
        assert await engine.last("log.1") is None

    ground.run(main())


# nats-py leaves the socket to the garbage collector when the other side cannot be trusted.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_traffic_is_encrypted_when_the_server_has_a_certificate(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "other-ca.pem"))
    issued = authority.issue_cert("127.0.0.1")
    issued.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    issued.cert_chain_pems[0].write_to_path(str(tmp_path / "cert.pem"))
    server = NatsServer(
        ServerOptions(
            name="encrypted",
            directory=tmp_path / "server",
            port=free_ports(1)[0],
            user=USER,
            password=PASSWORD,
            certificate_file=tmp_path / "cert.pem",
            key_file=tmp_path / "key.pem",
        )
    )

    async def main() -> None:
        ground = NatsGround([server])
        engine = await open_engine(ground.options(ca_file=tmp_path / "ca.pem"))
        assert await engine.put("crawl", b"x") == 1
        with pytest.raises(EngineUnavailable, match="certificate verify failed"):
            await open_engine(ground.options(ca_file=tmp_path / "other-ca.pem", seconds=0.5))
        plain = f"nats://127.0.0.1:{server.options.port}"
        with pytest.raises(EngineUnavailable):
            await open_engine(ground.options(servers=(plain,), seconds=0.5))
        with pytest.raises(SettingsError, match="cannot be used for TLS"):
            await open_engine(ground.options(ca_file=tmp_path / "missing.pem"))
        await engine.close()

    server.start()
    try:
        asyncio.run(main())
    finally:
        server.kill()
        gc.collect()


# -- crawls --------------------------------------------------------------


def test_crawls_on_the_same_servers_know_nothing_of_each_other(ground: NatsGround) -> None:
    async def main() -> None:
        engine = await ground.connect()
        other = await ground.connect_by(ground.options(crawl=f"{ground.crawl}-log"))
        await engine.put("crawl", b"mine")
        await engine.append("log.1", b"mine")
        await engine.put_object("snapshot.1", [b"mine"])
        assert await other.get("crawl") is None
        assert await other.last("log.1") is None
        async with other.get_object("snapshot.1") as parts:
            assert parts is None

    ground.run(main())


def test_a_crawl_is_created_once_and_opened_as_it_is(ground: NatsGround) -> None:
    async def main() -> None:
        with pytest.raises(SettingsError, match="there is no crawl"):
            await open_engine(ground.options(replicas=None))
        members = await asyncio.gather(*(ground.connect() for _ in range(4)))
        await members[0].put("crawl", b"settings")
        late = await ground.connect_by(ground.options(replicas=None))
        assert await late.get("crawl") is not None
        assert isinstance(late, NatsEngine)
        await late.remove()
        await late.remove()
        with pytest.raises(SettingsError, match="there is no crawl"):
            await open_engine(ground.options(replicas=None))
        with pytest.raises(EngineUnavailable):
            await members[0].get("crawl")

    ground.run(main())


def test_replicas_need_servers(ground: NatsGround) -> None:
    async def main() -> None:
        with pytest.raises(SettingsError, match="3 replicas need as many servers"):
            await open_engine(ground.options(replicas=3))

    ground.run(main())


@pytest.mark.parametrize("name", ["", "-a", "a.b", "A", "a b", "a*", "../a", "x" * 49])
def test_names_of_crawls_are_plain_words(name: str) -> None:
    with pytest.raises(SettingsError, match="cannot be the name of a crawl"):
        EngineOptions(servers=("nats://a",), crawl=name)


def test_interrupted_uploads_leave_nothing_that_a_deletion_does_not_take(ground: NatsGround) -> None:
    def breaks_off() -> Iterator[bytes]:
        yield bytes(500_000)
        raise RuntimeError("the disk is gone")

    async def main() -> None:
        engine = await ground.connect()
        for _ in range(2):
            with pytest.raises(RuntimeError):
                await engine.put_object("snapshot.1", breaks_off())
        await engine.put_object("snapshot.1", [bytes(500_000)])
        client = await nats.connect(ground.servers[0].options.address, user=USER, password=PASSWORD)
        stored = await client.jetstream().stream_info(f"OBJ_tiptoe-{ground.crawl}")
        assert stored.state.messages == 4 + 1  # its parts and its head
        await engine.delete_object("snapshot.1")
        stored = await client.jetstream().stream_info(f"OBJ_tiptoe-{ground.crawl}")
        assert stored.state.messages == 1
        await client.close()

    ground.run(main())


def test_the_tools_of_nats_can_read_our_keys_and_objects(ground: NatsGround) -> None:
    """Who wants to look into a crawl by hand needs nothing of ours."""

    async def main() -> None:
        engine = await ground.connect()
        await engine.put("crawl", b"settings")
        await engine.put_object("snapshot.1", [b"a" * 300_000])
        client = await nats.connect(ground.servers[0].options.address, user=USER, password=PASSWORD)
        keys = await client.jetstream().key_value(f"tiptoe-{ground.crawl}")
        assert (await keys.get("crawl")).value == b"settings"
        objects = await client.jetstream().object_store(f"tiptoe-{ground.crawl}")
        assert (await objects.get("snapshot.1")).data == b"a" * 300_000
        await client.close()

    ground.run(main())


# -- the server, and what is installed -----------------------------------


def test_a_server_that_cannot_start_says_why(server: NatsServer, tmp_path: Path) -> None:
    options = ServerOptions(
        name="b", directory=tmp_path, port=server.options.port, user=USER, password=PASSWORD
    )
    with pytest.raises(SettingsError, match="address already in use"):
        NatsServer(options).start(seconds=5)


def test_what_a_server_writes_is_for_its_owner_only(server: NatsServer) -> None:
    path = server.options.directory / "server.conf"
    assert path.stat().st_mode & 0o077 == 0
    assert PASSWORD not in repr(server)
    assert PASSWORD not in repr(server.options)


@pytest.mark.parametrize("password", ["", "short", "with a\nline end", "with a \x00 zero"])
def test_passwords_that_are_none_are_refused(password: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        ServerOptions(name="a", directory=tmp_path, port=1, user="a", password=password)


@pytest.mark.parametrize("password", ["$PATH is no variable", "'\"\\{}#;%&@:/?=", "příliš žluťoučký"])
def test_passwords_mean_themselves(password: str, tmp_path: Path) -> None:
    server = NatsServer(
        ServerOptions(name="a", directory=tmp_path, port=free_ports(1)[0], user=USER, password=password)
    )

    async def main() -> None:
        ground = NatsGround([server])
        engine = await open_engine(ground.options(password=password))
        await engine.close()

    server.start()
    try:
        asyncio.run(main())
    finally:
        server.kill()


def test_a_server_that_takes_small_messages_only_is_refused(tmp_path: Path) -> None:
    """A crawl would break there when the first large batch comes."""
    port = free_ports(1)[0]
    program = subprocess.Popen(
        [find_program(), "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", str(tmp_path)],
        stderr=subprocess.DEVNULL,
    )

    async def main() -> None:
        options = EngineOptions(servers=(f"nats://127.0.0.1:{port}",), crawl="a", replicas=1)
        with pytest.raises(SettingsError, match="max_payload: 8MB"):
            await open_engine(options)

    try:
        asyncio.run(main())
    finally:
        program.kill()
        program.wait()


def test_without_the_extra_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "nats"]:
        monkeypatch.setitem(sys.modules, name, None)
    for name in [name for name in sys.modules if name.startswith("tiptoe.cluster.nats_")]:
        monkeypatch.delitem(sys.modules, name)
    options = EngineOptions(servers=("nats://127.0.0.1:1",), crawl="a")
    with pytest.raises(SettingsError, match="scripts/install cluster"):
        asyncio.run(open_engine(options))
