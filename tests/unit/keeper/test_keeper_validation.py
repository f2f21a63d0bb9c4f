"""Who pays for a message that makes no sense? Its sender, never the crawl."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from keeper_samples import make_keeper

from tiptoe.errors import ProtocolError
from tiptoe.fetch.outcome import Failure
from tiptoe.frontier.patience import FAILURES, trouble_of
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.validation import refusal_of, validate
from tiptoe.protocol.messages import Denial, Hello, Inquiry, Lookup, News, Resolutions, ToKeeper
from tiptoe.protocol.wire import Connection
from tiptoe.protocol.work import (
    Hint,
    HostLinks,
    Purpose,
    Question,
    Report,
    Request,
    Result,
    RobotsNote,
    RobotsState,
)
from tiptoe.url.address import page_keys
from tiptoe.url.dropped import Dropped

ME = "h9-abc-0001"
PAGE = Request("http://a.example/")
NOWHERE = "http://a.example:x/"
RULES = Request("http://a.example/robots.txt", Purpose.ROBOTS, for_origin=NOWHERE)
LINKS = ["http://c.example/", "http://c.example/2"]
KEYS = page_keys("c.example", LINKS)


def news(**brought: object) -> News:
    return News([Report(1, [Result(PAGE, **brought)])])  # type: ignore[arg-type]


SENSELESS = {
    "failure": news(failure="quic_failed"),
    "source": news(status=200, source=Purpose.ROBOTS),
    "no keys": news(status=200, links=[HostLinks("c.example", LINKS, b"")]),
    "half a key": news(status=200, links=[HostLinks("c.example", LINKS, KEYS[:-8])]),
    "a key too many": news(status=200, links=[HostLinks("c.example", LINKS[:1], KEYS)]),
    "port": News([Report(1, [Result(Request("http://a.example:x/"), status=200)])]),
    "port of what is returned": News([Report(1, [], [Request("http://a.example:x/")])]),
    "port of a redirect": news(status=301, redirect=NOWHERE),
    "port of a feed": news(status=200, feeds=[NOWHERE]),
    "port of a sitemap": news(status=200, sitemaps=[NOWHERE]),
    "port of a hint": news(status=200, hints=[Hint(NOWHERE, 1.0)]),
    "port of rules that moved": news(status=301, robots=RobotsNote(RobotsState.MOVED, location=NOWHERE)),
    "port of a sitemap in rules": news(robots=RobotsNote(RobotsState.RULES, sitemaps=[NOWHERE])),
    "port of whose rules they are": News([Report(1, [Result(RULES, robots=RobotsNote(RobotsState.RULES))])]),
    "port of what is asked": Inquiry([Question(1, "http://a.example:x/", b"")]),
    "foreign mark": News([], {"corpus/a": 5}),
    "mark outside": News([], {f"../corpus/{ME}-00000.jsonl": 5}),
    "mark of another": News([], {"corpus/h8-abc-0002-00000.jsonl": 5}),
    "mark before the beginning": News([], {f"corpus/{ME}-00000.jsonl": -1}),
    "mark without end": News([], {f"corpus/{ME}-00000.jsonl": 1 << 63}),
    "drops for no reason": News([], discards={"whatever": 1}),
    "fewer than no drops": News([], discards={"too_deep": -1}),
    "neither address nor failure": Resolutions([Lookup("b.example")]),
    "failure of a look-up": Resolutions([Lookup("b.example", "", "svcb_failed")]),
    "address": Resolutions([Lookup("b.example", "nowhere")]),
}


@pytest.mark.parametrize("message", SENSELESS.values(), ids=list(SENSELESS))
def test_what_cannot_be_is_an_error_of_its_sender(message: object) -> None:
    """The frontier would break off in the middle of a step, or at the next start."""
    with pytest.raises(ProtocolError):
        validate(message, ME)


@pytest.mark.parametrize(
    "message",
    [
        news(status=200, links=[HostLinks("c.example", LINKS, KEYS), HostLinks("d.example", [], b"")]),
        *(news(failure=failure.value) for failure in Failure),
        News([], {f"warc/my-crawl-{ME}-00012.warc.gz": 0, f"corpus/{ME}-00000.jsonl": 1 << 40}),
        News([], discards={reason.value: 3 for reason in Dropped}),
        Resolutions([Lookup("b.example", "192.0.2.1"), Lookup("c.example", "2001:db8::1")]),
        Resolutions([Lookup("", "local"), Lookup("d.example", "", "dns_failed")]),
        Inquiry([Question(1, "http://[::1]:80/", b"")]),
    ],
)
def test_what_harvesters_say_passes(message: object) -> None:
    """Whatever does not is raised as an error."""
    validate(message, ME)


def test_every_failure_that_passes_is_a_trouble_somebody_has_patience_for() -> None:
    assert all(trouble_of(0, failure) is not None for failure in FAILURES)


@pytest.mark.parametrize("name", ["", "a/b", "../h1", "h\0", "-h", "é", "h" * 65])
def test_a_harvester_whose_name_cannot_name_a_file_is_not_let_in(name: str) -> None:
    refusal = refusal_of(Hello("harvester", name), "", needs_token=False)
    assert refusal is not None
    assert refusal.why is Denial.NAME
    assert "--name" in refusal.reason
    assert refusal_of(Hello("control", name), "", needs_token=False) is None


class DeafWriter:
    """The keeper's end of a wire on which nobody listens."""

    transport: "DeafWriter"

    def __init__(self) -> None:
        self.transport = self
        self.is_closed = False

    def is_closing(self) -> bool:
        return self.is_closed

    def write(self, frame: bytes) -> None:
        """Nobody hears it."""

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        self.is_closed = True


def framed(frame: bytes) -> bytes:
    return len(frame).to_bytes(4, "big") + frame


def hear(keeper: Keeper, *frames: bytes, error: OSError | None = None, needs_token: bool = False) -> bool:
    """Let somebody say this, and be silent; return whether the keeper ended the talk."""

    async def talk() -> bool:
        reader, writer = asyncio.StreamReader(), DeafWriter()
        for frame in frames:
            reader.feed_data(framed(frame))
        connection: Connection[ToKeeper] = Connection(reader, writer, ToKeeper)  # type: ignore[arg-type]
        if error is not None:
            asyncio.get_running_loop().call_soon(reader.set_exception, error)
        await asyncio.wait_for(keeper.reception.talk(connection, needs_token=needs_token), 5.0)
        return writer.is_closed

    return asyncio.run(talk())


HELLO = msgspec.msgpack.encode(Hello("harvester", "h9", pid=1))


@pytest.mark.parametrize(
    "frame",
    [
        b"\x92\xa5hello\xa3\xff\xfe\xfd",  # no UTF-8
        b"\x97\xa5hello\xa9harvester\xa1a\xa1b\x01\x02" + b"\x91" * 60_000 + b"\xc0",  # deeper than the stack
    ],
)
def test_a_stranger_cannot_end_the_keeper(tmp_path: Path, frame: bytes) -> None:
    """Whoever reaches the port can send anything, before it has shown the token."""
    keeper, _ = make_keeper(tmp_path)
    assert hear(keeper, frame, needs_token=True)
    assert not keeper.is_stopping


def test_a_network_that_breaks_takes_one_harvester_and_not_the_keeper(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path)
    others = set(keeper.roster.members)
    assert hear(keeper, HELLO, error=OSError(113, "No route to host"))
    assert not keeper.is_stopping
    assert set(keeper.roster.members) == others


@pytest.mark.parametrize("message", SENSELESS.values(), ids=list(SENSELESS))
def test_a_harvester_that_makes_no_sense_is_let_go_and_its_work_returns(
    tmp_path: Path, message: object
) -> None:
    keeper, _ = make_keeper(tmp_path, "http://a.example/")
    others = set(keeper.roster.members)
    incarnation = f"h9-{int(keeper.figures.started_at * 1000):x}-0002"
    assert keeper.frontier.visits(1, incarnation, keeper.clock.now())
    assert hear(keeper, HELLO, msgspec.msgpack.encode(message))
    assert not keeper.is_stopping
    assert set(keeper.roster.members) == others
    assert (keeper.frontier.counters.gauges.leased, keeper.frontier.counters.gauges.queued) == (0, 1)
    assert keeper.figures.lost_harvesters == 1
    assert keeper.frontier.outputs.marks() == {}
    keeper.frontier.check()


def test_a_harvester_may_have_files_of_every_shard_but_no_others() -> None:
    """Their names are in its hands; those of others are not."""
    validate(News([], {"corpus/c-h9-1a2b-0002.s07-00001.jsonl": 1}), "h9-1a2b-0002")
    validate(News([], {"log/requests-h9-1a2b-0002.s07.12.jsonl": 1}), "h9-1a2b-0002")
    for name in ("h9-1a2b-0001.s07", "h9-1a2b-0002.x07", "h9-1a2b-0002.s7", "h9-1a2b-0002.s07.s08"):
        with pytest.raises(ProtocolError):
            validate(News([], {f"corpus/c-{name}-00001.jsonl": 1}), "h9-1a2b-0002")


def test_a_harvester_that_stammers_is_let_go_at_once(tmp_path: Path) -> None:
    """Its visits need not wait until its lease runs out."""
    keeper, _ = make_keeper(tmp_path)
    others = set(keeper.roster.members)
    assert hear(keeper, HELLO, b"\xc1")
    assert set(keeper.roster.members) == others
