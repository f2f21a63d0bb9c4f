"""How many instructions does a harvester need per page, and the frontier per URL?

On a shared machine, CPU time varies by a fifth from run to run; instructions hardly vary at all, so that a
change of one in a hundred can be seen. They are counted under valgrind (Debian's package), for a small and a
larger amount of the same work, so that the cost of starting is left out:

    pages     reading, archiving and writing pages of the simulated web, without fetching and judging them
    filtered  the same with the filters that `tiptoe filters new` writes, descriptions included
    judged    like pages, with everything that a crawl does by default: main text, languages, copies
    judged-filtered
              the same with the filters, which cost a crawl no more than the difference
    frontier  the crawl of `frontier_growth.py`, including its player

Run it in two checkouts to compare them. Neither the kernel nor waiting for memory is counted.

    python bench/instructions.py
    python bench/instructions.py pages filtered
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Final

from frontier_growth import grow

from tiptoe.compose_harvester import build_tools
from tiptoe.errors import CrawlerError
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.filters.default_set import default_files
from tiptoe.filters.definition import to_lines
from tiptoe.filters.filter_directory import read_robot
from tiptoe.harvest.draft import WriteBatch
from tiptoe.harvest.journey import digest, read, report, write
from tiptoe.harvest.request_context import RequestContext
from tiptoe.observe.process import spare_the_collector
from tiptoe.protocol.work import Request
from tiptoe.settings.layers import Settings
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.url.address import host_of

PLAIN: Final = {
    "text.extraction": "all", "text.detect_language": "false", "text.duplicity": "false",
    "segmenter.off": "true",
}  # fmt: skip
JUDGED: Final = {"segmenter.off": "true"}  # it is a process of its own
SIZES: Final = {
    "pages": (100, 300), "filtered": (100, 300), "judged": (100, 300), "judged-filtered": (100, 300),
    "frontier": (10_000, 30_000),
}  # fmt: skip
"""A small and a larger amount of work: numbers of pages, or of URLs."""

_COLLECTED = re.compile(r"Collected : (\d+)")


def main() -> int:
    if sys.argv[2:] and sys.argv[2].isdigit():  # this process is the one being counted
        WORK[sys.argv[1]](int(sys.argv[2]))
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", nargs="*", help=f"any of {', '.join(SIZES)}; by default all")
    chosen = parser.parse_args().work
    if unknown := set(chosen) - set(SIZES):
        parser.error(f"no such work: {', '.join(sorted(unknown))}; there is {', '.join(SIZES)}")
    try:
        for name in chosen or SIZES:
            little, more = SIZES[name]
            spent = counted(name, more) - counted(name, little)
            print(f"{name:15} {spent / (more - little):12,.0f} instructions each", flush=True)
    except CrawlerError as error:
        print(f"instructions: {error}", file=sys.stderr)
        return 1
    return 0


def counted(name: str, size: int) -> int:
    """Return how many instructions a process needs for this work."""
    counter = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}"]
    work = [sys.executable, __file__, name, str(size)]
    try:
        ended = subprocess.run(
            [*counter, *work], env={**os.environ, "PYTHONHASHSEED": "0"}, stderr=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise CrawlerError("valgrind counts instructions and is not installed") from error
    found = _COLLECTED.search(ended.stderr)
    if ended.returncode or found is None:
        raise CrawlerError(f"the counted process ended with {ended.returncode}: {ended.stderr[-500:]}")
    return int(found[1])


def harvest_filtered(wanted: int, settings: Mapping[str, object] = PLAIN) -> None:
    """Read and write `wanted` pages with the supplied filters."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in default_files().items():
            Path(folder, name).write_text(text, encoding="utf-8")
        lines = to_lines(read_robot(Path(folder)).definition)
    harvest_pages(wanted, {**settings, "filters.definition": lines})


def harvest_pages(wanted: int, settings: Mapping[str, object] = PLAIN) -> None:
    """Read and write `wanted` pages."""
    web = SimulatedWeb(replace(WebShape.bench(), hosts=2 * wanted))
    answers = list(islice(filter(None, (home_answer(web, index) for index in count())), wanted))
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_harvest(answers, Path(folder), settings))


def home_answer(web: SimulatedWeb, index: int) -> Answer | None:
    """Return the home page of a host as it would arrive; None when there is none."""
    url = web.home_of(index)
    said = web.respond(host_of(url), "/")
    if said.status != 200:
        return None
    head = "HTTP/1.1 200 OK\r\n" + "".join(f"{name}: {value}\r\n" for name, value in said.headers) + "\r\n"
    asked = f"GET / HTTP/1.1\r\nHost: {host_of(url)}\r\n\r\n".encode()
    return Answer(
        url=url, status=200, request_block=asked, header_block=head.encode(), headers=Headers(said.headers),
        body=said.body, address="192.0.2.1", started_at=1.8e9, seconds=0.1,
    )  # fmt: skip


async def _harvest(answers: list[Answer], folder: Path, settings: Mapping[str, object]) -> None:
    for name in ("state", "log"):
        (folder / name).mkdir()
    tools = build_tools(
        Settings.load(None, {"crawl.contact": "https://example.org/bot", **settings}), folder, "h-1"
    )
    # As a harvester does: otherwise occasional garbage collections make up half of a difference.
    spare_the_collector()
    batch = WriteBatch()
    for answer in answers:
        context = RequestContext(visit=1, host=host_of(answer.url), address=answer.address, delay=1.0)
        draft = read(Request(answer.url), answer, context, tools)
        digest(draft, tools)
        batch.add(1, draft)
        if batch.is_full or answer is answers[-1]:
            write(batch, tools)
            for _, written in batch:
                report(written)
            batch.clear()
    tools.outputs.close()
    tools.busy.close()
    tools.log.close()
    await tools.client.close()
    await tools.resolver.close()


WORK: Final[Mapping[str, Callable[[int], object]]] = {
    "pages": harvest_pages, "filtered": harvest_filtered,
    "judged": partial(harvest_pages, settings=JUDGED),
    "judged-filtered": partial(harvest_filtered, settings=JUDGED), "frontier": grow,
}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
