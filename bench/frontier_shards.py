"""What does it cost for a crawl to have several frontiers?

The crawl of `frontier_growth`, by one frontier and by several in one process, each over a store of its own.
Prints the CPU per page of all of them together, mail included, over the second half, and the amount of mail.

    python bench/frontier_shards.py --shards 1 8 --size 100000
"""

import argparse
import contextlib
from typing import NamedTuple

from frontier_growth import BATCH_VISITS, TURN_SECONDS, URLS_PER_HOST, Web
from frontier_turns import Stopwatch, own_address, turn
from sizes import crawl_store

from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.experiment.frontier_player import FrontierPlayer
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.observe.process import spare_the_collector
from tiptoe.protocol.work import Request

SEEDS_AT_ONCE = 1000


class ShardCost(NamedTuple):
    """The cost of several frontiers, in seconds and bytes per page."""

    seconds: float
    mails: float
    mail_bytes: float
    moved: int


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shards", type=int, nargs="+", default=(1, 8))
    parser.add_argument("--size", type=int, default=100_000, help="URLs")
    options = parser.parse_args()
    print(
        f"{'shards':>7} {'us/page':>8} {'mails/page':>11} {'mail B/page':>12} {'hosts moved':>12}", flush=True
    )
    for shards in options.shards:
        cost = crawl(shards, options.size)
        print(
            f"{shards:>7} {cost.seconds * 1e6:>8.1f} {cost.mails:>11.3f} {cost.mail_bytes:>12.0f} "
            f"{cost.moved:>12,}",
            flush=True,
        )


def crawl(shards: int, size: int) -> ShardCost:
    """Crawl until `size` URLs are known; return the cost of the second half of them."""
    spare_the_collector()
    policy = FrontierPolicy(
        politeness=Politeness(req_delay=1.0, general_pause=1.0, max_reqs=10), reads_tdmrep=False
    )
    hosts = size // URLS_PER_HOST
    web = Web(hosts, seed=1)
    with contextlib.ExitStack() as stack:
        plan = ShardLabels(shards) if shards > 1 else None
        frontiers = [
            Frontier(stack.enter_context(crawl_store()), policy, shard=shard, plan=plan)
            for shard in range(shards)
        ]
        players = [FrontierPlayer(frontier, web.answer, own_address, now=1e9) for frontier in frontiers]
        watch, post = Stopwatch(), Post(frontiers)
        for first in range(0, hosts, SEEDS_AT_ONCE):
            seeds = [
                Request(f"http://h{number}.example/section-0/page-0.html")
                for number in range(first, min(hosts, first + SEEDS_AT_ONCE))
            ]
            watch.step(frontiers[first // SEEDS_AT_ONCE % shards].add, seeds, 1e9)
            watch.step(post.carry, 1e9)
        half = None
        while (urls := sum(frontier.counters.totals.urls for frontier in frontiers)) < size:
            for player in players:
                turn(player, watch, BATCH_VISITS)
                player.now += TURN_SECONDS
            watch.step(post.carry, players[0].now)
            if half is None and urls >= size // 2:
                half = (_pages(frontiers), watch.spent, post.mails, post.size)
        assert half is not None
        pages = _pages(frontiers) - half[0]
        moved = sum(frontier.counters.totals.hosts_moved for frontier in frontiers)
        return ShardCost(
            (watch.spent - half[1]) / pages,
            (post.mails - half[2]) / pages,
            (post.size - half[3]) / pages,
            moved,
        )


def _pages(frontiers: list[Frontier]) -> int:
    return sum(frontier.counters.totals.pages for frontier in frontiers)


class Post:
    """Carries mail between frontiers without delay."""

    def __init__(self, frontiers: list[Frontier]) -> None:
        self._frontiers = frontiers
        self.mails = self.size = 0

    def carry(self, now: float) -> None:
        """Deliver the waiting mail, once."""
        mails = [mail for frontier in self._frontiers for mail in frontier.outgoing()]
        self.mails += len(mails)
        self.size += sum(len(mail.payload) for mail in mails)
        for shard, frontier in enumerate(self._frontiers):
            if arrived := [mail for mail in mails if mail.receiver == shard]:
                frontier.receive(arrived, now)
        for sender, frontier in enumerate(self._frontiers):
            numbers = {mail.receiver: mail.number for mail in mails if mail.sender == sender}
            if numbers:
                frontier.delivered(numbers)


if __name__ == "__main__":
    main()
