"""How much more usable text does a request yield when the crawl is steered by yield?

The real frontier in virtual time, over a web whose hosts and sections differ in what they yield, with the
same number of requests for each strategy:

    breadth-first   one queue, first in, first out: what a plain crawler does
    threshold       the same, but after ten documents a host is left when its yield falls below
                    0.01 * (log10(documents) - 1): the published rule of SpiderLing (Suchomel and
                    Pomikalek 2012), where the yield is clean text per byte downloaded
    unsteered       tiptoe's frontier, without knowing usability
    tiptoe          the same frontier, knowing the usability of each page

Prints words of usable text per request, mean and spread over several webs; also for a web on which all
hosts are equally good, where steering cannot gain anything and must not lose anything.

    python bench/yield_gain.py
    python bench/yield_gain.py --webs 5 --requests 20000 --out gain.svg
"""

import argparse
import math
import statistics
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path

from yield_plot import Curve, plot
from yield_web import Page, YieldWeb

from tiptoe.experiment.frontier_player import FrontierPlayer, links_to
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.url.address import host_of

CHARS_PER_WORD = 6.0
VISITS_AT_ONCE = 40
CURVE_POINTS = 60
GAIN_BAR = 1.5

Strategy = Callable[[YieldWeb, int], list[float]]
"""Crawls a web with a number of requests; returns the usable words after each of them."""


def breadth_first(web: YieldWeb, requests: int) -> list[float]:
    """Make requests in the order of discovery."""
    return _one_queue(web, requests, lambda host: False)


def threshold(web: YieldWeb, requests: int) -> list[float]:
    """Make requests in the order of discovery; leave hosts by the rule of SpiderLing."""
    received: dict[str, float] = {}
    clean: dict[str, float] = {}
    documents: dict[str, int] = {}

    def note(host: str, page: Page) -> None:
        documents[host] = documents.get(host, 0) + 1
        received[host] = received.get(host, 0.0) + page.body_bytes
        clean[host] = clean.get(host, 0.0) + page.usable_chars

    def is_left(host: str) -> bool:
        count = documents.get(host, 0)
        return count >= 10 and clean[host] / received[host] < 0.01 * (math.log10(count) - 1)

    return _one_queue(web, requests, is_left, note)


def _one_queue(
    web: YieldWeb, requests: int, is_left: Callable[[str], bool],
    note: Callable[[str, Page], None] = lambda host, page: None,
) -> list[float]:  # fmt: skip
    queue = deque(web.seeds)
    seen = set(queue)
    words = 0.0
    curve: list[float] = []
    while queue and len(curve) < requests:
        url = queue.popleft()
        host = host_of(url)
        if is_left(host):
            continue
        page = web.page(url)
        note(host, page)
        words += page.usable_chars / CHARS_PER_WORD
        curve.append(words)
        fresh = [link for link in page.links if link not in seen]
        seen.update(fresh)
        queue.extend(fresh)
    return curve


def unsteered(web: YieldWeb, requests: int) -> list[float]:
    """Let the frontier choose without knowing usability."""
    return _frontier(web, requests, is_told=False)


def tiptoe(web: YieldWeb, requests: int) -> list[float]:
    """Let the frontier choose."""
    return _frontier(web, requests, is_told=True)


def _frontier(web: YieldWeb, requests: int, *, is_told: bool) -> list[float]:
    """Crawl with few visits at once: more hosts are ready than can be visited, as in large crawls."""
    curve: list[float] = []
    addresses: dict[str, str] = {}

    def answer(request: Request, now: float) -> Result:
        page = web.page(request.url)
        curve.append((curve[-1] if curve else 0.0) + page.usable_chars / CHARS_PER_WORD)
        return Result(
            request, status=200, seconds=0.1, body_bytes=page.body_bytes, text_chars=page.text_chars,
            usability=page.usability if is_told else None,
            has_little_text=is_told and page.usability is None, links=links_to(page.links),
        )  # fmt: skip

    def address_of(host: str) -> str:
        return addresses.setdefault(host, f"10.0.{len(addresses) >> 8}.{len(addresses) & 255}")

    politeness = Politeness(req_delay=1.0, general_pause=30.0, max_reqs=20, max_hosts=1)
    frontier = Frontier(MemoryStore(), FrontierPolicy(politeness=politeness, reads_tdmrep=False))
    player = FrontierPlayer(frontier, answer, address_of, now=1e9, visits_max=VISITS_AT_ONCE)
    player.add(*web.seeds)
    while len(curve) < requests and not frontier.is_finished():
        # A visit of twenty requests takes about as long as twenty pauses.
        player.now += 20.0 if player.round() else 1.0
    return curve[:requests]


STRATEGIES: dict[str, Strategy] = {
    "breadth-first": breadth_first,
    "threshold": threshold,
    "unsteered": unsteered,
    "tiptoe": tiptoe,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--webs", type=int, default=5, help="how many webs, each from its own seed")
    parser.add_argument("--hosts", type=int, default=400, help="hosts of each web")
    parser.add_argument("--requests", type=int, default=20_000, help="requests of each crawl")
    parser.add_argument("--out", type=Path, help="write the words gathered over requests as SVG")
    options = parser.parse_args()
    if min(options.webs, options.hosts, options.requests) < 1:
        parser.error("--webs, --hosts and --requests are at least 1")
    print(f"{options.webs} webs of {options.hosts} hosts, {options.requests:,} requests for each crawl")
    gains, curves = compare(options, is_even=False)
    compare(options, is_even=True)
    if options.out is not None:
        options.out.write_text(plot(curves, title="Usable words against requests"), encoding="utf-8")
    gain = statistics.mean(gains["tiptoe"])
    print(f"tiptoe against breadth-first: {gain:.2f}x (bar {GAIN_BAR})")
    return 0 if gain >= GAIN_BAR else 1


def compare(options: argparse.Namespace, *, is_even: bool) -> tuple[dict[str, list[float]], list[Curve]]:
    """Print the table of one kind of web; return gains over breadth-first, and curves of the first web."""
    kind = "all hosts alike" if is_even else "rich, mixed, modest and poor hosts"
    print(f"\n{kind}\n{'':15}{'words/request':>14}{'least':>8}{'most':>8}{'gain':>7}{'least':>7}{'hosts':>7}")
    rates: dict[str, list[float]] = {}
    curves = []
    for name, crawl in STRATEGIES.items():
        rates[name], hosts = [], []
        for seed in range(options.webs):
            web = YieldWeb(options.hosts, seed=seed, is_even=is_even)
            words = crawl(web, options.requests)
            rates[name].append(words[-1] / len(words))
            hosts.append(len(web.asked_hosts))
            if seed == 0:
                step = max(1, len(words) // CURVE_POINTS)
                curves.append(Curve(name, [(at + 1, words[at]) for at in range(0, len(words), step)]))
            if sys.stderr.isatty():
                print(f"\r{name}, web {seed + 1} of {options.webs} \r", end="", file=sys.stderr, flush=True)
        gains = [own / plain for own, plain in zip(rates[name], rates["breadth-first"], strict=True)]
        print(
            f"{name:15}{statistics.mean(rates[name]):>14.1f}{min(rates[name]):>8.1f}{max(rates[name]):>8.1f}"
            f"{statistics.mean(gains):>7.2f}{min(gains):>7.2f}{statistics.mean(hosts):>7.0f}",
            flush=True,
        )
    plain = rates["breadth-first"]
    return {
        name: [own / base for own, base in zip(rate, plain, strict=True)] for name, rate in rates.items()
    }, curves


if __name__ == "__main__":
    sys.exit(main())
