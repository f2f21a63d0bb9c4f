"""What is drawn from a seed before a run begins?

Everything: the web, the rules of politeness, the supervisor, and what goes wrong when. Spans are
short, so that leases, rests and crashes coincide in every combination.
"""

import random
from dataclasses import dataclass, replace
from typing import Final

from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.testing.shape import WebShape

__all__ = ["WATCHED_SECONDS", "Fault", "Plan"]

KINDS: Final = (
    "kill_harvester", "freeze_harvester", "cut_wire", "half_cut_wire", "slow_wire",
    "kill_keeper", "stop_keeper", "full_disk", "add_harvester", "remove_harvester",
    "pause", "block_host", "block_address", "slow_host", "change_pace",
)  # fmt: skip
"""Names of methods of `Faults`."""

TROUBLED_SECONDS: Final = 30.0
"""Faults begin within this span; then the world behaves, and the crawl must come to its end."""

WATCHED_SECONDS: Final = 60.0
"""So long pages are visited again; then the operator switches that off."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong, or that somebody wants."""

    at: float  # seconds since the beginning
    kind: str
    seconds: float  # how long it lasts
    pick: int  # chooses among those it can happen to


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run."""

    seed: int
    shape: WebShape
    trouble_share: float
    politeness: Politeness
    lease_seconds: float
    report_seconds: float
    harvesters: int
    is_remote: bool  # harvesters of other machines, which the keeper cannot kill
    visits_max: int
    packets_max: int
    transfers_max: int
    front_hosts: int
    corpus_bytes_max: int
    reads_tdmrep: bool
    wire_seconds: float
    compares: bool  # texts with all others: copies are left out
    faults: tuple[Fault, ...]
    revisit: str = "none"  # strategy; if any, the web changes
    sieve_row_urls: int = 2

    @classmethod
    def of(cls, seed: int) -> "Plan":
        """Draw the plan of a seed."""
        chance = random.Random(seed)
        plan = cls(
            seed=seed,
            shape=_draw_shape(chance),
            trouble_share=chance.choice((0.0, 0.05, 0.2)),
            politeness=_draw_politeness(chance),
            lease_seconds=chance.choice((2.0, 6.0)),
            report_seconds=chance.choice((0.1, 0.5)),
            harvesters=chance.randint(1, 3),
            is_remote=chance.random() < 0.4,
            visits_max=chance.choice((1, 3, 100)),
            packets_max=chance.choice((0, 0, 0, 2)),
            transfers_max=chance.choice((1, 100)),
            front_hosts=chance.choice((2, 50)),
            corpus_bytes_max=chance.choice((3_000, 1_000_000)),
            reads_tdmrep=chance.random() < 0.3,
            wire_seconds=chance.choice((0.0005, 0.02)),
            compares=chance.random() < 0.8,
            faults=_draw_faults(chance),
            revisit=chance.choice(("none", "none", "uniform", "adaptive", "optimal")),
            sieve_row_urls=chance.choice((2, 8, 1000)),
        )
        if plan.revisit == "none":
            return plan
        return replace(plan, shape=replace(plan.shape, change_seconds=15.0))

    @property
    def revisits(self) -> RevisitPolicy:
        """When pages are visited again, as long as any are."""
        return RevisitPolicy(
            strategy=self.revisit, first_seconds=8.0, min_seconds=4.0, max_seconds=30.0, is_endless=True
        )


def _draw_shape(chance: random.Random) -> WebShape:
    def share(most: float) -> float:
        return chance.choice((0.0, most))

    return WebShape(
        seed=chance.getrandbits(30),
        hosts=chance.randint(2, 7),
        hosts_per_address=chance.choice((1, 2, 4)),
        languages=(chance.choice(("cs", "en")),),
        pages_per_host=chance.randint(2, 6),
        pages_spread=0.3,
        page_bytes=1_500,
        links_per_page=8,
        external_share=0.3,
        redirect_share=share(0.15),
        gone_share=share(0.1),
        error_share=share(0.05),
        noindex_share=share(0.1),
        nofollow_share=share(0.1),
        dead_host_share=share(0.2),
        robots_share=share(0.5),
        robots_missing_share=share(0.2),
        robots_error_share=share(0.1),
        crawl_delay_share=share(0.3),
        crawl_delay_seconds=1.5,
        sitemap_share=share(0.4),
        gzip_share=share(0.5),
        copy_share=share(0.5),
        articles=chance.choice((1, 4)),
        terse_host_share=share(0.3),
        latency_seconds=chance.choice((0.01, 0.2)),
    )


def _draw_politeness(chance: random.Random) -> Politeness:
    # With two requests a visit, rules that expire at once would leave none for a page.
    max_reqs, robots_expiry = chance.choice(((2, 10_000.0), (4, 8.0), (4, 10_000.0), (20, 8.0)))
    return Politeness(
        req_delay=chance.choice((0.2, 0.7)),
        max_hosts=chance.choice((1, 2, 3)),
        max_reqs=max_reqs,
        general_pause=chance.choice((1.0, 3.0)),
        delay_max=1.0,
        retry_after_max=10.0,
        robots_expiry=robots_expiry,
        backoff_first=0.5,
        backoff_max=4.0,
        backoff_forgive=30.0,
    )


def _draw_faults(chance: random.Random) -> tuple[Fault, ...]:
    wanted = chance.sample(KINDS, chance.randint(0, 5))
    drawn = [
        Fault(
            at=round(chance.random() ** 2 * TROUBLED_SECONDS, 4),
            kind=kind,
            seconds=round(chance.choice((0.5, 3.0, 10.0)) * (0.5 + chance.random()), 4),
            pick=chance.getrandbits(16),
        )
        for kind in wanted
        for _ in range(chance.randint(1, 3))
    ]
    return tuple(sorted(drawn, key=lambda fault: (fault.at, fault.kind, fault.pick)))
