"""The conformance suite: who keeps the contract passes, who breaks one rule is found out by its name."""

import asyncio
import gc
import itertools
import os
from collections.abc import Callable

import pytest
from segment_servers import answering, as_json, documents_in, talking

from tiptoe.segment import conformance
from tiptoe.segment.conformance import CHECKS, Outcome, check_segmenter
from tiptoe.segment.scorer import Scorer
from tiptoe.segment.segmenter_service import SegmenterReply, Service
from tiptoe.segment.server import Respond

GOOD = Service(Scorer()).respond
Twist = Callable[[list[dict[str, object]]], list[dict[str, object]]]


def broken(respond: Respond, timeout_seconds: float = 30.0) -> dict[str, str]:
    """Return what the suite finds wrong with a segmenter: name of the check, and what came."""

    async def scenario() -> list[Outcome]:
        async with answering(respond) as url:
            return await asyncio.to_thread(
                lambda: list(check_segmenter(url, timeout_seconds=timeout_seconds))
            )

    outcomes = asyncio.run(scenario())
    assert [outcome.name for outcome in outcomes] == list(CHECKS)
    assert all(outcome.came and outcome.expected for outcome in outcomes)
    return {outcome.name: outcome.came for outcome in outcomes if not outcome.is_kept}


def test_the_built_in_segmenter_keeps_the_contract() -> None:
    assert broken(GOOD) == {}


def twisted(twist: Twist) -> Respond:
    """The built-in segmenter with something done to its ratings."""

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        reply = GOOD(method, path, body)
        if path != "/v1/segment" or reply.status != 200:
            return reply
        return as_json(twist(documents_in(reply.body)))

    return respond


def answering_when(status: int, when: Callable[[str, str, bytes], bool], said: bytes = b"{}") -> Respond:
    """The built-in segmenter with some answers replaced."""
    return lambda *asked: SegmenterReply(status, said) if when(*asked) else GOOD(*asked)


def with_ids(change: Callable[[str], str]) -> Respond:
    return twisted(lambda rated: [{**one, "id": change(str(one["id"]))} for one in rated])


def with_usability(usability: Callable[[], object]) -> Respond:
    return twisted(lambda rated: [{**one, "usability": usability()} for one in rated])


def is_about(method: str, path: str, body: bytes) -> bool:
    return path == "/v1/about"


def is_big(method: str, path: str, body: bytes) -> bool:
    return body.count(b'"id"') > 100


def lacks_url(method: str, path: str, body: bytes) -> bool:
    return b"paragraphs" in body and b'"url"' not in body


def calls_lists_useless(rated: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{**one, "usability": one.get("usability") or 0.0} for one in rated]


numbers = itertools.count()
OTHER = b'{"name":"a","version":"1","protocol":2}'

BREACHES: dict[str, tuple[str, Respond]] = {
    # what it does                 found by             how
    "says nothing of itself":     ("about",            answering_when(404, is_about)),
    "speaks another protocol":    ("about",            answering_when(200, is_about, OTHER)),
    "rates from 0 to 100":        ("range",            with_usability(lambda: 50)),
    "rates nothing":              ("prose",            with_usability(lambda: None)),
    "calls a list useless":       ("nothing to judge", twisted(calls_lists_useless)),
    "rates by chance":            ("same again",       with_usability(lambda: next(numbers) % 97 / 100)),
    "leaves documents out":       ("ids",              twisted(lambda rated: rated[:-1])),
    "makes numbers of ids":       ("ids",              with_ids(lambda id: id.lstrip("0"))),
    "mends ids":                  ("unicode",          with_ids(lambda id: id.replace("ř", "r"))),
    "invents documents":          ("empty batch",      twisted(lambda rated: [*rated, {"id": "extra"}])),
    "refuses big batches":        ("big batch",        answering_when(413, is_big)),
    "refuses long texts":         ("long paragraph",   answering_when(413, lambda m, p, b: len(b) > 900_000)),
    "refuses unknown fields":     ("unknown fields",   answering_when(400, lambda m, p, b: b"colour" in b)),
    "wants every field":          ("left out fields",  answering_when(400, lacks_url)),
    "takes nonsense":             ("wrong json",       answering_when(200, lambda m, p, b: b == b"nonsense")),
    "breaks over nonsense":       ("wrong json",       answering_when(500, lambda m, p, b: b == b"null")),
    "answers everywhere":         ("unknown path",     answering_when(200, lambda m, p, b: "such" in p)),
    "fails always":               ("keep-alive",       answering_when(500, lambda m, p, b: m == "POST")),
    "fails now and then":         ("time limit",       answering_when(500, lambda m, p, b: len(b) > 99_000)),
    "breaks over HEAD":           ("head",             answering_when(500, lambda m, p, b: m == "HEAD")),
}  # fmt: skip


@pytest.mark.parametrize("breach", BREACHES)
def test_a_breach_is_found_by_its_name(breach: str) -> None:
    check, respond = BREACHES[breach]
    assert check in broken(respond)


def test_a_segmenter_that_closes_every_connection_is_found() -> None:
    """As HTTP/1.0 servers do: each batch would cost a new connection."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0] or 0)
        line, body = head.partition(b"\r\n")[0].decode().split(" "), await reader.readexactly(size)
        reply = GOOD(line[0], line[1], body)
        shown = b"" if line[0] == "HEAD" else reply.body
        writer.write(
            b"HTTP/1.0 %d X\r\nContent-Length: %d\r\n\r\n%s" % (reply.status, len(reply.body), shown)
        )
        await writer.drain()

    async def scenario() -> list[Outcome]:
        async with talking(talk) as url:
            return await asyncio.to_thread(lambda: list(check_segmenter(url)))

    assert [outcome.name for outcome in asyncio.run(scenario()) if not outcome.is_kept] == ["keep-alive"]


def test_a_slow_segmenter_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "TIME_LIMIT_SECONDS", 0.0)
    assert list(broken(GOOD)) == ["time limit"]


def test_mixed_up_answers_are_found() -> None:
    """A segmenter that forgets which connection asked, as one with a global variable does."""
    last: list[bytes] = [b""]

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        mine, last[0] = last[0] or body, body
        return GOOD(method, path, mine if b"-1-" in body else body)

    assert "at once" in broken(respond)


def test_a_segmenter_that_is_not_there_breaks_everything() -> None:
    """And the suite comes to an end."""

    async def nobody() -> str:
        async with answering(GOOD) as url:
            return url

    outcomes = list(check_segmenter(asyncio.run(nobody()), timeout_seconds=5.0))
    assert not any(outcome.is_kept for outcome in outcomes)
    assert all("no answer" in outcome.came for outcome in outcomes)
    assert not any(" ms" in outcome.came for outcome in outcomes), "how long it took is no part of it"
    assert [outcome.name for outcome in outcomes] == list(CHECKS)


def test_no_connection_is_left_open() -> None:
    """Who checks a segmenter over and over, in tests of its own for instance, must not run out of files."""
    gc.collect()
    before = os.listdir("/proc/self/fd")
    assert broken(GOOD) == {}
    assert len(os.listdir("/proc/self/fd")) <= len(before)
