"""How many paragraphs of the simulated web are read exactly when all text is extracted?

    python bench/check_paragraphs.py [--hosts 400] [--pages 5] [--show 5]

The web is the realistic one: five languages, old encodings, wrong labels. Its true text is known: every
heading and paragraph has to come out in its place, character by character, from the page as it should be and
from pages broken in the ways of `broken_html.py`. Apart from these, only the menu, lists of
links and the footer may come out: anything else counts as stray.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from broken_html import BREAKAGES

from tiptoe.decide.parsing import parse_point
from tiptoe.decide.storing import store_point
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.harvest.document import read_document
from tiptoe.testing.graph import PageKind
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import WebHost

BAR = 0.995
DECODED_MAX = 1 << 25


@dataclass
class Score:
    """The results for pages of one kind."""

    paragraphs: int = 0
    exact: int = 0
    stray: int = 0

    @property
    def share(self) -> float:
        """Return the share of paragraphs that are exact."""
        return self.exact / max(self.paragraphs, 1)


def pages(web: SimulatedWeb, pages_max: int) -> Iterator[tuple[WebHost, int]]:
    """Yield the first pages with text of each host."""
    for index in range(web.shape.hosts):
        host = web.hosts.at(index)
        for number in range(min(host.pages, pages_max)):
            if host.is_crawlable and web.graph.kind_of(host, number) is PageKind.TEXT:
                yield host, number


def read(url: str, headers: list[tuple[str, str]], body: bytes) -> list[str]:
    """Return the paragraphs of a page as the crawl reads it."""
    answer = Answer(
        url=url,
        status=200,
        request_block=b"",
        header_block=b"",
        headers=Headers(headers),
        body=body,
        address="192.0.2.1",
        started_at=0.0,
        seconds=0.1,
    )
    store = store_point(respects_tdm=False)
    reading = read_document(
        answer, None, agent="tiptoe", decoded_max=DECODED_MAX, parse=parse_point(), store=store
    )
    return reading.paragraphs


def judge(found: list[str], truth: list[str], furniture: set[str], score: Score) -> list[str]:
    """Count the true paragraphs that were found, in order; return those that were not."""
    score.paragraphs += len(truth)
    score.stray += sum(text not in furniture for text in set(found) - set(truth))
    missing, place = [], 0
    for text in truth:
        try:
            place = found.index(text, place) + 1
        except ValueError:
            missing.append(text)
    score.exact += len(truth) - len(missing)
    return missing


def check(shape: WebShape, pages_max: int, show: int = 0) -> bool:
    """Print the table, and some paragraphs that were read wrongly; return whether the bar is met."""
    web, scores = SimulatedWeb(shape), defaultdict[str, Score](Score)
    for host, number in pages(web, pages_max):
        url = web.graph.url_of(host, number)
        truth, furniture = web.true_paragraphs(url), web.pages.furniture(host)
        answer = web.respond(host.name, web.graph.path_of(host, number).decode())
        for name, breakage in BREAKAGES.items():
            chance = Random(f"{url} {name}")
            found = read(url, answer.headers, breakage(answer.body, chance))
            for text in judge(found, truth, furniture, scores[name]):
                if show:
                    show -= 1
                    print(f"{name}: {url}\n  {text}\n  {found[:3]}")
    total = Score()
    print(f"{'':26}{'exact':>8} {'paragraphs':>11} {'stray':>7}")
    for name, score in scores.items():
        print(f"{name:26}{score.share:8.4f} {score.paragraphs:11} {score.stray:7}")
        for counted in ("paragraphs", "exact", "stray"):
            setattr(total, counted, getattr(total, counted) + getattr(score, counted))
    print(f"{'all':26}{total.share:8.4f} {total.paragraphs:11} {total.stray:7}")
    is_met = total.share >= BAR and scores["as it should be"].share >= BAR
    print(f"{'yes' if is_met else 'NO':4} at least {BAR:.1%} of the paragraphs are exact")
    return is_met


def main() -> int:
    """Check; return 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, default=400)
    parser.add_argument("--pages", type=int, default=5, help="of each host, at most")
    parser.add_argument("--show", type=int, default=0, help="print so many paragraphs that were read wrong")
    options = parser.parse_args()
    return 0 if check(replace(WebShape.realistic(), hosts=options.hosts), options.pages, options.show) else 1


if __name__ == "__main__":
    sys.exit(main())
