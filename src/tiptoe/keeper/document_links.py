"""Which links of converted documents join the frontier?

Those that would have joined it from a page: of one form, wanted by the decision point
`schedule`, one link farther from the seeds than their document. They wait in files,
see `write/dropbox.py`.
"""

from collections import Counter
from pathlib import Path

from tiptoe.decide.scheduling import LinkGroup
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.protocol.work import Request
from tiptoe.url.dropped import Dropped
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
    refused = policy.schedule.refusal(LinkGroup(depth=depth))
    if refused is not None:
        discards[refused] += len(found.hrefs)
        return []
    bad: list[str] = []
    urls = policy.canonicalizer.join(found.url, found.hrefs, bad)
    unwanted = policy.schedule.refused_urls(urls)
    discards.update(unwanted.values())
    if bad:
        discards[Dropped.BAD_HREF] += len(bad)
    return [Request(url, depth=depth, via=found.url) for url in urls if url not in unwanted]
