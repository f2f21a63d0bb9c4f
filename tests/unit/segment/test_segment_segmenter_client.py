"""A crawl asks, and gets an answer in time whatever the segmenter does."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
import uvloop
from segment_samples import ARTICLE_CS
from segment_servers import answering, as_json, asking, documents_in, rate_all, talking

from tiptoe.protocol.messages import Judged
from tiptoe.segment import segmenter_client as client_module
from tiptoe.segment.segmenter_client import SegmenterClient
from tiptoe.segment.segmenter_protocol import Rating
from tiptoe.segment.segmenter_service import SegmenterReply

URL = "https://a.example/"


class Clock:
    """Time that passes only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=[asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    runner: Callable[[Any], Any] = request.param
    return runner


async def rate_many(client: SegmenterClient, count: int) -> list[Rating | None]:
    return await asyncio.gather(
        *(client.rate(f"{URL}{n}", "cs", [*ARTICLE_CS, str(n)]) for n in range(count))
    )


def usabilities(ratings: list[Rating | None]) -> list[float | None]:
    return [rating.usability if rating else None for rating in ratings]


def test_documents_are_rated(run: Callable[[Any], Any]) -> None:
    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        assert (method, path) == ("POST", "/ours/v1/segment")
        (document,) = documents_in(body)
        assert document == {"id": "1", "url": URL, "language": "cs", "paragraphs": ARTICLE_CS}
        return as_json([{"id": "1", "usability": 0.83, "annotations": {"genre": "news"}}])

    async def scenario() -> Rating | None:
        async with answering(respond) as url, asking(f"{url}/ours/") as client:
            return await client.rate(URL, "cs", ARTICLE_CS)

    assert run(scenario()) == Rating("1", 0.83, {"genre": "news"})


def test_documents_that_come_together_travel_together() -> None:
    """One request per document would cost the crawl more than the rating itself."""
    sizes = []

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        documents = documents_in(body)
        sizes.append(len(documents))
        # In any order, and each with something of its own.
        return as_json(
            [{"id": d["id"], "usability": int(d["paragraphs"][-1]) / 1000} for d in documents[::-1]]
        )

    async def scenario() -> list[Rating | None]:
        async with answering(respond) as url, asking(url, documents_max=40) as client:
            return await rate_many(client, 100)

    assert usabilities(asyncio.run(scenario())) == [n / 1000 for n in range(100)]
    assert sorted(sizes) == [20, 40, 40]


def test_a_batch_has_at_most_a_million_characters() -> None:
    sizes = []

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        documents = documents_in(body)
        sizes.append([sum(map(len, document["paragraphs"])) for document in documents])
        return as_json([{"id": document["id"], "usability": 1} for document in documents])

    async def scenario() -> list[Rating | None]:
        async with answering(respond) as url, asking(url) as client:
            texts = [["a" * 600_000], ["b" * 300_000], ["č" * 700_000, "d" * 700_000, "e"], ["f"]]
            return await asyncio.gather(*(client.rate(URL, "", text) for text in texts))

    assert usabilities(asyncio.run(scenario())) == [1.0] * 4
    assert sorted(sizes) == [[1], [600_000, 300_000], [1_000_000]]


def test_halves_of_characters_can_be_sent() -> None:
    async def scenario() -> Rating | None:
        async with answering(rate_all()) as url, asking(url) as client:
            return await client.rate(URL, "", ["broken \ud83d page"])

    assert asyncio.run(scenario()) == Rating("1", 0.5)


def test_a_segmenter_may_say_that_there_is_too_little_to_judge() -> None:
    """That is an answer; when none comes, nothing is known of the page at all."""

    async def scenario() -> list[Rating | None]:
        async with answering(rate_all(None)) as url, asking(url) as client:
            return await rate_many(client, 2)

    ratings = asyncio.run(scenario())
    assert [rating.usability for rating in ratings if rating is not None] == [None, None]


def good(ids: list[str]) -> SegmenterReply:
    return as_json([{"id": id, "usability": 1} for id in ids])


HOSTILE: dict[str, Callable[[list[str]], SegmenterReply]] = {
    "wrong id": lambda ids: as_json([{"id": "other", "usability": 1}]),
    "an id of a document it was asked about earlier": lambda ids: as_json(
        [{"id": "0", "usability": 1}, *({"id": id, "usability": 1} for id in ids)]
    ),
    "one document twice": lambda ids: as_json([{"id": ids[0], "usability": 1}] * 2),
    "usability 7": lambda ids: as_json([{"id": id, "usability": 7} for id in ids]),
    "usability below 0": lambda ids: as_json([{"id": id, "usability": -0.1} for id in ids]),
    "usability in words": lambda ids: as_json([{"id": id, "usability": "high"} for id in ids]),
    "usability NaN": lambda ids: as_json([{"id": id, "usability": float("nan")} for id in ids]),
    "number as id": lambda ids: as_json([{"id": int(id), "usability": 1} for id in ids]),
    "nested annotations": lambda ids: as_json(
        [{"id": id, "usability": 1, "annotations": {"a": {}}} for id in ids]
    ),
    "no list": lambda ids: as_json(5),
    "no JSON": lambda ids: SegmenterReply(200, b"<html>"),
    "nesting without end": lambda ids: SegmenterReply(200, b'{"documents":' + b"[" * 60_000),
    "broken UTF-8": lambda ids: SegmenterReply(200, b'{"documents":[{"id":"\xff","usability":1}]}'),
    "nothing": lambda ids: SegmenterReply(200, b""),
    "status 500": lambda ids: SegmenterReply(500, good(ids).body),
    "status 302": lambda ids: SegmenterReply(302, good(ids).body),
    "status 202": lambda ids: SegmenterReply(202, good(ids).body),
    "too long": lambda ids: SegmenterReply(200, b" " * 20_000_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_an_answer_that_breaks_the_contract_rates_nothing(name: str) -> None:
    """Not even what looks right in it: nobody knows what else is wrong."""
    notes: list[str] = []

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        return HOSTILE[name]([document["id"] for document in documents_in(body)])

    async def scenario() -> list[Rating | None]:
        async with answering(respond) as url, asking(url, note=notes.append) as client:
            ratings = await rate_many(client, 3)
            assert client.counts == {"unrated": 3, "failed_batches": 1}
            return ratings

    assert asyncio.run(scenario()) == [None, None, None]
    assert len(notes) == 1
    assert notes[0].startswith("the segmenter")


def test_documents_that_are_left_out_stay_unknown() -> None:
    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        return as_json([{"id": documents_in(body)[0]["id"], "usability": 1}])

    async def scenario() -> list[Rating | None]:
        async with answering(respond) as url, asking(url) as client:
            return await rate_many(client, 3)

    assert usabilities(asyncio.run(scenario())) == [1.0, None, None]


def test_annotations_without_measure_are_dropped_and_the_usability_stays() -> None:
    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        return as_json(
            [{"id": d["id"], "usability": 0.4, "annotations": {"a": "x" * 5000}} for d in documents_in(body)]
        )

    async def scenario() -> Rating | None:
        async with answering(respond) as url, asking(url) as client:
            return await client.rate(URL, "", ARTICLE_CS)

    assert asyncio.run(scenario()) == Rating("1", 0.4)


async def never_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def answer_without_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
        await writer.drain()


async def head_without_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-More: " + b"a" * 8000 + b"\r\n")
        await writer.drain()


async def trailers_without_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
    while True:
        writer.write(b"X-More: " + b"a" * 80 + b"\r\n")
        await writer.drain()


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")


@pytest.mark.parametrize("talk", [answer_without_end, head_without_end, trailers_without_end, hang_up])
def test_a_segmenter_that_pours_or_hangs_up_is_left(talk: Any, run: Callable[[Any], Any]) -> None:
    """Long before the time limit: neither memory nor time is given to it."""

    async def scenario() -> Rating | None:
        async with talking(talk) as url, asking(url, timeout_seconds=60.0) as client, asyncio.timeout(30):
            return await client.rate(URL, "", ARTICLE_CS)

    assert run(scenario()) is None


def test_whoever_asks_a_silent_segmenter_waits_no_longer_than_the_limit() -> None:
    async def scenario() -> None:
        async with (
            talking(never_answer) as url,
            asking(url, timeout_seconds=0.1) as client,
            asyncio.timeout(30),
        ):
            assert await rate_many(client, 5) == [None] * 5
            assert client.counts["timed_out"] + client.counts["unrated"] == 5

    asyncio.run(scenario())


def test_nobody_waits_for_a_segmenter_that_is_down() -> None:
    """After the first failure no request is made until its moment comes, and then one batch goes ahead."""
    clock = Clock()
    asked = []
    is_up = False

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        asked.append(len(documents_in(body)))
        return rate_all()(method, path, body) if is_up else SegmenterReply(503, b"{}")

    async def scenario() -> None:
        nonlocal is_up
        async with answering(respond) as url, asking(url, time=clock) as client:
            assert await client.rate(URL, "", ARTICLE_CS) is None
            assert await rate_many(client, 10) == [None] * 10
            assert asked == [1]
            assert client.counts["down"] == 10

            clock.now += 1.0  # still down: the wait doubles
            assert await client.rate(URL, "", ARTICLE_CS) is None
            clock.now += 1.0
            assert await client.rate(URL, "", ARTICLE_CS) is None
            assert asked == [1, 1]

            is_up = True
            clock.now += 1.0
            assert usabilities(await rate_many(client, 3)) == [0.5] * 3
            assert asked == [1, 1, 3]
            assert usabilities(await rate_many(client, 5)) == [0.5] * 5

    asyncio.run(scenario())


def test_a_segmenter_that_is_not_there_costs_nothing() -> None:
    async def scenario() -> list[Rating | None]:
        async with talking(never_answer) as url:
            pass  # nobody listens there any more
        async with asking(url) as client, asyncio.timeout(30):
            return await rate_many(client, 50)

    assert asyncio.run(scenario()) == [None] * 50


def test_what_finds_no_room_in_the_queue_stays_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded, whatever the segmenter does."""
    monkeypatch.setattr(client_module, "WAITING_CHARS_MAX", 1000)

    async def scenario() -> None:
        async with answering(rate_all()) as url, asking(url) as client:
            ratings = await asyncio.gather(*(client.rate(URL, "", ["x" * 300]) for _ in range(5)))
            assert usabilities(ratings) == [0.5, 0.5, 0.5, None, None]
            assert client.counts == {"rated": 3, "full": 2}
            assert usabilities([await client.rate(URL, "", ["x" * 900])]) == [0.5]  # there is room again

    asyncio.run(scenario())


def test_closing_ends_every_wait() -> None:
    async def scenario() -> None:
        came = asyncio.Event()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            came.set()
            await asyncio.Event().wait()

        async with talking(talk) as url, asking(url, documents_max=1) as client, asyncio.timeout(20):
            waiting = [asyncio.ensure_future(client.rate(URL, "", ARTICLE_CS)) for _ in range(9)]
            await came.wait()
            await client.close()
            assert await asyncio.gather(*waiting) == [None] * 9
            assert await client.rate(URL, "", ARTICLE_CS) is None

    asyncio.run(scenario())


def test_one_who_gives_up_waiting_leaves_no_trace() -> None:
    """A visit may be cancelled at any moment."""
    bodies = []

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        bodies.append([document["url"] for document in documents_in(body)])
        return rate_all()(method, path, body)

    async def scenario() -> None:
        async with answering(respond) as url, asking(url) as client:
            left = asyncio.ensure_future(client.rate("https://left.example/", "", ARTICLE_CS))
            kept = asyncio.ensure_future(client.rate(URL, "", ARTICLE_CS))
            await asyncio.sleep(0)
            left.cancel()
            assert usabilities([await kept]) == [0.5]

    asyncio.run(scenario())
    assert json.dumps(bodies) == json.dumps([[URL]])


def test_what_was_not_judged_is_told_with_its_reason() -> None:
    """Silence of a segmenter must not look like a crawl without text."""
    clock = Clock()
    is_up = False

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        return rate_all()(method, path, body) if is_up else SegmenterReply(503, b"{}")

    async def scenario() -> None:
        nonlocal is_up
        async with answering(respond) as url, asking(url, time=clock) as client:
            assert client.take() is None
            await rate_many(client, 3)
            await rate_many(client, 10)
            assert client.take() == Judged(missed=13, fault="the segmenter answers with status 503")
            assert client.take() is None
            clock.now += 100.0
            is_up = True
            await rate_many(client, 2)
            assert client.take() == Judged(rated=2)

    asyncio.run(scenario())


def test_what_an_answer_leaves_out_was_not_judged() -> None:
    """A segmenter that answers and says nothing would else look like one that rates everything."""

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        return SegmenterReply(200, b'{"documents":[]}')

    async def scenario() -> None:
        async with answering(respond) as url, asking(url) as client:
            await rate_many(client, 3)
            assert client.take() == Judged(missed=3)

    asyncio.run(scenario())


def test_a_segmenter_that_cannot_tell_has_answered() -> None:
    """Nothing is to be caught up with: the next time it would say the same."""

    async def scenario() -> None:
        async with answering(rate_all(None)) as url, asking(url) as client:
            await rate_many(client, 2)
            assert client.take() == Judged(rated=2)

    asyncio.run(scenario())


@pytest.mark.parametrize("talk", [never_answer, hang_up])
def test_nobody_is_counted_twice_whom_a_silent_segmenter_left_waiting(talk: Any) -> None:
    async def scenario() -> None:
        async with talking(talk) as url, asking(url, timeout_seconds=0.1) as client, asyncio.timeout(30):
            await rate_many(client, 5)
            await asyncio.sleep(0)
            judged = client.take()
            assert judged is not None
            assert judged.missed == 5

    asyncio.run(scenario())
