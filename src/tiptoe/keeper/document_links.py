"""Which links of converted documents join the frontier?

Those that would have joined it from a page: of one form, no traps, within the
bounds of the crawl, one link farther from the seeds than their document. They
wait in files, see `write/dropbox.py`.
"""

from collections import Counter
from pathlib import Path

from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.protocol.work import Request
from tiptoe.url.dropped import Dropped
from tiptoe.url.traps import TrapLimits, trap_in
from tiptoe.write.dropbox import FoundLinks, links_in, waiting_links

__all__ = ["take_links"]


def take_links(frontier: Frontier, directory: Path, now: float) -> int:
    """Take in the oldest file of links that waits; return how many of them are new."""
    taken = 0
    for path in waiting_links(directory)[:1]:
        discards: Counter[str] = Counter()
        requests = [
            request for found in links_in(path) for request in _requests(found, frontier.policy, discards)
        ]
        taken = frontier.add(requests, now)
        frontier.report([], {}, now, discards=discards)
        path.unlink()
    return taken


def _requests(found: FoundLinks, policy: FrontierPolicy, discards: Counter[str]) -> list[Request]:
    depth = found.depth + 1
    if depth > policy.hops_max:
        discards[Dropped.TRAP_DEPTH] += len(found.hrefs)
        return []
    bad: list[str] = []
    requests = []
    for url in policy.canonicalizer.join(found.url, found.hrefs, bad):
        trap = trap_in(url, TrapLimits())
        if trap is None:
            requests.append(Request(url, depth=depth, via=found.url))
        else:
            discards[trap] += 1
    if bad:
        discards[Dropped.BAD_HREF] += len(bad)
    return requests
