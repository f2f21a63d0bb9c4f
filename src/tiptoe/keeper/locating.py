"""Where is a host or a page, in a crawl that runs or has stopped?"""

from pathlib import Path

import msgspec

from tiptoe.frontier.counters import Counters
from tiptoe.frontier.locator import WHEREABOUTS_TABLES, find_host, find_page
from tiptoe.frontier.wishes import wish_covering
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.unfollowed_links import unfollowed_in
from tiptoe.observe.crawl_marker import expect_requests
from tiptoe.protocol.whereabouts import Whereabouts
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Ranges

__all__ = ["locate", "locate_stopped"]


def locate(keeper: Keeper, host: str, url: str) -> Whereabouts:
    """Return what a running crawl knows of a host and one of its pages; to be called between steps."""
    now = keeper.clock.now()
    tables = keeper.frontier.tables_of(host)
    unfollowed = unfollowed_in(keeper.frontier.counters.totals.discards)
    if tables is None:
        return Whereabouts(now=now, unfollowed=unfollowed, holds=sorted(keeper.holds), is_running=True)
    rest = keeper.frontier.policy.unproductive_rest_seconds
    found = _located(tables, host, url, now, rest, unfollowed)
    return msgspec.structs.replace(found, holds=sorted(keeper.holds), is_running=True)


def locate_stopped(
    directory: Path, host: str, url: str, now: float, *, unproductive_rest: float
) -> Whereabouts:
    """Return the same for a crawl that is not running, by reading its database."""
    expect_requests(directory)
    with ReadOnlyStore(directory / DATABASE, WHEREABOUTS_TABLES) as store:
        unfollowed = unfollowed_in(Counters(store).totals.discards)
        return _located(store, host, url, now, unproductive_rest, unfollowed)


def _located(
    store: Ranges, host: str, url: str, now: float, unproductive_rest: float, unfollowed: dict[str, int]
) -> Whereabouts:
    wish = wish_covering(store, host, url)
    return Whereabouts(
        now=now,
        host=find_host(store, host, unproductive_rest=unproductive_rest),
        page=find_page(store, url) if url else None,
        forgotten_as=wish.target if wish is not None else "",
        forgotten_at=wish.wished_at if wish is not None else 0.0,
        unfollowed=unfollowed,
    )
