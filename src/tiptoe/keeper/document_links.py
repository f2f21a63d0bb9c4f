"""Which links of converted documents join the frontier?

Those that would have joined it from a page: made canonical, wanted by the decision point
`schedule`, one link farther from the seeds than their document. They wait in files; see
`write/dropbox.py`.
"""

from collections import Counter
from pathlib import Path

from tiptoe.decide.scheduling import LinkGroup
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.protocol.work import Purpose, Request
from tiptoe.url.dropped import Dropped
from tiptoe.write.dropbox import FoundLinks, links_in, waiting_links

__all__ = ["take_link_file", "take_links"]


def take_links(frontier: CrawlFrontier, directory: Path, now: float) -> int:
    """Take in the oldest waiting file of links; return how many of its links are new."""
    return sum(take_link_file(frontier, path, now) for path in waiting_links(directory)[:1])


def take_link_file(frontier: CrawlFrontier, path: Path, now: float) -> int:
    """Take in a file of links, and delete it once they are committed; return how many are new."""
    discards: Counter[str] = Counter()
    requests = [
        request for found in links_in(path) for request in _requests(found, frontier.policy, discards)
    ]
    taken = frontier.add(requests, now)
    frontier.report([], {}, now, discards=discards)
    frontier.after_commit(lambda: path.unlink(missing_ok=True))
    return taken


def _requests(found: FoundLinks, policy: FrontierPolicy, discards: Counter[str]) -> list[Request]:
    depth = found.depth + 1
    refused = policy.schedule.refusal(LinkGroup(depth=depth, found_in=Purpose.PAGE))
    if refused is not None:
        discards[refused] += len(found.hrefs)
        return []
    bad: list[str] = []
    urls = policy.canonicalizer.join(found.url, found.hrefs, bad)
    unwanted = policy.schedule.refused_files(found.url, urls) | policy.schedule.refused_urls(urls)
    discards.update(unwanted.values())
    if policy.schedule.link_filter is not None:
        denied = policy.schedule.link_filter.refused([url for url in urls if url not in unwanted], depth)
        discards.update(refusal.reason for refusal in denied.values())
        unwanted |= {url: refusal.reason for url, refusal in denied.items()}
    if bad:
        discards[Dropped.BAD_HREF] += len(bad)
    return [Request(url, depth=depth, via=found.url) for url in urls if url not in unwanted]
