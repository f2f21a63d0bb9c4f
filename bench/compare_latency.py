"""How near does tiptoe come to the best that politeness allows?

Hosts take about 100 ms to answer, each is at an address of its own, and there is a pause of one second after
every answer. So the best possible is one page per host in pause + answer. Hosts differ in how long they take,
so their optima are added up individually. Rests of addresses play no role: a series is longer than the run.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from compare_crawlers import tiptoe
from compare_report import LatencyRun
from compare_window import Window, is_page, rude_requests, watch
from rig import Pace

from tiptoe.errors import CrawlerError
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

LATENCY_SECONDS: Final = 0.1
PACE: Final = Pace(req_delay=1.0, general_pause=1.0, max_reqs=100_000)


def measure_latency(window: Window, *, hosts: int, scratch: Path | None) -> LatencyRun:
    """Crawl slow hosts politely; return how much of the best possible was reached after the warm-up."""
    shape = replace(WebShape.bench(), hosts=hosts, latency_seconds=LATENCY_SECONDS)
    web = SimulatedWeb(shape)
    seen = watch(tiptoe(PACE), shape, window, seeds=hosts, scratch=scratch)
    seconds = seen.last.at - seen.first.at
    answers = answer_seconds(seen.in_window)
    late = sorted(lateness(seen.in_window, PACE.req_delay))
    if not late:
        raise CrawlerError("no host was asked twice in the window; give it more --seconds")
    mean = statistics.mean(answers)
    # A host without a request in the window counts as lost, not as absent.
    answers += [mean] * (hosts - len(answers))
    best = sum(seconds / (PACE.req_delay + answer) for answer in answers)
    return LatencyRun(
        hosts=hosts,
        delay_seconds=PACE.req_delay,
        latency_seconds=mean,
        seconds=seconds,
        pages=sum(map(is_page, seen.in_window)),
        best_pages=best,
        late_mean_seconds=sum(late) / len(late),
        late_p99_seconds=late[len(late) * 99 // 100],
        starved_share=(seen.last.crawler.starved_seconds - seen.first.crawler.starved_seconds) / seconds,
        rude=rude_requests(seen.arrivals, PACE, web),
    )


def answer_seconds(arrivals: Iterable[Arrival]) -> list[float]:
    """Return the mean duration of the answers of each host."""
    by_host: defaultdict[str, list[float]] = defaultdict(list)
    for arrival in arrivals:
        by_host[arrival.host].append(arrival.answered_at - arrival.arrived_at)
    return [statistics.mean(taken) for taken in by_host.values()]


def lateness(arrivals: Iterable[Arrival], delay: float) -> list[float]:
    """Return the delay of each request after the end of its pause, except the first of each host."""
    by_host: defaultdict[str, list[Arrival]] = defaultdict(list)
    for arrival in sorted(arrivals):
        by_host[arrival.host].append(arrival)
    return [
        later.arrived_at - earlier.answered_at - delay
        for asked in by_host.values()
        for earlier, later in pairwise(asked)
    ]
