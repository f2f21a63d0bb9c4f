"""A text enters the corpus once, whoever has it, and none is left out for a copy that is not there."""

import signal
from collections import Counter
from pathlib import Path

import pytest
from journey_crawl import Crawl, Stage, simulated_web

from simulated.truth import copies_among
from tiptoe.testing.shape import WebShape

pytestmark = pytest.mark.journey

COPIED = WebShape(
    seed=11, hosts=12, hosts_per_address=2, pages_per_host=16, pages_spread=0.0, page_bytes=4_000,
    links_per_page=12, external_share=0.2, languages=("cs",), copy_share=0.35, articles=30,
    terse_host_share=0.25, legacy_charset_share=0.4, gone_share=0.03,
)  # fmt: skip
"""A third of the pages have what others have too; on a quarter of the hosts all that is long is a notice."""

TWICE_PER_HOST = 2
"""What a small site repeats more often looks like its furniture, and is kept."""


def article_of(stage: Stage, url: str) -> int | None:
    host, number = stage.web.find(url)
    assert host is not None
    assert number is not None
    return stage.web.graph.article_of(host, number)


def check_copies(stage: Stage, crawl: Crawl) -> None:
    """Every text is there, and there once."""
    truth, urls = set(stage.truth()), crawl.urls()
    assert len(urls) == len(set(urls))
    left_out = truth - set(urls)
    assert set(urls) <= truth
    assert copies_among(stage.web, urls, left_out) == left_out, "a text is lost"

    articles = Counter(article_of(stage, url) for url in truth)
    del articles[None]
    per_host = Counter((article_of(stage, url), url.split("/")[2]) for url in truth)
    assert max(count for (article, _), count in per_host.items() if article is not None) <= TWICE_PER_HOST
    # Whoever waited in vain for another page is kept and says so; on a machine that stands still for
    # seconds that happens, and nowhere else.
    judged = [document["url"] for document in crawl.documents() if document["duplicity"] is not None]
    kept = Counter(article_of(stage, url) for url in judged)
    del kept[None]
    assert set(kept.values()) <= {1}, "a text is there twice"
    assert {article_of(stage, url) for url in urls} >= set(articles)
    assert len(left_out) + len(urls) - len(judged) >= articles.total() - len(articles) > 15


def test_copies_are_left_out_and_notices_make_none(tmp_path: Path) -> None:
    with simulated_web(tmp_path, COPIED) as stage:
        crawl = stage.crawl(harvest__harvesters=2)
        printed = crawl.run()
    check_copies(stage, crawl)
    assert "duplicate" in printed
    terse = {url for url in stage.truth() if (host := stage.web.find(url)[0]) and host.is_terse}
    assert len(terse) > 30
    assert terse <= set(crawl.urls()), "a page was left out for the notice of its site"
    assert stage.violations() == []


def test_of_every_document_it_says_how_much_is_known(tmp_path: Path) -> None:
    """Near copies stay, with their number; paragraphs that stand elsewhere are named."""
    with simulated_web(tmp_path, COPIED) as stage:
        crawl = stage.crawl()
        crawl.run()
    documents = crawl.documents()
    assert all(0.0 <= document["duplicity"] < 0.9 for document in documents)
    said = Counter(text for document in documents for text in set(document["paragraphs"]))
    repeated = [document["paragraphs"][place] for document in documents for place in document["repeated"]]
    assert len(repeated) > 50  # the notices, if nothing else
    assert all(len(text) >= 50 and said[text] > 1 for text in repeated)


def test_without_duplicity_every_page_is_there(tmp_path: Path) -> None:
    with simulated_web(tmp_path, COPIED) as stage:
        crawl = stage.crawl(text__duplicity="false")
        crawl.run()
    assert stage.truth() == crawl.urls()
    assert {document["duplicity"] for document in crawl.documents()} == {None}


@pytest.mark.parametrize("lines", [30, 90])
def test_whatever_is_killed_no_text_is_lost_and_none_is_there_twice(tmp_path: Path, lines: int) -> None:
    """Harvesters die with claims on texts they never wrote; then everything dies, and goes on."""
    with simulated_web(tmp_path, COPIED) as stage:
        crawl = stage.crawl(harvest__harvesters=2)
        crawl.start()
        crawl.wait_for_lines(lines)
        for helper in crawl.harvesters()[:1]:
            helper.send_signal(signal.SIGKILL)
        crawl.wait_for_lines(lines + 30)
        crawl.kill_all()
        crawl.run()
    check_copies(stage, crawl)
    assert stage.violations() == []
