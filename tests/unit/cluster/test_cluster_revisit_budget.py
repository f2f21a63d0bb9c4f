"""Is the budget of revisits of a whole crawl spent by its shards together?"""

import random

import pytest

from tiptoe.cluster.quota_book import CrawlLimits, QuotaBook, ShardUse, revised
from tiptoe.experiment.frontier_player import FrontierPlayer
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.frontier_limits import Allotment
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.store.memory import MemoryStore
from tiptoe.url.address import url_key

DAY = 86400.0
LOOK_SECONDS = 3600.0
VISITS_PER_DAY = 80
LIMITS = CrawlLimits(shards=3, has_budget=True)
RULES = Politeness(req_delay=1.0, general_pause=5.0, max_reqs=20, max_hosts=3)
REVISITS = RevisitPolicy(
    strategy="optimal", visits_per_day=VISITS_PER_DAY, is_endless=True,
    first_seconds=DAY, min_seconds=3600.0, max_seconds=30 * DAY,
)  # fmt: skip


def answer(request: Request, now: float) -> Result:
    """Answer with a page that has changed in two of five cases."""
    if request.purpose is Purpose.ROBOTS:
        return Result(request, status=404, robots=RobotsNote(RobotsState.RULES))
    is_changed = None
    if request.last_visit is not None:
        is_changed = random.Random(f"{request.url} {now}").random() < 0.4
    return Result(
        request, status=200, body_bytes=900, text_chars=300, text_hash=url_key(request.url),
        is_changed=is_changed,
    )  # fmt: skip


def shard_with(pages: int, name: str) -> FrontierPlayer:
    policy = FrontierPolicy(politeness=RULES, reads_tdmrep=False, follows_sitemaps=False, revisit=REVISITS)
    player = FrontierPlayer(Frontier(MemoryStore(), policy), answer, lambda host: "192.0.2.1")
    player.add(*(f"http://{name}{page % 5}.example/{page}" for page in range(pages)))
    return player


def test_shards_of_any_size_spend_the_budget_together() -> None:
    """As one frontier would, within one per cent."""
    players = [shard_with(pages, name) for pages, name in ((60, "a"), (20, "b"), (8, "c"))]
    book = QuotaBook()
    begun: tuple[float, int] | None = None
    for look in range(int(14 * DAY / LOOK_SECONDS)):
        now = 1000.0 + look * LOOK_SECONDS
        for player in players:
            player.now = now
            player.round()
        watched = [player.frontier.counters.learned.account.pages for player in players]
        uses = {shard: ShardUse(term=1, watched=pages) for shard, pages in enumerate(watched)}
        book = revised(book, uses, LIMITS)
        for shard, player in enumerate(players):
            player.frontier.allot(Allotment(), visits_per_day=VISITS_PER_DAY * book.share_of(shard))
        made = sum(player.frontier.counters.totals.revisits for player in players)
        if begun is None and now > 5 * DAY:
            begun = now, made
    assert begun is not None
    per_day = (made - begun[1]) / (now - begun[0]) * DAY
    assert per_day == pytest.approx(VISITS_PER_DAY, rel=0.01)
