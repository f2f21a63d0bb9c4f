"""A page that we know, visited again: from the request to what is written."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest
from harvest_samples import (
    HTML,
    PAGE,
    Rater,
    Web,
    make_answer,
    make_context,
    make_failure,
    make_tools,
    take_in,
)
from warcio.archiveiterator import ArchiveIterator

from tiptoe.decide.storing import store_point
from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.frontier.repetition import remember_text
from tiptoe.harvest.journey import fetch
from tiptoe.harvest.judgement import DuplicityRules
from tiptoe.harvest.page_change import ChangedBy, RevisitRules
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import Hint, LastVisit, Purpose, Request, Result

URL = "http://a.example/"
LONG = "A paragraph that is long enough to be compared with all others of the corpus. "
ETAG = ("ETag", '"e1"')


def page(*paragraphs: str, head: str = "") -> bytes:
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<html><head>{head}<title>T</title></head><body>{body}".encode()


FIRST = page(LONG * 2, "short", "<a href=/x>link</a>")
REWRITTEN = page(LONG[::-1] * 2, "short", "<a href=/x>link</a>", "<a href=/fresh>news</a>")
COUNTED = page(LONG * 2, "short", "<a href=/x>link</a>", head="<meta name=counter content=77>")


class Visitor:
    """Visits one page again and again, and remembers of it what the keeper does."""

    def __init__(
        self, directory: Path, *, change: ChangedBy = ChangedBy.DUPLICITY, duplicity: bool = True
    ) -> None:
        self.directory = directory
        self.tools = make_tools(directory)
        self.tools.revisit = RevisitRules(is_on=True, change=change, uses_hints=True)
        self.tools.duplicity = DuplicityRules() if duplicity else None
        self.before: LastVisit | None = None
        self.purpose = Purpose.PAGE
        self.texts = b""  # of the host, as the keeper has them

    def visit(self, answer: Answer | Failed, *, duplicity: float | None = 0.0) -> Result:
        """Take in one answer, later than the last, as the keeper would have it asked for."""
        request = Request(URL, self.purpose, last_visit=self.before)
        result = take_in(request, answer, self.tools, duplicity=duplicity, texts=self.texts)
        self.tools.outputs.flush()
        self._remember(result)
        return result

    def _remember(self, result: Result) -> None:
        old = self.before or LastVisit(0)
        if result.failure or result.status >= 500:
            return
        is_written = bool(result.text_hash) and not result.discard and not result.is_unchanged
        outcome = "redirect" if result.redirect else "ok" if result.status < 400 else f"http_{result.status}"
        self.before = LastVisit(
            visits=old.visits + 1,
            visited_at=1_790_000_000.0,
            version=old.version + is_written,
            etag=result.etag,
            last_modified=result.last_modified,
            content_hash=result.content_hash,
            text_hash=result.text_hash,
            payload_digest=result.payload_digest or old.payload_digest,
            stored_at=result.stored_at or old.stored_at,
            outcome=result.discard or outcome,
        )

    def corpus(self) -> list[dict[str, object]]:
        return self._lines("corpus")

    def gone(self) -> list[dict[str, object]]:
        return self._lines("gone")

    def aside(self) -> list[dict[str, object]]:
        return self._lines("documents")

    def _lines(self, folder: str) -> list[dict[str, object]]:
        paths = (self.directory / folder).glob("*")
        return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]

    def archive(self) -> list[str]:
        """Return what the archive says of each visit: the kind of record, or the end of its profile."""
        found = []
        for path in (self.directory / "warc").glob("*.warc.gz.open"):
            with path.open("rb") as file:
                for record in ArchiveIterator(file, check_digests="raise"):
                    record.content_stream().read()
                    if record.rec_type in ("response", "revisit"):
                        profile = record.rec_headers.get_header("WARC-Profile") or record.rec_type
                        found.append(profile.replace(":", "/").rpartition("/")[2])
        return found


def repeated(text_hash: bytes) -> bytes:
    """Return what a host remembers that has had a text under five other addresses."""
    texts = b""
    for number in range(5):
        texts = remember_text(texts, Request(f"http://a.example/{number}"), text_hash, "")
    return texts


@pytest.fixture
def visitor(tmp_path: Path) -> Visitor:
    return Visitor(tmp_path)


def answer(body: bytes = FIRST, *fields: tuple[str, str], status: int = 200) -> Answer:
    return make_answer(body=body, status=status, fields=[*HTML, *fields])


def linked(result: Result) -> list[str]:
    return [url for links in result.links for url in links.urls]


# -- asking --------------------------------------------------------------


def test_a_known_page_is_asked_for_under_conditions(tmp_path: Path) -> None:
    """A server that has nothing new need not send it (INC-4)."""
    web = Web()
    tools = make_tools(tmp_path, web)
    known = LastVisit(1, etag='"e1"', last_modified="Tue, 01 Sep 2026 10:00:00 GMT")
    asyncio.run(fetch(Request(URL, last_visit=known), make_context(), tools))
    assert web.fields == [("If-None-Match", '"e1"'), ("If-Modified-Since", "Tue, 01 Sep 2026 10:00:00 GMT")]
    asyncio.run(fetch(Request(URL), make_context(), tools))
    assert web.fields == []


def test_an_etag_too_long_to_be_kept_whole_is_not_kept(visitor: Visitor) -> None:
    """A part of it would match nothing."""
    assert visitor.visit(answer(FIRST, ("ETag", '"' + "x" * 300 + '"'))).etag == ""


# -- unchanged -----------------------------------------------------------


def test_not_modified_is_a_visit_without_change(visitor: Visitor) -> None:
    """Neither a failure nor a reason to discard; what it leaves unsaid holds on."""
    first = visitor.visit(answer(FIRST, ETAG))
    again = visitor.visit(make_answer(body=b"", status=304, fields=()))
    assert (again.status, again.is_changed, again.failure, again.discard) == (304, False, "", "")
    assert (again.etag, again.content_hash, again.text_hash) == (
        '"e1"', first.content_hash, first.text_hash,
    )  # fmt: skip
    assert (first.is_changed, len(visitor.corpus()), visitor.gone()) == (None, 1, [])
    assert visitor.archive() == ["response", "server-not-modified"]


def test_not_modified_in_answer_to_a_first_request_is_none(visitor: Visitor) -> None:
    """There is nothing that could be unchanged: a fault of the server, kept as it came."""
    assert visitor.visit(make_answer(body=b"", status=304, fields=())).is_changed is None
    assert visitor.archive() == ["response"]


def test_not_modified_with_a_location_is_no_redirect(visitor: Visitor) -> None:
    visitor.visit(answer(FIRST, ETAG))
    again = visitor.visit(make_answer(body=b"", status=304, fields=[("Location", "/b")]))
    assert (again.redirect, again.is_changed) == ("", False)


def test_the_same_bytes_cost_no_body_no_line_and_no_question(visitor: Visitor) -> None:
    rater = Rater(0.5)
    visitor.tools.segmenter = rater
    first = visitor.visit(answer())
    again = visitor.visit(answer())
    assert (again.is_changed, again.fingerprint, linked(again)) == (False, b"", [])
    assert visitor.archive() == ["response", "identical-payload-digest"]
    assert (len(visitor.corpus()), len(rater.asked)) == (1, 1)
    assert (first.payload_digest[:5], first.stored_at) == ("sha1:", 1_790_000_000.0)
    assert (again.payload_digest, again.stored_at) == ("", 0.0)


def test_links_of_the_same_bytes_are_not_told_again(visitor: Visitor, tmp_path: Path) -> None:
    """Also by another harvester, or by this one when it has forgotten them."""
    visitor.visit(answer())
    visitor.tools.outlinks = make_tools(tmp_path / "other").outlinks
    assert linked(visitor.visit(answer())) == []


def test_not_modified_keeps_a_page_out_that_was_out(visitor: Visitor) -> None:
    """What spoke against its text does so still."""
    visitor.tools.store = store_point(chars_min=10_000)
    visitor.visit(answer(FIRST, ETAG))
    again = visitor.visit(make_answer(body=b"", status=304, fields=()))
    assert (again.discard, again.is_changed, visitor.gone()) == ("too_short", False, [])


def test_the_same_text_in_other_bytes_costs_no_body_either(visitor: Visitor) -> None:
    """A counter, an advertisement, a token: most pages differ in something at every visit."""
    visitor.visit(answer())
    assert visitor.visit(answer(COUNTED)).is_changed is False
    assert visitor.visit(answer(COUNTED)).is_changed is False
    assert visitor.visit(answer()).is_changed is False
    assert visitor.archive() == ["response", "unchanged-text", "unchanged-text", "identical-payload-digest"]
    assert len(visitor.corpus()) == 1


def test_new_links_of_a_page_with_the_same_text_are_followed(visitor: Visitor) -> None:
    """The text of a link may stay when what it leads to does not."""
    visitor.visit(answer())
    again = visitor.visit(answer(FIRST.replace(b"/x", b"/y")))
    assert (again.is_changed, linked(again)) == (False, ["http://a.example/y"])


def test_what_is_nearly_all_known_is_unchanged(visitor: Visitor) -> None:
    """Change is duplicity below the threshold (INC-5)."""
    visitor.visit(answer())
    again = visitor.visit(answer(REWRITTEN), duplicity=0.95)
    assert (again.is_changed, again.discard) == (False, "")
    assert "http://a.example/fresh" in linked(again)
    assert visitor.archive() == ["response", "unchanged-text"]
    assert len(visitor.corpus()) == 1


def test_without_an_archive_nothing_else_is_different(visitor: Visitor) -> None:
    visitor.tools.keeps_archive = False
    visitor.visit(answer())
    assert visitor.visit(answer()).is_changed is False
    assert visitor.visit(answer(REWRITTEN)).is_changed is True
    assert (visitor.archive(), len(visitor.corpus())) == ([], 2)


def test_a_body_that_was_never_archived_is_archived_once(visitor: Visitor) -> None:
    """Such as after a crawl without an archive: a revisit would refer to nothing."""
    visitor.tools.keeps_archive = False
    visitor.visit(answer())
    visitor.tools.keeps_archive = True
    assert visitor.visit(answer()).is_changed is False
    visitor.visit(answer())
    assert visitor.archive() == ["response", "identical-payload-digest"]


# -- changed -------------------------------------------------------------


def test_a_changed_page_is_the_next_version(visitor: Visitor) -> None:
    """The first has no number."""
    visitor.visit(answer())
    second = visitor.visit(answer(REWRITTEN), duplicity=0.3)
    visitor.visit(answer(), duplicity=0.3)
    assert second.is_changed is True
    assert [line["version"] for line in visitor.corpus()] == [1, 2, 3]
    assert visitor.archive() == ["response"] * 3
    assert second.payload_digest == visitor.corpus()[1]["digest"]


@pytest.mark.parametrize("change", [ChangedBy.TEXT, ChangedBy.BYTES])
def test_a_page_is_no_copy_of_its_own_past(tmp_path: Path, change: ChangedBy) -> None:
    """Nearly all of it is known, because it stood there before: every version counts by choice."""
    visitor = Visitor(tmp_path, change=change)
    visitor.visit(answer())
    again = visitor.visit(answer(REWRITTEN), duplicity=0.99)
    assert (again.is_changed, again.discard, len(visitor.corpus())) == (True, "", 2)


def test_any_byte_counts_when_the_operator_says_so(tmp_path: Path) -> None:
    """Also when the same text is remembered under other addresses only."""
    visitor = Visitor(tmp_path, change=ChangedBy.BYTES)
    first = visitor.visit(answer())
    visitor.texts = repeated(first.text_hash)
    assert visitor.visit(answer(COUNTED), duplicity=1.0).is_changed is True
    assert [line["version"] for line in visitor.corpus()] == [1, 2]


@pytest.mark.parametrize("duplicity", [None, 0.0])
def test_without_an_answer_of_the_keeper_the_text_decides(visitor: Visitor, duplicity: float | None) -> None:
    visitor.visit(answer())
    assert visitor.visit(answer(REWRITTEN), duplicity=duplicity).is_changed is True


def test_without_long_paragraphs_the_text_decides(visitor: Visitor) -> None:
    """There is nothing that duplicity could be measured by (INC-5)."""
    visitor.visit(answer(page("one", "two")))
    assert visitor.visit(answer(page("one", "three")), duplicity=1.0).is_changed is True
    assert len(visitor.corpus()) == 2


def test_without_duplicity_the_text_decides(tmp_path: Path) -> None:
    visitor = Visitor(tmp_path, duplicity=False)
    visitor.visit(answer())
    assert visitor.visit(answer(REWRITTEN)).is_changed is True


def test_texts_of_other_pages_do_not_strike_an_unchanged_one(visitor: Visitor) -> None:
    """It was first; that others had its text since is their fault."""
    first = visitor.visit(answer())
    visitor.texts = repeated(first.text_hash)
    assert visitor.visit(answer(COUNTED)).discard == ""
    assert visitor.gone() == []


def test_a_copy_that_is_still_a_copy_has_not_changed(visitor: Visitor) -> None:
    """It never entered the corpus, and does not now."""
    visitor.visit(answer(), duplicity=1.0)
    again = visitor.visit(answer(), duplicity=1.0)
    assert (again.discard, again.is_changed, visitor.corpus()) == ("duplicate", False, [])
    own = visitor.visit(answer(REWRITTEN), duplicity=0.0)
    assert (own.is_changed, [line["version"] for line in visitor.corpus()]) == (True, [1])


# -- gone, and back ------------------------------------------------------


@pytest.mark.parametrize("status", [404, 410, 451])
def test_a_page_that_is_gone_is_noted_once(visitor: Visitor, status: int) -> None:
    visitor.visit(answer())
    assert visitor.visit(answer(b"<p>no", status=status)).is_changed is True
    assert visitor.visit(answer(b"<p>no!", status=status)).is_changed is False
    assert visitor.gone() == [
        {"url": URL, "gone_at": "2026-09-21T14:13:20.000000Z", "status": status, "reason": ""}
    ]


def test_a_page_that_is_no_longer_for_us_is_noted(visitor: Visitor) -> None:
    """By its head too, and if nothing else has changed (POL-6)."""
    visitor.visit(answer(FIRST, ETAG))
    visitor.visit(make_answer(body=b"", status=304, fields=[("X-Robots-Tag", "noindex")]))
    assert [(line["status"], line["reason"]) for line in visitor.gone()] == [(304, "noindex")]


def test_a_page_that_says_noindex_by_now_has_changed(visitor: Visitor) -> None:
    """Its text is the same, and it has left all the same."""
    visitor.visit(answer())
    again = visitor.visit(answer(FIRST, ("X-Robots-Tag", "noindex")))
    assert (again.is_changed, again.discard, len(visitor.gone())) == (True, "noindex", 1)
    assert visitor.visit(answer(FIRST, ("X-Robots-Tag", "noindex"))).is_changed is False
    assert len(visitor.gone()) == 1


def test_a_redirect_changes_with_its_target_not_with_its_body(visitor: Visitor) -> None:
    """Its body is an excuse, which may have the time of day in it."""

    def moved(body: bytes, target: str) -> bool | None:
        return visitor.visit(answer(body, ("Location", target), status=301)).is_changed

    assert [moved(b"1", "/b"), moved(b"2", "/b"), moved(b"2", "/c")] == [None, False, True]


def test_a_page_that_moved_is_noted(visitor: Visitor) -> None:
    visitor.visit(answer())
    visitor.visit(answer(b"", ("Location", "/b"), status=301))
    assert [(line["status"], line["reason"]) for line in visitor.gone()] == [(301, "redirect")]


@pytest.mark.parametrize(
    "between",
    [
        answer(b"", status=404),
        answer(FIRST, ("X-Robots-Tag", "noindex")),
        answer(b"", ("Location", "/b"), status=302),
    ],
)
def test_a_page_that_comes_back_is_a_new_version_even_with_its_old_text(
    visitor: Visitor, between: Answer
) -> None:
    """Whoever mirrors the web has taken it out, and has to put it in again."""
    visitor.visit(answer())
    visitor.visit(between)
    back = visitor.visit(answer(), duplicity=1.0)
    assert (back.is_changed, back.discard) == (True, "")
    assert [line["version"] for line in visitor.corpus()] == [1, 2]
    assert visitor.visit(answer()).is_changed is False


def test_a_server_in_trouble_takes_nothing_back(visitor: Visitor) -> None:
    visitor.visit(answer())
    assert visitor.visit(answer(b"", status=503)).is_changed is None
    assert visitor.visit(make_failure(URL)).is_changed is None
    assert visitor.gone() == []
    assert visitor.visit(answer()).is_changed is False


def test_a_page_that_never_was_in_the_corpus_cannot_leave_it(visitor: Visitor) -> None:
    visitor.visit(answer(b"", status=404))
    visitor.visit(answer(b"", status=410))
    assert visitor.gone() == []


# -- documents, sitemaps, feeds ------------------------------------------


def test_a_changed_document_is_stored_aside_again_and_no_other(visitor: Visitor) -> None:
    """`tiptoe convert` reads each that is listed."""
    pdf = [("Content-Type", "application/pdf")]
    visitor.visit(make_answer(body=b"%PDF-1.4 one", fields=pdf))
    assert visitor.visit(make_answer(body=b"%PDF-1.4 one", fields=pdf)).is_changed is False
    assert visitor.visit(make_answer(body=b"%PDF-1.4 two", fields=pdf)).is_changed is True
    assert len(visitor.aside()) == 2
    assert visitor.archive() == ["response", "identical-payload-digest", "response"]
    assert visitor.gone() == []


def test_a_document_that_leaves_and_comes_back_is_noted_and_listed_again(visitor: Visitor) -> None:
    """Else a mirror of now has it for ever, or never again."""
    pdf = make_answer(body=b"%PDF-1.4 one", fields=[("Content-Type", "application/pdf")])
    visitor.visit(pdf)
    assert visitor.visit(make_answer(status=404)).is_changed is True
    visitor.visit(make_answer(status=404))
    assert [page["status"] for page in visitor.gone()] == [404]
    assert visitor.visit(pdf).is_changed is True
    assert ["is_back" in document for document in visitor.aside()] == [False, True]


def test_a_document_that_has_to_be_archived_anew_is_not_listed_again(visitor: Visitor) -> None:
    """Where its body was is not known any more; that it was converted is."""
    pdf = make_answer(body=b"%PDF-1.4 one", fields=[("Content-Type", "application/pdf")])
    visitor.visit(pdf)
    assert visitor.before is not None
    visitor.before = msgspec.structs.replace(visitor.before, stored_at=0.0, payload_digest="")
    visitor.visit(pdf)
    assert (len(visitor.aside()), visitor.archive()) == (1, ["response", "response"])


def sitemap(*entries: tuple[str, str]) -> bytes:
    urls = "".join(f"<url><loc>{url}</loc><lastmod>{date}</lastmod></url>" for url, date in entries)
    return f"<urlset>{urls}</urlset>".encode()


def test_a_sitemap_that_is_read_again_tells_what_has_changed_since(visitor: Visitor) -> None:
    visitor.purpose = Purpose.SITEMAP
    body = sitemap(("http://a.example/1", "2026-09-01"), ("http://a.example/2", "2026-09-21T14:00:00Z"))
    assert visitor.visit(make_answer(body=body)).hints == [], "everything in it is new anyway"
    again = visitor.visit(make_answer(body=body + b"\n"))
    assert again.is_changed is True
    assert again.hints == [Hint("http://a.example/2", 1_789_999_200.0)]
    same = visitor.visit(make_answer(body=body + b"\n"))
    assert (same.is_changed, same.hints, same.links) == (False, [], [])
    assert visitor.archive() == ["response", "response", "identical-payload-digest"]


def test_a_feed_that_is_read_again_tells_what_has_changed_since(visitor: Visitor) -> None:
    visitor.purpose = Purpose.FEED
    body = (
        b"<rss><item><link>http://a.example/n</link><pubDate>21 Sep 2026 14:00:00 GMT</pubDate></item></rss>"
    )
    visitor.visit(make_answer(body=b"<rss/>"))
    assert visitor.visit(make_answer(body=body)).hints == [Hint("http://a.example/n", 1_789_999_200.0)]


def test_hints_can_be_left_out(visitor: Visitor) -> None:
    visitor.tools.revisit = RevisitRules(is_on=True, uses_hints=False)
    visitor.purpose = Purpose.SITEMAP
    visitor.visit(make_answer(body=sitemap()))
    body = sitemap(("http://a.example/2", "2026-09-21T14:00:00Z"))
    assert visitor.visit(make_answer(body=body)).hints == []


def test_how_long_an_answer_is_fresh_is_told_when_pages_are_visited_again(tmp_path: Path) -> None:
    """Nobody else asks."""
    fresh = answer(PAGE, ("Cache-Control", "max-age=100"))
    assert Visitor(tmp_path / "1").visit(fresh).expires_at == 1_790_000_100.25
    tools: Tools = make_tools(tmp_path / "2")
    assert take_in(Request(URL), fresh, tools).expires_at == 0.0
