"""Texts that many pages have, and pages that say little: the truth about both."""

from collections import defaultdict

from simulated.truth import copies_among, reachable
from tiptoe.parse.html import read_page
from tiptoe.testing.shape import WebShape
from tiptoe.testing.vocabulary import WORDS
from tiptoe.testing.web import SimulatedWeb

SHAPE = WebShape(
    seed=5, hosts=12, pages_per_host=20, pages_spread=0.0, page_bytes=4_000, links_per_page=12,
    languages=("cs", "en"), copy_share=0.3, articles=6, terse_host_share=0.3, legacy_charset_share=0.3,
)  # fmt: skip
WEB = SimulatedWeb(SHAPE)


def pages_by_article() -> dict[tuple[str, int], list[str]]:
    """Return the pages that have a text in common, by language and text."""
    groups = defaultdict(list)
    for url in sorted(reachable(WEB, WEB.homes())):
        host, number = WEB.find(url)
        assert host is not None
        assert number is not None
        article = WEB.graph.article_of(host, number)
        if article is not None:
            groups[host.language, article].append(url)
    return groups


def test_pages_with_one_article_have_one_text_and_titles_of_their_own() -> None:
    groups = [urls for urls in pages_by_article().values() if len(urls) > 1]
    assert len(groups) > 8
    assert any(len({url.split("/")[2] for url in urls}) > 1 for urls in groups), "on one host only"
    for urls in groups:
        texts = [WEB.true_paragraphs(url) for url in urls]
        assert len({tuple(text[1:]) for text in texts}) == 1
        assert len({text[0] for text in texts}) == len(texts)


def test_homes_and_other_pages_keep_their_own_text() -> None:
    texts = [tuple(WEB.true_paragraphs(home)[1:]) for home in WEB.homes()]
    assert len(set(texts)) == len(texts)


def test_a_terse_host_has_one_long_paragraph_and_that_is_its_notice() -> None:
    """The known weakness of measures that look at long paragraphs only (INC-5)."""
    terse = [host for host in map(WEB.hosts.at, range(SHAPE.hosts)) if host.is_terse]
    assert 0 < len(terse) < SHAPE.hosts
    for host in terse:
        body = WEB.respond(host.name, "/").body.decode(host.charset)
        paragraphs = read_page(body, agent="tiptoe").paragraphs
        assert [text for text in paragraphs if len(text) >= 50] == [WORDS[host.language].notice]
        true = WEB.true_paragraphs(WEB.graph.url_of(host, 0))
        assert [text for text in paragraphs if text in set(true)][: len(true)] == true


def test_only_what_stands_in_the_corpus_is_a_copy() -> None:
    first, second, *_ = next(urls for urls in pages_by_article().values() if len(urls) > 1)
    home = WEB.home_of(0)
    assert copies_among(WEB, [first, home], [second]) == {second}
    assert copies_among(WEB, [home], [first, second]) == set()


def test_a_web_without_these_traits_is_as_it_was() -> None:
    """Copies cost nothing where nobody asks for them, and no byte changes."""
    plain = SimulatedWeb(WebShape(seed=5, hosts=3))
    host = plain.hosts.at(1)
    assert not host.is_terse
    assert plain.graph.article_of(host, 3) is None
