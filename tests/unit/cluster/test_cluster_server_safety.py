"""Does a server of a cluster let in only those who may, and keep its crawls apart?"""

import asyncio
import contextlib
import datetime
import gc
import socket
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import nats
import pytest
import trustme
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import ConsumerConfig, StreamConfig, StreamSource

from nats_servers import free_ports
from tiptoe.cli.cluster_commands import tell_all
from tiptoe.cli.cluster_gather_command import gather_command
from tiptoe.cluster.cluster_book import ServerPlace
from tiptoe.cluster.cluster_server import ClusterServer
from tiptoe.cluster.credentials import Credentials
from tiptoe.cluster.engine import Engine, EngineUnavailable, UntrustedServer
from tiptoe.cluster.engine_options import open_engine
from tiptoe.cluster.file_service import FileService
from tiptoe.cluster.key_reading import read_keys
from tiptoe.cluster.nats_connection import tls_context
from tiptoe.cluster.nats_server_link import ServerLink, ServerSeen
from tiptoe.cluster.reader_rights import READ_STREAMS, NotAllowed
from tiptoe.cluster.server_directory import OwnServer, ServerDirectory
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.protocol.operator import PauseCrawl

Done = TypeVar("Done")

UNTRUSTED = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""nats-py leaves the socket to the garbage collector when the other side cannot be trusted."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerDirectory]:
    """A server with users of two crawls, and one of all others."""
    path = tmp_path_factory.mktemp("nats") / "first"
    ports = free_ports(2)
    own = OwnServer(name="first", host="127.0.0.1", place=ServerPlace("127.0.0.1", *ports))
    made = ServerDirectory.create(path, own, size=1, is_encrypted=True)
    book = made.book.with_entrant("anna", crawl="alpha").with_entrant("boris", crawl="beta")
    made.update(book.with_entrant("reader", crawl="alpha", reads_only=True))
    server = ClusterServer(made)
    server.start()
    yield made
    server.stop()


def run(main: Coroutine[Any, Any, Done]) -> Done:
    async def bounded() -> Done:
        async with asyncio.timeout(40):
            return await main

    try:
        return asyncio.run(bounded())
    finally:
        gc.collect()


async def opened(
    credentials: Credentials, crawl: str, *, creates: bool = True, seconds: float = 15.0
) -> Engine:
    options = credentials.options(crawl, member="test", replicas=1 if creates else None)
    return await open_engine(msgspec.structs.replace(options, seconds=seconds))


async def raw_client(credentials: Credentials) -> Client:
    context = tls_context(credentials.options(credentials.crawl, member="test"))
    return await nats.connect(
        list(credentials.servers), user=credentials.user, password=credentials.password, tls=context
    )


def test_who_has_the_credentials_works_over_an_encrypted_line(home: ServerDirectory) -> None:
    async def main() -> None:
        engine = await opened(home.book.credentials("member"), "common")
        await engine.put("settings", b"1")
        found = await engine.get("settings")
        assert found is not None
        assert found.value == b"1"
        await engine.close()

    run(main())


@pytest.mark.parametrize("wrong", [{"password": "guessed, wrongly"}, {"user": "nobody"}, {"user": ""}])
def test_who_shows_wrong_credentials_is_told_so_and_learns_nothing(
    home: ServerDirectory, wrong: dict[str, str]
) -> None:
    credentials = msgspec.structs.replace(home.book.credentials("member"), **wrong)
    with pytest.raises(SettingsError, match="does not accept these credentials"):
        run(opened(credentials, "common"))


@UNTRUSTED
def test_a_server_that_somebody_else_vouches_for_is_not_trusted(home: ServerDirectory) -> None:
    """Else anybody on the way could play the server."""
    other = trustme.CA().cert_pem.bytes().decode()
    credentials = msgspec.structs.replace(home.book.credentials("member"), ca=other)
    with pytest.raises(UntrustedServer, match=r"(?i)certificate"):
        run(opened(credentials, "common", seconds=3.0))


@UNTRUSTED
@pytest.mark.parametrize("scheme", ["nats", "tls"])
def test_who_does_not_know_who_vouches_for_the_server_stays_out(home: ServerDirectory, scheme: str) -> None:
    credentials = home.book.credentials("member")
    plain = [server.replace("tls://", f"{scheme}://") for server in credentials.servers]
    credentials = msgspec.structs.replace(credentials, servers=tuple(plain), ca="")
    with pytest.raises(UntrustedServer, match=r"(?i)certificate"):
        run(opened(credentials, "common", seconds=3.0))


def test_a_client_that_does_not_encrypt_is_shown_out(home: ServerDirectory) -> None:
    """It would have sent its password for everybody to read; the server hears no word of it."""
    entrant = home.book.entrants["member"]
    connect = f'CONNECT {{"user":"member","pass":"{entrant.password}","verbose":true}}\r\nPING\r\n'
    with socket.create_connection(("127.0.0.1", home.own.place.port), timeout=10) as link:
        link.sendall(connect.encode())
        answers = link.makefile("rb").read()
    assert b"+OK" not in answers
    assert b"PONG" not in answers


@UNTRUSTED
def test_a_password_is_told_to_no_server_that_does_not_encrypt(home: ServerDirectory) -> None:
    """Somebody on the way says: no need to encrypt here."""
    heard = bytearray()
    listener = socket.create_server(("127.0.0.1", 0))

    def pretend() -> None:
        with contextlib.suppress(OSError):
            while True:
                link, _ = listener.accept()
                with link:
                    link.sendall(b'INFO {"server_id":"x","version":"2.15.1","max_payload":8388608}\r\n')
                    link.settimeout(1.0)
                    with contextlib.suppress(TimeoutError):
                        heard.extend(link.recv(4096))

    thread = threading.Thread(target=pretend)
    thread.start()
    port = listener.getsockname()[1]
    credentials = msgspec.structs.replace(
        home.book.credentials("member"), servers=(f"tls://127.0.0.1:{port}",)
    )
    try:
        with pytest.raises(EngineUnavailable, match="does not encrypt"):
            run(opened(credentials, "common", seconds=3.0))
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
    assert not heard


def test_a_member_of_one_crawl_finds_nothing_of_another(home: ServerDirectory) -> None:
    """Not even its name: neither by asking, nor by listening, nor by having it copied."""

    async def main() -> None:
        alpha = await opened(home.book.credentials("anna"), "alpha")
        await alpha.append("log.0", b"secret")
        boris = await raw_client(home.book.credentials("boris"))
        js = boris.jetstream(timeout=30)
        heard: list[Msg] = []

        async def hear(message: Msg) -> None:
            heard.append(message)

        await boris.subscribe(">", cb=hear)
        await alpha.append("log.0", b"secret too")
        assert await js.streams_info() == []
        copy = StreamConfig(name="copy", mirror=StreamSource(name="tiptoe-alpha-log"))
        with contextlib.suppress(nats.errors.Error):
            await js.add_stream(copy)
        with contextlib.suppress(nats.errors.Error):
            await js.add_stream(StreamConfig(name="mine", subjects=["tiptoe.alpha.>", "$KV.>", "$O.>"]))
        await alpha.append("log.0", b"secret, three")
        await asyncio.sleep(0.5)
        stored = [info.state.messages for info in await js.streams_info()]
        assert sum(stored) == 0
        assert not [message for message in heard if b"secret" in message.data]
        await js.delete_stream("mine")
        await boris.close()
        await alpha.close()

    run(main())


def test_a_member_of_one_crawl_changes_nothing_of_another(home: ServerDirectory) -> None:
    async def main() -> None:
        alpha = await opened(home.book.credentials("anna"), "alpha")
        sequence = await alpha.append("log.7", b"ours")
        boris = await raw_client(home.book.credentials("boris"))
        js = boris.jetstream(timeout=30)
        await boris.publish("tiptoe.alpha.log.7", b"theirs")
        await boris.publish("$KV.tiptoe-alpha.settings", b"theirs")
        for attempt in (
            js.delete_stream("tiptoe-alpha-log"),
            js.purge_stream("tiptoe-alpha-log"),
            js.add_consumer("tiptoe-alpha-log", ConsumerConfig(deliver_subject="x")),
        ):
            with pytest.raises(nats.errors.Error):
                await attempt
        # A stream of the same name is one of their own.
        await js.add_stream(StreamConfig(name="tiptoe-alpha-log", subjects=["tiptoe.alpha.log.>"]))
        await js.publish("tiptoe.alpha.log.7", b"theirs")
        await js.delete_stream("tiptoe-alpha-log")
        await boris.flush()
        last = await alpha.last("log.7")
        assert last is not None
        assert (last.sequence, last.data) == (sequence, b"ours")
        assert await alpha.get("settings") is None
        await boris.close()
        await alpha.close()

    run(main())


def test_whoever_may_come_to_all_crawls_does_not_come_to_those_of_others(home: ServerDirectory) -> None:
    async def main() -> None:
        await (await opened(home.book.credentials("anna"), "alpha")).close()
        await opened(home.book.credentials("member"), "alpha", creates=False)

    with pytest.raises(SettingsError, match="there is no crawl 'alpha'"):
        run(main())


def test_no_member_can_look_at_the_servers_themselves(home: ServerDirectory) -> None:
    """They would see all connections, and could have servers read what they want."""

    async def main() -> None:
        boris = await raw_client(home.book.credentials("boris"))
        anna = await raw_client(home.book.credentials("anna"))
        for subject in ("$SYS.REQ.SERVER.PING.VARZ", "$SYS.REQ.SERVER.PING.JSZ", "tiptoe.book"):
            with pytest.raises(nats.errors.Error):
                await anna.request(subject, b"{}", timeout=0.5)
        seen = await anna.request("$SYS.REQ.SERVER.PING.CONNZ", b"{}", timeout=30)
        [connection] = msgspec.json.decode(seen.data)["data"]["connections"]
        assert connection["cid"] == anna.client_id  # her own account is hers to see
        await anna.close()
        await boris.close()

    run(main())


def test_users_come_and_go_while_the_server_runs(tmp_path: Path) -> None:
    """Who is added is let in at once; who is removed is shown out, also if it is in."""
    ports = free_ports(2)
    own = OwnServer(name="first", host="127.0.0.1", place=ServerPlace("127.0.0.1", *ports))
    home = ServerDirectory.create(tmp_path / "d", own, size=1, is_encrypted=True)
    server = ClusterServer(ServerDirectory.open(tmp_path / "d"))

    async def main() -> None:
        looks: asyncio.Queue[list[ServerSeen]] = asyncio.Queue()
        looking = asyncio.create_task(server.look_after(looks.put_nowait, look_seconds=0.2))
        await looks.get()
        async with ServerLink.to(home.system_credentials()) as link:
            home.update(home.book.with_entrant("anna", crawl="alpha"))
            assert await link.share(home.book, 1) == ["first"]
            credentials = home.book.credentials("anna")
            engine = await opened(credentials, "alpha")
            while "test" not in (await looks.get())[0].members:
                pass
            home.update(home.book.without_entrant("anna"))
            assert await link.share(home.book, 1) == ["first"]
            while "test" in (await looks.get())[0].members:
                pass
            with pytest.raises(CrawlerError):
                await engine.put("key", b"")
            await engine.close()
            with pytest.raises(SettingsError, match="does not accept"):
                await opened(credentials, "alpha")
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)

    server.start()
    try:
        run(main())
    finally:
        server.stop()
    assert ServerDirectory.open(tmp_path / "d").book == home.book
    assert not (tmp_path / "d/members/anna.json").exists()


@pytest.mark.parametrize("crawl", ["", "alpha"])
def test_a_reader_who_is_added_while_the_server_runs_is_let_in(tmp_path: Path, crawl: str) -> None:
    """To a crawl that was there before, and goes on meanwhile."""
    ports = free_ports(2)
    own = OwnServer(name="first", host="127.0.0.1", place=ServerPlace("127.0.0.1", *ports))
    home = ServerDirectory.create(tmp_path / "d", own, size=1, is_encrypted=True)
    server = ClusterServer(ServerDirectory.open(tmp_path / "d"))

    async def main() -> None:
        looks: asyncio.Queue[list[ServerSeen]] = asyncio.Queue()
        looking = asyncio.create_task(server.look_after(looks.put_nowait, look_seconds=0.2))
        await looks.get()
        async with ServerLink.to(home.system_credentials()) as link:
            if crawl:
                home.update(home.book.with_entrant("anna", crawl=crawl))
                await link.share(home.book, 1)
            engine = await opened(home.book.credentials("anna" if crawl else "member"), "alpha")
            await engine.put("shard.0", b"held")
            home.update(home.book.with_entrant("eva", crawl=crawl, reads_only=True))
            await link.share(home.book, 1)
            reader = await opened(home.book.credentials("eva"), "alpha", creates=False)
            found = await reader.get("shard.0")
            assert found is not None
            assert found.value == b"held"
            await reader.close()
            await engine.put("shard.1", b"and goes on")
            await engine.close()
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)

    server.start()
    try:
        run(main())
    finally:
        server.stop()


def test_a_reader_of_a_crawl_that_was_created_by_others_is_told_so(tmp_path: Path) -> None:
    """Nobody else uses the account of the crawl, and such an account does not answer."""
    own = OwnServer(name="first", host="127.0.0.1", place=ServerPlace("127.0.0.1", *free_ports(2)))
    home = ServerDirectory.create(tmp_path / "d", own, size=1, is_encrypted=True)
    home.update(home.book.with_entrant("eva", crawl="alpha", reads_only=True))
    server = ClusterServer(ServerDirectory.open(tmp_path / "d"))

    async def look() -> None:
        engine = await opened(home.book.credentials("member"), "alpha")
        await engine.close()
        with pytest.raises(SettingsError, match=r"no crawl 'alpha' that these .* add-user NAME"):
            await opened(home.book.credentials("eva"), "alpha", creates=False)

    server.start()
    try:
        run(look())
    finally:
        server.stop()


def test_a_server_that_runs_already_is_not_started_again(tmp_path: Path) -> None:
    """Its keeper may have been killed: the operator is told which process it is."""
    ports = free_ports(2)
    own = OwnServer(name="first", host="127.0.0.1", place=ServerPlace("127.0.0.1", *ports))
    home = ServerDirectory.create(tmp_path / "d", own, size=1, is_encrypted=True)
    server = ClusterServer(home)
    server.start()
    try:
        with pytest.raises(SettingsError, match=f"runs already as process {server.pid}"):
            ClusterServer(home).start()
    finally:
        server.stop()


def test_everything_in_the_directory_is_for_its_owner_alone(home: ServerDirectory) -> None:
    files = [home.path, *home.path.rglob("*.json"), *home.path.rglob("*.pem"), home.path / "server.conf"]
    assert len(files) > 8
    assert [path for path in files if path.stat().st_mode & 0o077] == []


def test_a_lone_server_waits_for_its_disk_and_one_of_three_does_not(tmp_path: Path) -> None:
    own = OwnServer(name="first", host="127.0.0.1", place=ServerPlace("127.0.0.1", 4222, 6222))
    alone = ServerDirectory.create(tmp_path / "1", own, size=1, is_encrypted=False)
    of_three = ServerDirectory.create(tmp_path / "3", own, size=3, is_encrypted=False)
    assert (alone.options().is_synced, of_three.options().is_synced) == (True, False)


def test_certificates_are_valid_where_the_clock_is_behind(home: ServerDirectory) -> None:
    from cryptography import x509

    found = x509.load_pem_x509_certificate((home.path / "server.pem").read_bytes())
    now = datetime.datetime.now(datetime.UTC)
    assert found.not_valid_before_utc < now - datetime.timedelta(hours=12)
    assert found.not_valid_after_utc > now + datetime.timedelta(days=365)


def test_a_reader_sees_keys_and_asks_agents_but_cannot_change_anything(home: ServerDirectory) -> None:
    """Whoever looks after the figures need not be able to stop the crawl."""

    async def main() -> None:
        member = await opened(home.book.credentials("anna"), "alpha")
        await member.put("shard.0", b"held")
        await member.delete("shard.1", revision=await member.put("shard.1", b"free"))
        reader = await opened(home.book.credentials("reader"), "alpha", creates=False)

        async def status(data: bytes) -> bytes:
            return b"well"

        async with member.serve("agent.a.status", status), member.serve("agent.a.drain", status):
            # The servers, and so the keys of a crawl, are those of all tests of this file.
            assert {"shard.0", "shard.1"} & set(await read_keys(reader, "shard")) == {"shard.0"}
            found = await reader.get("shard.0")
            assert found is not None
            assert found.value == b"held"
            assert await reader.request("agent.a.status", b"", seconds=5.0) == b"well"
            with pytest.raises(NotAllowed, match="may only read"):
                await reader.request("agent.a.drain", b"", seconds=5.0)
            with pytest.raises(NotAllowed, match="may only read"):
                await reader.put("shard.0", b"mine", revision=found.revision)
        await reader.close()
        await member.close()

    run(main())


def test_a_reader_may_not_create_a_crawl(home: ServerDirectory) -> None:
    with pytest.raises(NotAllowed, match="may only read"):
        run(opened(home.book.credentials("reader"), "alpha"))


async def refused(client: Client, subject: str, data: bytes) -> bool:
    """Whether nobody answers, or only that there is nothing here."""
    try:
        answer = await client.request(subject, data, timeout=0.3)
    except (nats.errors.NoRespondersError, nats.errors.TimeoutError):
        return True
    return b"JetStream not enabled for account" in answer.data


def test_the_servers_let_a_reader_change_nothing_however_it_asks(home: ServerDirectory) -> None:
    """A client of its own keeps to no rule of ours: it also has others answer where a key is."""

    async def main() -> None:
        member = await opened(home.book.credentials("anna"), "alpha")
        await member.put("shard.5", b"held")
        assert await member.get("crawl.ended") is None
        logged = await member.last("log.0")
        asked: list[bytes] = []

        async def answer(data: bytes) -> bytes:
            asked.append(data)
            return b"written by an agent"

        key = "$KV.tiptoe-alpha.crawl.ended"
        async with member.serve("agent.b.status", answer), member.serve("agent.b.drain", answer):
            client = await raw_client(home.book.credentials("reader"))
            await client.publish(key, b"by the reader")
            await client.publish("tiptoe.alpha.log.0", b"by the reader")
            await client.publish("tiptoe.alpha.ask.agent.b.status", b"asked", reply=key)
            last = b'{"last_by_subj":"$KV.tiptoe-alpha.shard.5"}'
            for api in ("$JS.API", READ_STREAMS):
                await client.publish(f"{api}.STREAM.MSG.GET.KV_tiptoe-alpha", last, reply=key)
                for asks in ("STREAM.DELETE", "STREAM.PURGE", "STREAM.MSG.DELETE"):
                    assert await refused(client, f"{api}.{asks}.KV_tiptoe-alpha", b'{"seq":1}')
                consumer = b'{"stream_name":"KV_tiptoe-alpha","config":{"deliver_subject":"x"}}'
                assert await refused(client, f"{api}.CONSUMER.CREATE.KV_tiptoe-alpha", consumer)
                assert await refused(client, f"{api}.STREAM.CREATE.mine", b'{"name":"mine","subjects":["x"]}')
            assert await refused(client, "tiptoe.alpha.ask.agent.b.drain", b"")
            heard = await client.subscribe(">")
            await member.put("noise", b"1")
            with pytest.raises(nats.errors.TimeoutError):
                await heard.next_msg(timeout=0.3)
            await client.close()
            assert asked == [b"asked"]  # what it may ask, it may; the answer went to its own account
        assert await member.get("crawl.ended") is None
        assert await member.last("log.0") == logged
        assert await member.get("shard.5") is not None
        await member.close()

    run(main())


def test_a_reader_gathers_the_files_of_a_crawl_that_it_takes_no_part_in(
    home: ServerDirectory, tmp_path: Path
) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    (there / "log").mkdir(parents=True)
    (there / "log" / "requests-h1.jsonl").write_bytes(b"{}\n")
    credentials = str(home.path / "members" / "reader.json")

    async def main() -> tuple[int, int]:
        member = await opened(home.book.credentials("anna"), "alpha")
        serving = asyncio.ensure_future(FileService(member, "m1", there).run())
        while await member.get("member.m1") is None:
            await asyncio.sleep(0.01)
        gathered = await asyncio.to_thread(gather_command, here, cluster=credentials)
        with pytest.raises(NotAllowed):
            await asyncio.to_thread(tell_all, credentials, PauseCrawl())
        serving.cancel()
        await member.close()
        return gathered, len(list((here / "members" / "m1" / "log").iterdir()))

    assert run(main()) == (0, 1)
