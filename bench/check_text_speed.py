"""How many megabytes of real pages does one core read per second?

    python bench/check_text_speed.py DATA [--rounds 3]

DATA is described in `extraction.py`. Pages come gzipped, as most servers send them, and are counted unpacked.
First the steps from an answer to its text, for each kind of `text.extraction`; then everything that a
harvester does with an answer except fetching it: links, language, rating, fingerprint, archive, corpus.
CPU time of this process, the best of several rounds, since the machine may be shared.
"""

import argparse
import asyncio
import gzip
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from extraction import read_pages

from tiptoe.compose_harvester import build_tools
from tiptoe.decide.parsing import parse_point
from tiptoe.decide.storing import store_point
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.harvest.document import read_document
from tiptoe.harvest.draft import WriteBatch
from tiptoe.harvest.extraction import Extraction
from tiptoe.harvest.journey import digest, rate, read, write
from tiptoe.harvest.request_context import RequestContext
from tiptoe.protocol.work import Request
from tiptoe.settings.layers import Settings

BAR = 25.0
AGENT = "tiptoe"
DECODED_MAX = 1 << 25
FIELDS = (("Content-Type", "text/html; charset=utf-8"), ("Content-Encoding", "gzip"))

Pass = Callable[[Sequence[Answer]], float]


@dataclass(frozen=True)
class Speed:
    """What one way of reading costs."""

    name: str
    seconds: float  # of CPU, for all pages

    def line(self, pages: int, html_bytes: int) -> str:
        """Return the costs per page and per second as a line."""
        each, rate = 1000 * self.seconds / pages, html_bytes / 1e6 / self.seconds
        return f"{self.name:44} {each:7.2f} ms/page {rate:7.1f} MB/s"


def answer_of(url: str, utf8: bytes) -> Answer:
    """Return the answer of a server that has such a page."""
    head = "".join(f"{name}: {value}\r\n" for name, value in FIELDS)
    return Answer(
        url=url,
        status=200,
        request_block=b"GET / HTTP/1.1\r\n\r\n",
        header_block=f"HTTP/1.1 200 OK\r\n{head}\r\n".encode(),
        headers=Headers(list(FIELDS)),
        body=gzip.compress(utf8, 6),
        address="192.0.2.1",
        started_at=1_790_000_000.0,
        seconds=0.1,
    )


def reading(extraction: Extraction | None) -> Pass:
    """Return a pass that reads only text and links."""
    parse, store = parse_point(), store_point()

    def run(answers: Sequence[Answer]) -> float:
        began = time.process_time()
        for answer in answers:
            read_document(
                answer, None, agent=AGENT, decoded_max=DECODED_MAX, parse=parse, store=store,
                extraction=extraction,
            )  # fmt: skip
        return time.process_time() - began

    return run


def everything(**text: str) -> Pass:
    """Return a pass that takes every answer from its arrival to archive and corpus."""

    async def walk(answers: Sequence[Answer], folder: Path) -> float:
        for name in ("state", "log"):
            (folder / name).mkdir()
        given = {f"text.{name}": value for name, value in text.items()}
        settings = Settings.load(None, {"crawl.contact": "https://example.org/bot", **given})
        tools = build_tools(settings, folder, "bench-0001")
        batch = WriteBatch()
        began = time.process_time()
        for answer in answers:
            context = RequestContext(visit=1, host="a.example", address=answer.address, delay=1.0)
            draft = read(Request(answer.url), answer, context, tools)
            await rate(draft, tools)
            digest(draft, tools)
            batch.add(1, draft)
            if batch.is_full:
                write(batch, tools)
                batch.clear()
        write(batch, tools)
        tools.outputs.flush()
        seconds = time.process_time() - began
        tools.outputs.close()
        tools.busy.close()
        tools.log.close()
        await tools.client.close()
        await tools.resolver.close()
        return seconds

    def run(answers: Sequence[Answer]) -> float:
        with tempfile.TemporaryDirectory() as folder:
            return asyncio.run(walk(answers, Path(folder)))

    return run


def measure(answers: Sequence[Answer], rounds: int) -> list[Speed]:
    """Let all passes take turns; the best round of each counts."""
    ways = {
        "text, all": reading(None),
        "text, main": reading(Extraction.load(keeps_boilerplate=False)),
        "text, marked": reading(Extraction.load(keeps_boilerplate=True)),
        "everything but fetching, all": everything(),
        "everything but fetching, main": everything(extraction="main"),
    }
    seconds = [{name: run(answers) for name, run in ways.items()} for _ in range(rounds)]
    return [Speed(name, min(each[name] for each in seconds)) for name in ways]


def main() -> int:
    """Print the table; return 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    pages = read_pages(options.data)
    html_bytes = sum(len(page.utf8) for page in pages)
    answers = [answer_of(page.url, page.utf8) for page in pages]
    print(f"{len(pages)} pages, {html_bytes / 1e6:.1f} MB of HTML")
    speeds = measure(answers, options.rounds)
    for speed in speeds:
        print(speed.line(len(pages), html_bytes))
    slowest = min(html_bytes / 1e6 / speed.seconds for speed in speeds if speed.name.endswith(" all"))
    print(f"{'yes' if slowest >= BAR else 'NO':4} at least {BAR:g} MB of HTML a second, with all text taken")
    return 0 if slowest >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
