"""A finished crawl has every page there was to find, once, and can prove where each came from."""

from collections import Counter
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, Stage, simulated_web
from warcio.archiveiterator import ArchiveIterator

from simulated.proofs import check_members
from tiptoe.frontier.patience import PATIENCE, Trouble
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.shape import WebShape
from tiptoe.write.archive import read_record
from tiptoe.write.cdxj import find

pytestmark = pytest.mark.journey

MIXED = WebShape(
    seed=3, hosts=12, hosts_per_address=3, pages_per_host=15, pages_spread=0.3, page_bytes=4_000,
    links_per_page=15, external_share=0.2, redirect_share=0.05, gone_share=0.05, error_share=0.02,
    flaky_share=0.03, flaky_seconds=0.3, noindex_share=0.05, nofollow_share=0.05, dead_host_share=0.1,
    robots_share=0.4, robots_missing_share=0.2, sitemap_share=0.4, legacy_charset_share=0.4, gzip_share=0.4,
)  # fmt: skip
"""A bit of everything that a crawl meets outside."""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Stage, Crawl, list[Arrival]]:
    """One crawl, looked at from many sides; nothing here changes it."""
    with simulated_web(tmp_path_factory.mktemp("complete"), MIXED) as stage:
        crawl = stage.crawl(
            harvest__harvesters=2, write__warc_size="200kB", write__corpus_size="100kB", has_models=True
        )
        crawl.run()
    return stage, crawl, stage.arrivals()


Finished = tuple[Stage, Crawl, list[Arrival]]


def test_the_corpus_holds_exactly_what_was_there_to_find(finished: Finished) -> None:
    """Nothing missing, nothing twice, nothing forbidden."""
    stage, crawl, arrivals = finished
    refused = refused_to_the_end(arrivals)
    assert stage.truth(is_in_scope=lambda url: url not in refused) == crawl.urls()


def refused_to_the_end(arrivals: list[Arrival]) -> set[str]:
    """Return the pages that were overloaded at every try, as one that is down half of the time may be."""
    overloaded = Counter(arrival.url for arrival in arrivals if arrival.status == 503)
    answered = {arrival.url for arrival in arrivals if arrival.status == 200}
    tries = PATIENCE[Trouble.OVERLOADED].tries
    return {url for url, times in overloaded.items() if times == tries} - answered


def test_the_text_is_the_text_of_the_pages(finished: Finished) -> None:
    """Paragraph by paragraph, in every charset."""
    stage, crawl, _ = finished
    wrong = total = 0
    for document in crawl.documents():
        expected = Counter(stage.web.true_paragraphs(document["url"]))
        total += expected.total()
        wrong += (expected - Counter(document["paragraphs"])).total()
    assert total > 500
    assert wrong <= 0.005 * total


def test_no_host_was_treated_impolitely(finished: Finished) -> None:
    stage, _, _ = finished
    assert stage.violations() == []


def test_archives_pass_the_check_of_others(finished: Finished) -> None:
    """What we call sound must be sound for the tools of web archives too."""
    _, crawl, _ = finished
    archives = sorted((crawl.out / "warc").glob("*.warc.gz"))
    assert len(archives) > 2, "too few files to have been rotated"
    responses = 0
    for archive in archives:
        assert check_members(archive).faults == []
        with archive.open("rb") as file:
            for record in ArchiveIterator(file, check_digests=True):
                record.content_stream().read()
                assert record.digest_checker.passed is not False, record.digest_checker.problems
                responses += record.rec_type == "response"
    assert responses == len(crawl.requests())


def test_every_document_leads_to_its_record_in_the_archive(finished: Finished) -> None:
    """Whoever doubts a line of the corpus can look at what was received."""
    _, crawl, _ = finished
    for document in crawl.documents():
        with (crawl.out / "warc" / document["warc_file"]).open("rb") as file:
            file.seek(document["warc_offset"])
            record = next(iter(ArchiveIterator(file)))
            assert record.rec_type == "response"
            assert record.rec_headers["WARC-Target-URI"] == document["url"]
            assert record.rec_headers["WARC-Record-ID"] == f"<{document['id']}>"
            assert record.rec_headers["WARC-Payload-Digest"] == document["digest"]


def test_the_index_leads_to_the_very_bytes_that_were_served(finished: Finished) -> None:
    stage, crawl, _ = finished
    for url in crawl.urls():
        entry = [entry for entry in find(crawl.out, url) if entry.status == "200"][-1]
        head, _, body = read_record(crawl.out, entry).partition(b"\r\n\r\n")
        assert body == served_body(stage, url, accepts_gzip=b"gzip" in head), url


def served_body(stage: Stage, url: str, *, accepts_gzip: bool) -> bytes:
    """Return what the web serves at an address, at a moment when it does."""
    host, _ = stage.web.find(url)
    assert host is not None
    target = url.removeprefix(stage.web.graph.origin_of(host))
    moments = (0.3 * number for number in range(100))
    answers = (stage.web.respond(host.name, target, now=now, accepts_gzip=accepts_gzip) for now in moments)
    return next(answer.body for answer in answers if answer.status == 200)


def test_the_request_log_has_a_line_for_every_arrival(finished: Finished) -> None:
    """A webmaster's log and ours tell the same story."""
    stage, crawl, arrivals = finished
    logged = Counter(entry.url for entry in crawl.requests() if entry.status)
    assert logged == Counter(arrival.url for arrival in arrivals)
    assert {str(stage.web.address_of(arrival.host)) for arrival in arrivals} == {
        entry.address for entry in crawl.requests() if entry.status
    }


def test_files_are_finished_and_nothing_is_left_open(finished: Finished) -> None:
    _, crawl, _ = finished
    assert crawl.open_files() == []
    assert list((crawl.out / "state").glob("*.busy")) == []
    assert not (crawl.out / "state" / "keeper.sock").exists()


def test_a_finished_crawl_asks_for_nothing_when_run_again(tmp_path: Path) -> None:
    """Whoever types the same command twice costs nobody anything."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl()
        crawl.run()
        first = len(crawl.requests())
        printed = crawl.run()
    assert "nothing left to request" in printed
    assert len(stage.arrivals()) == first
    assert stage.truth() == crawl.urls()
