"""A segmenter in a process of its own: killed, stopped and started again while a crawl asks it."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from docs_runs import Runner, lines_of
from journey_crawl import SMALL, Pace, simulated_web, tiptoe, wait_until

from tiptoe.cli.exits import Exit
from tiptoe.segment.scorer import Scorer
from tiptoe.segment.segmenter_client import SegmenterClient
from tiptoe.write.ratings import read_late

pytestmark = pytest.mark.journey

PATIENCE_SECONDS = 300.0
"""Longest wait for anything; the machine may be busy with other things."""

TIPTOE = (sys.executable, "-m", "tiptoe")
ARTICLE = [
    "For almost a century the lamp on the northern cliff was lit by hand. Every evening, an hour before "
    "sunset, the keeper climbed two hundred steps with a can of oil.",
    "When electricity came to the island, nobody asked him what he thought of it. He went up anyway, sat by "
    "the window and wrote down the names of the ships that passed.",
    "Historians have begun to read his notebooks only recently. They found more than ships: the weather of "
    "forty years, the price of herring, and one long quarrel with a goat.",
]
WORTH = Scorer().rate(ARTICLE, "en").usability


@contextlib.contextmanager
def segmenter(port: int = 0, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the service; the process and its address."""
    process = subprocess.Popen(
        [*TIPTOE, "segmenter", "serve", "--listen", f"127.0.0.1:{port}", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        assert ready.startswith("segmenter ready at http://127.0.0.1:"), ready
        yield process, ready.split()[-1]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def client(url: str, *, timeout_seconds: float = PATIENCE_SECONDS) -> SegmenterClient:
    return SegmenterClient(url, timeout_seconds=timeout_seconds, documents_max=10, user_agent="tiptoe-test")


async def usabilities(asker: SegmenterClient, count: int) -> list[float | None]:
    ratings = await asyncio.gather(*(asker.rate("https://a.example/", "en", ARTICLE) for _ in range(count)))
    return [rating.usability if rating else None for rating in ratings]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_service_stops_cleanly(number: signal.Signals) -> None:
    """One line when it is ready, nothing more, and no waiting for clients that keep their connection."""

    async def scenario(url: str) -> None:
        asker = client(url)
        assert await usabilities(asker, 3) == [WORTH] * 3
        process.send_signal(number)
        assert await asyncio.to_thread(process.wait, PATIENCE_SECONDS) == 0
        await asker.close()

    with segmenter() as (process, url):
        asyncio.run(scenario(url))
        assert process.communicate() == ("", "")


def test_a_crawl_goes_on_without_its_segmenter_and_with_it_again() -> None:
    """Killed in the middle of a hundred batches: everybody has an answer, and none of them is wrong."""

    async def scenario(url: str, process: subprocess.Popen[str]) -> None:
        asker = client(url)
        assert await usabilities(asker, 20) == [WORTH] * 20
        asked = asyncio.ensure_future(usabilities(asker, 1000))
        while asker.counts["rated"] < 100:
            await asyncio.sleep(0.001)
        process.kill()
        async with asyncio.timeout(PATIENCE_SECONDS):
            came = await asked
        assert set(came) == {WORTH, None}
        assert came.count(WORTH) >= 80
        assert await usabilities(asker, 5) == [None] * 5
        with segmenter(int(url.rpartition(":")[2])):
            async with asyncio.timeout(PATIENCE_SECONDS):
                while await usabilities(asker, 1) != [WORTH]:
                    await asyncio.sleep(0.05)
            assert await usabilities(asker, 50) == [WORTH] * 50
        await asker.close()

    with segmenter() as (process, url):
        asyncio.run(scenario(url, process))


def test_a_segmenter_that_stands_still_holds_nobody_up() -> None:
    """Stopped, not dead: connections stay open and nothing comes."""

    async def scenario(url: str, process: subprocess.Popen[str]) -> None:
        asker = client(url, timeout_seconds=0.3)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await usabilities(asker, 1) != [WORTH]:  # the first answer may be late on a busy machine
                await asyncio.sleep(0.05)
            os.kill(process.pid, signal.SIGSTOP)
            assert await usabilities(asker, 100) == [None] * 100
            assert asker.counts["timed_out"] + asker.counts["unrated"] >= 100
            os.kill(process.pid, signal.SIGCONT)
            while await usabilities(asker, 1) != [WORTH]:
                await asyncio.sleep(0.05)
        await asker.close()

    with segmenter() as (process, url):
        asyncio.run(scenario(url, process))


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_segmenter_that_does_not_answer_is_told_from_beginning_to_end(tmp_path: Path) -> None:
    """On the console, to `tiptoe status`, in the summary and in the statistics; and so is its return."""
    port = closed_port()
    silent = f"the segmenter at http://127.0.0.1:{port} does not answer"
    # More pages than can be asked for while anything here is waited for: it is stopped, and does not end.
    with simulated_web(tmp_path, replace(SMALL, hosts=4, pages_per_host=600)) as stage:
        crawl = stage.crawl(pace=Pace(req_delay=0.2), segmenter__url=f"http://127.0.0.1:{port}")
        crawl.start()
        wait_until(lambda: silent in crawl.console, "word of the segmenter")
        figures = crawl.status_when(lambda figures: figures["unjudged"] > 0, "texts that nobody judged")
        assert "onnect" in figures["segmenter"]
        told = crawl.tell("status")
        assert "the segmenter fails" in told
        assert "texts not judged" in told
        with segmenter(port):
            wait_until(lambda: "answers again" in crawl.console, "its return")
            assert crawl.status()["segmenter"] == ""
        crawl.tell("stop")
        assert crawl.wait() == Exit.INTERRUPTED
    missed = sum(document["usability"] is None for document in crawl.documents())
    assert missed > 0
    assert f"Texts that the segmenter did not judge: {missed}." in crawl.console
    assert json.loads(tiptoe("stats", str(crawl.out), "--json").stdout)["texts_not_judged"] == missed


def test_what_was_missed_is_caught_up_with(tmp_path: Path) -> None:
    """A corpus whose segmenter was down is whole again after one command."""
    (tmp_path / "corpus").mkdir()
    (tmp_path / "crawl.json").write_text("{}")
    corpus = tmp_path / "corpus" / "h1-00001.jsonl"
    documents = [
        {"id": f"d{n}", "url": "", "lang": "en", "paragraphs": ARTICLE, "usability": None} for n in range(200)
    ]
    corpus.write_text("".join(json.dumps(document) + "\n" for document in documents))
    command = [*TIPTOE, "segmenter", "catch-up", str(tmp_path), "--batch", "7", "--segmenter"]
    with segmenter(0, "--lang", "en") as (_, url):
        done = subprocess.run([*command, url], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        assert done.stdout == "200 documents rated; rated before: 0, still unknown: 0\n", done.stderr
        assert done.returncode == 0
    assert [rating.id for rating in read_late(corpus).values()] == [f"d{n}" for n in range(200)]
    assert {rating.usability for rating in read_late(corpus).values()} == {WORTH}

    failed = subprocess.run(
        [*command, url, "--again"], capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert failed.returncode == 2
    assert failed.stderr.startswith("tiptoe: the segmenter does not answer:")
    assert len(read_late(corpus)) == 200


def test_the_suite_passes_on_the_service_of_the_command_line() -> None:
    """By the line of the documents; there it stands with another port."""
    (line,) = lines_of(Runner.SEGMENTER)
    with segmenter() as (_, url):
        words = [url if "://" in word else word for word in line]
        checked = subprocess.run(
            [*TIPTOE, *words, "--timeout", str(PATIENCE_SECONDS)],
            capture_output=True, text=True, timeout=PATIENCE_SECONDS,
        )  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.endswith("19 of 19 checks kept\n")
