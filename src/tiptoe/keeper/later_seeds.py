"""How does a running crawl get further seeds?"""

from typing import Final

from tiptoe.errors import ProtocolError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.sowing import batches
from tiptoe.protocol.work import Request

__all__ = ["SEEDS_AT_ONCE", "add_seeds"]

SEEDS_AT_ONCE: Final = 10_000
"""Maximum number of addresses in one command."""


def add_seeds(keeper: Keeper, urls: list[str]) -> int:
    """Queue addresses and record them as seeds of the crawl; return how many were new."""
    if keeper.plan.shards:
        raise ProtocolError(
            "several machines share this crawl; `tiptoe crawl --cluster ... --add-seeds` adds to it"
        )
    if len(urls) > SEEDS_AT_ONCE:
        raise ProtocolError(f"at most {SEEDS_AT_ONCE} addresses at once")
    canonical = keeper.frontier.policy.canonicalizer.canonical
    found: dict[str, None] = {}
    for url in urls:
        if (known := canonical(url)) is None:
            raise ProtocolError(f"{url[:60]!r} is no address that this crawl can ask for")
        if keeper.frontier.policy.schedule.is_far_from_seeds(known):
            raise ProtocolError(
                f"{known}: this crawl stays near its seeds (scope.within); stop it, and add this one then"
            )
        found[known] = None
    directory = CrawlDirectory(keeper.plan.directory)
    directory.seed_again(found)
    now = keeper.clock.now()
    new = sum(keeper.frontier.add([Request(url) for url in batch], now) for batch in batches(list(found)))
    keeper.frontier.after_commit(directory.note_seeded)
    return new
