"""How many megabytes of real pages does a complete crawl process per second and harvester core?

DATA is a folder that is searched for pages: `*.html`, `*.html.gz`, and both in `*.tar.gz`. They are served
on loopback (`stored_web.py`), compressed beforehand as most servers send them, and the real `tiptoe crawl`
crawls them with everything on. The bar is 25 MB of unpacked HTML per CPU second of the harvesters.

What is real: the pages, their sizes and markup, and their links, all of which are read, judged and queued;
only https is replaced by http, which is all that the proxy speaks. What is not real:

- Hosts: any page may come from any host, so sites have no boilerplate of their own, and every path
  has a page; on real sites, half of the requests lead to redirects, errors and repetitions.
- Copies: each page is served in several variants with a made-up word at the beginning of each
  longer run of text, so that nearly all paragraphs are new to the index, more than on the real web.
- The number of hosts: invented ones are the seeds, and each page has some links to them, so that
  politeness is not the limit. There is no robots.txt and no latency.

Other load on the machine affects pages per second, and CPU time less.

examples:
    python bench/real_pages.py DATA
    python bench/real_pages.py DATA --extraction main --seconds 60
    python bench/real_pages.py DATA --set text.duplicity=false --keep crawl && tiptoe audit crawl
"""

import argparse
import functools
import gzip
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import deflate
from crawl_window import WARM_UP_SECONDS, Window, watch
from rig import Pace, tiptoe_command
from stored_web import Stock, StoredWeb, serve_stored

from tiptoe.errors import CrawlerError, SettingsError

BAR: Final = 25.0  # MB of HTML per CPU second of the harvesters
LINKS: Final = 3
PAGE_BYTES_MAX: Final = 1 << 24
PAGES_PER_SECOND: Final = 200
"""Number of different pages prepared per second and harvester: more than one core can process."""

LEVEL: Final = 6  # of compression: what most servers use
RUN_BYTES_MIN: Final = 40
_HEAD: Final = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
)
_RUN: Final = re.compile(
    rb"<(?:(script|style|textarea|title)\b.*?</\1|!--.*?-->)|>\s*(?=[^<>\s][^<>]{%d})" % (RUN_BYTES_MIN - 1),
    re.IGNORECASE | re.DOTALL,
)


def main() -> int:
    """Crawl and print; return 1 when the bar is missed."""
    options = _parser().parse_args()
    try:
        window, web = crawl(options)
    except CrawlerError as error:
        print(f"real_pages: {error}", file=sys.stderr)
        return 2
    return 0 if print_table(window, web) else 1


def crawl(options: argparse.Namespace) -> tuple[Window, StoredWeb]:
    """Serve the pages and crawl them."""
    seconds = WARM_UP_SECONDS + options.seconds
    wanted = seconds * PAGES_PER_SECOND * options.harvesters
    make_stock = functools.partial(stock_of, options.data, wanted=wanted, hosts=options.hosts)
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch, serve_stored(make_stock) as web:
        seeds = Path(scratch) / "seeds.txt"
        seeds.write_text("".join(f"http://{host_name(index)}/\n" for index in range(options.hosts)))
        out = options.keep or Path(scratch) / "crawl"
        more = [f"text.extraction={options.extraction}", *options.set]
        command = tiptoe_command(
            web, seeds, out, seconds=seconds, pace=Pace(), harvesters=options.harvesters, more=more
        )
        return watch(subprocess.Popen(command), web.pid, out), web


def print_table(window: Window, web: StoredWeb) -> bool:
    """Print the cost of a page and a megabyte; return whether the bar is met."""
    # All variants compress equally well, so the unpacked size follows from the received bytes.
    megabytes = window.body_bytes * web.html_bytes / web.body_bytes / 1e6
    harvested = window.spent["harvesters"]
    rate = megabytes / harvested
    share = window.ms("keeper") / window.ours_ms
    copies = window.discards.get("duplicate", 0) / window.pages
    print(
        f"{window.pages} pages in {window.seconds:.1f} s: {window.pages_per_second:.0f} pages/s of "
        f"{megabytes / window.pages * 1000:.0f} kB, {megabytes / window.seconds:.1f} MB of HTML a second"
    )
    print(
        f"  per harvester core: {rate:.1f} MB/s (bar {BAR:g}: {'met' if rate >= BAR else 'MISSED'}), "
        f"{window.pages / harvested:.0f} pages/s; harvesters busy {harvested / window.seconds:.2f} cores"
    )
    print(f"  tiptoe: {window.ours_ms:.2f} ms CPU a page; ", end="")
    print(f"harvesters {window.ms('harvesters'):.2f}, keeper {window.ms('keeper'):.2f} ms ({share:.1%})")
    print(
        f"  the web: {window.ms('web'):.2f} ms; requests a page {window.requests / window.pages:.2f}; ",
        end="",
    )
    print(f"left out as copies {copies:.1%}; keeper's memory {window.memory_bytes / 1e6:.0f} MB")
    return rate >= BAR


def stock_of(data: Path, *, wanted: int, hosts: int) -> Stock:
    """Return `wanted` answers or a few more, with each page equally often, in mixed order."""
    rng = random.Random(1)
    pages = [pieces_of(page) for page in pages_in(data)]
    if not pages:
        raise SettingsError(f"{data}: no *.html, *.html.gz or *.tar.gz there")
    answers: list[bytes] = []
    html_bytes = body_bytes = 0
    while len(answers) < wanted:
        variant = len(answers) // len(pages)
        for pieces in rng.sample(pages, len(pages)):
            html = variant_of(pieces, variant) + _links(rng, len(answers), hosts)
            body = bytes(deflate.gzip_compress(html, LEVEL))
            answers.append(_HEAD % len(body) + body)
            html_bytes += len(html)
            body_bytes += len(body)
    return Stock(answers, html_bytes, body_bytes)


def pages_in(data: Path) -> Iterator[bytes]:
    """Yield all pages below a folder."""
    for path in sorted(data.rglob("*")):
        if path.name.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                for member in archive:
                    file = archive.extractfile(member) if member.isfile() else None
                    if file:
                        yield from _page(member.name, file.read(PAGE_BYTES_MAX))
        elif path.is_file() and path.name.endswith((".html", ".html.gz")):
            yield from _page(path.name, path.read_bytes())


def _page(name: str, held: bytes) -> Iterator[bytes]:
    if name.endswith(".html.gz"):
        yield gzip.decompress(held)
    elif name.endswith(".html"):
        yield held


def pieces_of(page: bytes) -> Sequence[bytes]:
    """Cut a page where longer runs of text begin; everything else stays whole."""
    page = page.replace(b"https://", b"http://")
    places = [0, *(run.end() for run in _RUN.finditer(page) if run[0].startswith(b">")), len(page)]
    return [page[begin:end] for begin, end in pairwise(places)]


def variant_of(pieces: Sequence[bytes], number: int) -> bytes:
    """Return a page with a word of the variant's own at each cut."""
    letters = bytes(ord("a") + number // 26**place % 26 for place in (1, 0))
    return (b"v%s " % letters).join(pieces)


def host_name(index: int) -> str:
    return f"r{index:06d}.example"


def _links(rng: random.Random, number: int, hosts: int) -> bytes:
    names = (host_name(rng.randrange(hosts)) for _ in range(LINKS))
    return "".join(f'\n<a href="http://{name}/more/{number}">more {number}</a>' for name in names).encode()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument(
        "--seconds", type=int, default=30, help=f"measured after {WARM_UP_SECONDS} others (30)"
    )
    parser.add_argument("--extraction", choices=("all", "main", "marked"), default="all")
    parser.add_argument("--hosts", type=int, default=1_000, help="made-up ones, all of them seeds (1000)")
    parser.add_argument("--harvesters", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], help="further settings")
    parser.add_argument("--scratch", type=Path, help="where the crawl writes (the system's directory)")
    parser.add_argument("--keep", type=Path, help="crawl into this directory and keep it")
    return parser


if __name__ == "__main__":
    sys.exit(main())
