"""How messages travel, also when the other side does not behave."""

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest

from tiptoe.errors import ProtocolError
from tiptoe.protocol.messages import Beat, FromKeeper, Hello, News, ToKeeper, Work
from tiptoe.protocol.operator import BlockHost, DescribeHost
from tiptoe.protocol.wire import FRAME_BYTES_MAX, Connection
from tiptoe.protocol.work import HostWork, Report, Request, Result, Visit

REQUEST = Request("http://a.example/příliš", depth=3, via="http://b.example/")


KeeperEnd = Connection[ToKeeper]
HarvesterEnd = Connection[FromKeeper]


def talk(step: Callable[[KeeperEnd, HarvesterEnd, asyncio.StreamWriter], Awaitable[None]]) -> None:
    """Run a test with both ends of a wire, and with the bare stream of the harvester's end."""

    async def run() -> None:
        ours, theirs = socket.socketpair()
        keeper = KeeperEnd(*await asyncio.open_connection(sock=ours), ToKeeper)
        reader, writer = await asyncio.open_connection(sock=theirs)
        harvester = HarvesterEnd(reader, writer, FromKeeper)
        try:
            await asyncio.wait_for(step(keeper, harvester, writer), 20.0)
        finally:
            keeper.close()
            harvester.close()

    asyncio.run(run())


def test_messages_arrive_whole_and_in_order() -> None:
    """What is sent is what is received, in both directions."""

    async def step(keeper: KeeperEnd, harvester: HarvesterEnd, raw: asyncio.StreamWriter) -> None:
        news = News([Report(7, [Result(REQUEST, status=200)], is_done=True)], {"corpus/a": 5})
        work = Work([Visit(7, "192.0.2.1", [HostWork("a.example", 2.0, 5, [REQUEST])])], ["b.example"])
        harvester.send(Hello("harvester", "h1", "secret", pid=5))
        harvester.send(news)
        keeper.send(work)
        assert await keeper.receive() == Hello("harvester", "h1", "secret", pid=5)
        assert await keeper.receive() == news
        assert await harvester.receive() == work

    talk(step)


def test_a_large_message_comes_in_many_pieces() -> None:
    """A report can have thousands of links; the kernel takes some hundred kilobytes at once."""

    async def step(keeper: KeeperEnd, harvester: HarvesterEnd, raw: asyncio.StreamWriter) -> None:
        command = BlockHost("x" * 3_000_000)
        harvester.send(command)
        assert await keeper.receive() == command

    talk(step)


def test_a_thread_sends_what_the_loop_hands_it() -> None:
    """A harvester's loop has no time to wait for the kernel."""

    async def step(keeper: KeeperEnd, harvester: HarvesterEnd, raw: asyncio.StreamWriter) -> None:
        harvester.send_from_thread()
        sent = [DescribeHost(str(number) * 1000) for number in range(500)]
        for command in sent:
            harvester.send(command)
        assert [await keeper.receive() for _ in sent] == sent
        await harvester.drain()

    talk(step)


def test_a_peer_that_goes_is_none() -> None:
    """Also in the middle of a frame: half a message is no message."""

    async def step(keeper: KeeperEnd, harvester: HarvesterEnd, raw: asyncio.StreamWriter) -> None:
        harvester.send(Beat())
        raw.write((100).to_bytes(4, "big") + b"half")
        harvester.close()
        assert await keeper.receive() == Beat()
        assert await keeper.receive() is None
        keeper.send(Beat())  # nobody hears it, and that is all

    talk(step)


def test_an_oversized_frame_is_refused_before_it_is_read() -> None:
    """Four bytes must not make us wait for four gigabytes."""

    async def step(keeper: KeeperEnd, harvester: HarvesterEnd, raw: asyncio.StreamWriter) -> None:
        raw.write((FRAME_BYTES_MAX + 1).to_bytes(4, "big"))
        with pytest.raises(ProtocolError, match="at most"):
            await keeper.receive()

    talk(step)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xc1",  # no MessagePack at all
        b"\x91\xa5other",  # a message nobody knows
        b"\x92\xa5hello\x01",  # a role that is no text
        b"\x91\xa4work",  # a message for the other side
        b"\x91\xa4beat\x00",  # something behind the end
        b"\x92\xa5hello\xa1\xff",  # no UTF-8
        b"\x97\xa5hello\xa1a\xa1b\xa1c\x01\x02" + b"\x91" * 60_000 + b"\xc0",  # deeper than the stack
    ],
)
def test_garbage_ends_in_a_protocol_error(frame: bytes) -> None:
    """Whoever can open the socket can send anything."""

    async def step(keeper: KeeperEnd, harvester: HarvesterEnd, raw: asyncio.StreamWriter) -> None:
        raw.write(len(frame).to_bytes(4, "big") + frame)
        with pytest.raises(ProtocolError, match="cannot be read"):
            await keeper.receive()

    talk(step)


def test_a_peer_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would cost the keeper all its memory."""
    monkeypatch.setattr("tiptoe.protocol.wire.UNSENT_BYTES_MAX", 1 << 20)

    async def step(keeper: KeeperEnd, harvester: HarvesterEnd, raw: asyncio.StreamWriter) -> None:
        assert isinstance(raw.transport, asyncio.Transport)
        raw.transport.pause_reading()
        for _ in range(30):
            keeper.send(Work(hosts=["x" * 100_000]))
        assert await keeper.receive() is None
        await keeper.drain()

    talk(step)
