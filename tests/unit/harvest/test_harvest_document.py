"""What an answer holds, as far as its owner lets us read it."""

import gzip

import pytest
from harvest_samples import HTML, PAGE, make_answer
from msgspec.structs import replace

from tiptoe.convert.kinds import DocumentKind
from tiptoe.decide.discard import Discard
from tiptoe.decide.parsing import parse_point
from tiptoe.decide.storing import store_point
from tiptoe.fetch.outcome import Answer
from tiptoe.harvest.document import Reading, read_document, read_refusal
from tiptoe.harvest.mediatype import media_type
from tiptoe.protocol.work import RobotsNote, RobotsState


def read(answer: Answer, rules: RobotsNote | None = None, *, tdm: bool = True) -> Reading:
    store = store_point(respects_tdm=tdm)
    return read_document(answer, rules, agent="tiptoe", decoded_max=1 << 20, parse=parse_point(), store=store)


def html(text: str) -> Answer:
    return make_answer(body=text.encode())


def test_a_page_gives_title_language_paragraphs_and_links() -> None:
    """This is what the corpus is made of."""
    reading = read(make_answer())
    assert (reading.title, reading.language, reading.charset) == ("Titul", "cs", "utf-8")
    assert reading.paragraphs == ["Prvni odstavec.", "Druhy odkaz."]
    assert reading.hrefs == ["/x"]
    assert reading.discard is None
    assert reading.text_chars == len("Prvni odstavec.Druhy odkaz.")


@pytest.mark.parametrize(
    ("charset", "field"),
    [
        ("windows-1250", "text/html; charset=windows-1250"),
        ("iso-8859-2", 'Text/HTML;Charset="ISO-8859-2"'),
        ("utf-8", "text/html"),
    ],
)
def test_czech_text_arrives_in_any_charset(charset: str, field: str) -> None:
    """Half of the old Czech web is not UTF-8 (TXT-2)."""
    text = "Příliš žluťoučký kůň úpěl ďábelské ódy."
    body = f"<html><body><p>{text}</p></body></html>".encode(charset)
    reading = read(make_answer(body=body, fields=[("Content-Type", field)]))
    assert reading.paragraphs == [text]
    assert reading.charset == charset


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_a_page_in_utf16_is_read_whatever_its_label_forgets(codec: str) -> None:
    text = "Příliš žluťoučký kůň úpěl ďábelské ódy."
    fields = [("Content-Type", "text/html; charset=utf-16")]
    assert read(make_answer(body=f"<p>{text}</p>".encode(codec), fields=fields)).paragraphs == [text]


@pytest.mark.parametrize(
    "body",
    [
        bytes(range(256)) * 40,
        b"<p>" + b"a\x00b\x00\x00c\x01" * 200,
        b"<p>" + "".join(map(chr, range(0xE000, 0xE800))).encode(),
        b"<p>" + ("\u0378\u0379\u0380" * 40 + "abc" * 40).encode(),
    ],
    ids=["all bytes", "NUL characters", "private characters", "unassigned characters"],
)
def test_what_is_visibly_no_text_does_not_enter_the_corpus(body: bytes) -> None:
    """Better no text than what a wrong encoding makes of one."""
    assert read(make_answer(body=body)).discard is Discard.NOT_HTML


def test_icons_do_no_harm_to_a_page() -> None:
    """Fonts of icons use private characters, mostly in menus."""
    page = "<ul><li>\ue001 Home<li>\ue002 News</ul><p>A page like any other, with a sentence or two of text."
    assert read(html(page)).discard is None


@pytest.mark.parametrize(
    "answer",
    [
        html("<meta name=robots content=noindex><p>text <a href=/x>x</a>"),
        html("<meta name=tiptoe content='none'><p>text"),
        make_answer(fields=[*HTML, ("X-Robots-Tag", "noindex")]),
        make_answer(fields=[*HTML, ("X-Robots-Tag", "other: nofollow"), ("X-Robots-Tag", "tiptoe: noindex")]),
    ],
)
def test_noindex_keeps_a_page_out_of_the_corpus(answer: Answer) -> None:
    """Wherever it is said, for everybody or for us (POL-6)."""
    assert read(answer).discard is Discard.NOINDEX


def test_noindex_does_not_hide_the_links() -> None:
    """Only nofollow does."""
    assert read(html("<meta name=robots content=noindex><p>a <a href=/x>x</a>")).hrefs == ["/x"]


def test_nofollow_hides_the_links_of_a_page_or_one_of_them() -> None:
    """And the text is kept (POL-6)."""
    page = read(html("<meta name=robots content=nofollow><p>a <a href=/x>x</a>"))
    assert (page.hrefs, page.feeds, page.discard) == ([], [], None)
    one = read(html("<p>a <a href=/x rel='nofollow'>x</a> <a href=/y>y</a>"))
    assert one.hrefs == ["/y"]


def test_reserved_rights_keep_a_page_out_of_the_corpus() -> None:
    """Said in a header, in the page, or in the site's file (TDMRep)."""
    by_file = RobotsNote(RobotsState.RULES, tdm=[("/", True)])
    by_header = make_answer(fields=[*HTML, ("tdm-reservation", "1")])
    by_meta = html("<meta name=tdm-reservation content=1><p>text")
    assert read(by_header).discard is Discard.TDM_RESERVED
    assert read(by_meta).discard is Discard.TDM_RESERVED
    assert read(make_answer(), by_file).discard is Discard.TDM_RESERVED
    assert read(by_header, tdm=False).discard is None


def test_the_word_nearest_to_the_page_counts() -> None:
    """A page may free what its site reserves."""
    by_file = RobotsNote(RobotsState.RULES, tdm=[("/", True)])
    free = html("<meta name=tdm-reservation content=0><p>text")
    assert read(free, by_file).discard is None


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "text/plain", "application/json"])
def test_what_is_not_html_goes_no_further(kind: str) -> None:
    """Other documents have their own way."""
    assert read(make_answer(fields=[("Content-Type", kind)])).discard is Discard.NOT_HTML


@pytest.mark.parametrize(
    ("body", "declared", "kind"),
    [
        (b"%PDF-1.4 ...", "application/pdf", DocumentKind.PDF),
        (b"%PDF-1.4 ...", "text/html", DocumentKind.PDF),
        (b"{\\rtf1 text}", "application/octet-stream", DocumentKind.RTF),
        (b"plain text", "text/plain; charset=iso-8859-2", DocumentKind.TXT),
    ],
)
def test_documents_are_stored_aside(body: bytes, declared: str, kind: DocumentKind) -> None:
    """What a server says of them is often wrong."""
    reading = read(make_answer(body=body, fields=[("Content-Type", declared), ("Content-Language", "cs")]))
    assert (reading.discard, reading.kind) == (Discard.STORED_ASIDE, kind)
    assert (reading.language, reading.is_nofollow) == ("cs", False)
    assert reading.charset == ("iso-8859-2" if kind is DocumentKind.TXT else "")


def test_a_document_is_recognised_through_its_content_coding() -> None:
    """Texts are often sent compressed."""
    fields = [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")]
    assert read(make_answer(body=gzip.compress(b"plain text"), fields=fields)).kind is DocumentKind.TXT


def test_owners_of_documents_are_obeyed() -> None:
    """A PDF has no meta element; its header counts as one."""

    def stored(*fields: tuple[str, str]) -> Reading:
        return read(make_answer(body=b"%PDF-1.4", fields=[("Content-Type", "application/pdf"), *fields]))

    assert stored(("X-Robots-Tag", "noindex")).discard is Discard.NOINDEX
    assert stored(("X-Robots-Tag", "nofollow")).is_nofollow
    assert stored(("TDM-Reservation", "1")).discard is Discard.TDM_RESERVED


def test_an_answer_without_a_type_is_judged_by_its_first_bytes() -> None:
    """Some old servers say nothing."""
    assert media_type(make_answer(body=b"\n <!DOCTYPE html><p>x", fields=())) == "text/html"
    assert media_type(make_answer(body=b"%PDF-1.4", fields=())) == ""
    assert read(make_answer(body=b"<html><p>text", fields=())).paragraphs == ["text"]


def test_compressed_pages_are_read() -> None:
    """Most of the web is."""
    fields = [*HTML, ("Content-Encoding", "gzip")]
    assert read(make_answer(body=gzip.compress(PAGE), fields=fields)).title == "Titul"


def test_a_broken_stream_gives_what_can_be_had_of_it() -> None:
    """A page cut in the middle still has its first half; one broken from the start has nothing."""
    fields = [*HTML, ("Content-Encoding", "gzip")]
    long_page = PAGE.replace(b"</body>", b"".join(b"<p>Odstavec %d." % n for n in range(5000)))
    cut = read(make_answer(body=gzip.compress(long_page)[:9000], fields=fields))
    assert (cut.title, cut.discard) == ("Titul", None)
    broken = read(make_answer(body=b"\x1f\x8b\x08garbage", fields=fields))
    assert broken.discard is Discard.UNREADABLE


def test_a_page_without_text_has_nothing_for_the_corpus() -> None:
    """Its links are followed all the same."""
    reading = read(html("<script>var x</script><a href=/x></a>"))
    assert (reading.discard, reading.hrefs, reading.text_hash) == (Discard.NO_TEXT, ["/x"], b"")


def test_the_same_text_has_the_same_hash_whatever_the_markup() -> None:
    """Mirrors change their headers, not their text."""
    first, second = read(html("<p>one<p>two")), read(html("<div>one</div><b>two</b><script>1</script>"))
    assert first.text_hash == second.text_hash != read(html("<p>one<p>three")).text_hash


WALL = b"<title>Just a moment...</title><h1>Wait</h1><a href=/x>x</a>"


def test_a_challenge_is_no_page_whatever_its_status() -> None:
    """Neither its text nor its links are the site's."""
    for reading in (read(html(WALL.decode())), read_refusal(make_answer(body=WALL, status=403))):
        assert (reading.discard, reading.paragraphs, reading.hrefs) == (Discard.CHALLENGE, [], [])
    named = make_answer(fields=[*HTML, ("cf-mitigated", "challenge")])
    assert read(named).discard is Discard.CHALLENGE


def test_a_packed_challenge_is_recognised() -> None:
    packed = make_answer(body=gzip.compress(WALL), status=503, fields=[*HTML, ("Content-Encoding", "gzip")])
    assert read_refusal(packed).discard is Discard.CHALLENGE


@pytest.mark.parametrize("status", [403, 404, 429, 500, 503])
def test_an_ordinary_refusal_is_no_challenge(status: int) -> None:
    assert read_refusal(make_answer(body=b"<title>Forbidden</title>", status=status)).discard is None


def test_a_page_that_says_not_found_is_treated_like_one_that_is_not() -> None:
    reading = read(html("<title>404 Not Found</title><p>Sorry. <a href=/x>x</a>"))
    assert (reading.discard, reading.paragraphs, reading.hrefs) == (Discard.SOFT_404, [], [])


def test_what_of_a_page_went_no_further_is_counted() -> None:
    """A cut body, a broken stream, links that lead to no page (each drop has a reason)."""
    packed = [*HTML, ("Content-Encoding", "gzip")]
    long_page = PAGE + b"".join(b"<p>Odstavec %d." % n for n in range(5000))
    assert read(make_answer(body=gzip.compress(long_page)[:9000], fields=packed)).losses == {
        "coding_broken": 1
    }
    big = gzip.compress(PAGE + b"<p>x</p>" * 200_000)
    assert read(make_answer(body=big, fields=packed)).losses == {"body_cut": 1, "page_cut": 1}
    assert read(html("<p>x</p>" * 70_000)).losses == {"page_cut": 1}
    cut = replace(make_answer(), truncated="time")
    assert read(cut).losses == {"body_cut": 1}
    assert read(html("<p>a <a href='javascript:x'>x</a> <a href='#y'>y</a>")).losses == {"no_page": 1}
    links = "<p>a <a href=/1 rel=nofollow>x</a> <a href=/2>y</a> <a href=/3>z</a>"
    assert read(html(links)).losses == {"unfollowed": 1}
    assert read(html("<meta name=robots content=nofollow>" + links)).losses == {"unfollowed": 3}
    assert read(make_answer()).losses == {}
