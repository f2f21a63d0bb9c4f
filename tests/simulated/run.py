"""What is the outcome of one seed?

The whole run, from the plan to the verdict; problems are reported with everything
needed to reproduce them.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from simulated.faults import Faults
from simulated.plan import Plan
from simulated.promises import Promise, promises_of
from simulated.stage import BuildFrontier, Stage
from simulated.truth import copies_among, reachable
from tiptoe.frontier.frontier import Frontier
from tiptoe.testing.judge import Breach, Rules, judge
from tiptoe.testing.recorder import Arrival
from tiptoe.write.appendfile import OPEN_SUFFIX

__all__ = ["Outcome", "simulate"]

SECONDS_MAX: Final = 1500.0
TOLERANCE_SECONDS: Final = 1e-5  # moments are added up in floating point
SHOWN_MAX: Final = 5
SHARED_MEMORY: Final = Path("/dev/shm")


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What came of one run."""

    seed: int
    digest: str
    seconds: float  # virtual
    requests: int
    pages: int
    events: int
    problems: list[str] = field(default_factory=list)


def simulate(
    seed: int,
    *,
    build_frontier: BuildFrontier = Frontier,
    show: Callable[[str], object] | None = None,
) -> Outcome:
    """Play the run of a seed and judge it."""
    plan = Plan.of(seed)
    place = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None  # files come and go: no disk needed
    with tempfile.TemporaryDirectory(prefix="tiptoe-simulation-", dir=place) as name:
        stage = Stage(plan, Path(name), build_frontier=build_frontier, show=show)
        faults = Faults(stage)
        stage.run(SECONDS_MAX)
        faults.end()
        problems = stage.problems
        corpus = _read_corpus(Path(name))
        if not problems:
            problems += _judge_corpus(stage, corpus)
            problems += _judge_arrivals(stage)
            promises = promises_of(faults.confirmations, stage.carried_out)
            problems += _judge_promises(stage.arrivals, promises, stage)
            problems += _judge_files(Path(name))
    return Outcome(
        seed=seed,
        digest=stage.trace.digest,
        seconds=stage.seconds(),
        requests=len(stage.arrivals),
        pages=len(corpus),
        events=stage.trace.lines,
        problems=problems,
    )


def _read_corpus(directory: Path) -> list[tuple[str, int]]:
    """Return the pages of the corpus, each with its version."""
    lines = [
        line for path in sorted((directory / "corpus").glob("*")) for line in path.read_bytes().splitlines()
    ]
    pages = [json.loads(line) for line in lines]
    return [(page["url"], page.get("version", 1)) for page in pages]


def _judge_corpus(stage: Stage, versions: list[tuple[str, int]]) -> list[str]:
    truth = reachable(stage.web, stage.seeds)
    problems = []
    corpus = {url for url, _ in versions}
    copies = copies_among(stage.web, corpus, truth - corpus) if stage.plan.compares else set()
    lost = sorted(truth - corpus - copies)
    if lost:
        problems.append(f"{len(lost)} of {len(truth)} pages are lost: {', '.join(lost[:SHOWN_MAX])}")
    twice = sorted(f"{url} v{number}" for (url, number), count in Counter(versions).items() if count > 1)
    if twice:
        problems.append(f"{len(twice)} pages are there twice: {', '.join(twice[:SHOWN_MAX])}")
    counted = Counter(url for url, _ in versions)
    gaps = sorted({url for url, number in versions if number > counted[url]})
    if gaps:
        problems.append(f"versions of {len(gaps)} pages are missing: {', '.join(gaps[:SHOWN_MAX])}")
    strange = sorted(corpus - truth)
    if strange:
        problems.append(f"{len(strange)} pages should not be there: {', '.join(strange[:SHOWN_MAX])}")
    return problems


def _judge_arrivals(stage: Stage) -> list[str]:
    own = stage.plan.politeness
    rules = Rules(
        req_delay=own.req_delay,
        max_hosts=own.max_hosts,
        max_reqs=own.max_reqs,
        general_pause=own.general_pause,
        tolerance=TOLERANCE_SECONDS,
        crawl_delays=stage.web.crawl_delay_of,
        is_allowed=stage.web.is_allowed,
        retry_after_max=own.retry_after_max,
    )
    violations = [found for found in judge(stage.arrivals, rules) if not _is_news_lost(found, stage)]
    return [f"impolite: {violation}" for violation in violations[:SHOWN_MAX]]


def _is_news_lost(violation: Breach, stage: Stage) -> bool:
    """Whether what a server wished for was known only to a harvester that was lost before it could tell."""
    asked = violation.lines[-1] - 1
    if violation.rule == "POL-8":
        said = [violation.lines[0] - 1]
    elif violation.rule == "POL-1" and violation.shortfall <= _crawl_delay_only(violation.host, stage):
        said = [
            line
            for line, arrival in enumerate(stage.arrivals)
            if (arrival.host, arrival.target, arrival.status) == (violation.host, "/robots.txt", 200)
            and arrival.answered_at <= stage.arrivals[asked].arrived_at
        ]
    else:
        return False
    return not any(stage.is_told(line) or stage.askers[line] == stage.askers[asked] for line in said)


def _crawl_delay_only(host: str, stage: Stage) -> float:
    """Return how many seconds too early one may be who has not heard of the Crawl-delay."""
    return (stage.web.crawl_delay_of(host) or 0.0) - stage.plan.politeness.req_delay


def _judge_promises(arrivals: list[Arrival], promises: list[Promise], stage: Stage) -> list[str]:
    return [
        f"asked {arrival.url} at {arrival.arrived_at - stage.began_at:.3f} s, but "
        f"{promise.target or 'everybody'} was to be left alone from {promise.from_at - stage.began_at:.3f} s"
        for promise in promises
        for arrival in arrivals
        if promise.from_at < arrival.arrived_at < promise.until_at
        and promise.target in ("", arrival.host, arrival.address)
    ][:SHOWN_MAX]


def _judge_files(directory: Path) -> list[str]:
    left = sorted(path.name for path in (directory / "corpus").glob(f"*{OPEN_SUFFIX}"))
    return [f"files are still open: {', '.join(left[:SHOWN_MAX])}"] if left else []
