"""INC-4, INC-5: what an answer says of a page that we know."""

from typing import Any

import pytest
from harvest_samples import make_answer, make_failure

from tiptoe.decide.discard import Discard
from tiptoe.fetch.outcome import Failure
from tiptoe.harvest.document import Reading
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.page_change import (
    ChangedBy,
    conditions,
    expires_at,
    has_left,
    is_changed,
    is_not_modified,
    profile_of,
)
from tiptoe.protocol.work import LastVisit, Request
from tiptoe.write.record import sha1_label
from tiptoe.write.revisit_records import Profile

URL = "http://a.example/"
NOW = 1_790_000_000.0
BEFORE = LastVisit(
    visits=1, visited_at=NOW - 86_400, version=1, etag='"e1"', last_modified="Tue, 01 Sep 2026 10:00:00 GMT",
    content_hash=b"bytes__1", text_hash=b"text___1", payload_digest="sha1:X", stored_at=NOW - 86_401,
    outcome="ok",
)  # fmt: skip


def last_visit(**changes: object) -> LastVisit:
    """Return what is known of a page that is in the corpus, with some changes."""
    fields = {name: getattr(BEFORE, name) for name in BEFORE.__struct_fields__}
    return LastVisit(**(fields | changes))


def result(
    before: LastVisit | None = BEFORE, *, status: int = 200, failure: str = "", discard: str = "",
    redirect: str = "", content_hash: bytes = b"bytes__1", text_hash: bytes = b"text___1",
    is_changed: bool | None = None,
) -> Draft:  # fmt: skip
    """Return what came of visiting it again; the same, unless told otherwise."""
    answer = make_failure(URL, Failure(failure)) if failure else make_answer(status=status)
    reading = Reading(discard=Discard(discard) if discard else None, redirect=redirect)
    return Draft(
        Request(URL, last_visit=before), answer if status or failure else None, reading,
        content_hash=content_hash, text_hash=text_hash, is_changed=is_changed,
    )  # fmt: skip


def test_a_server_is_asked_whether_anything_has_changed() -> None:
    assert conditions(BEFORE) == [
        ("If-None-Match", '"e1"'),
        ("If-Modified-Since", "Tue, 01 Sep 2026 10:00:00 GMT"),
    ]


@pytest.mark.parametrize("outcome", ["http_404", "redirect", "noindex", "disallowed", "soft_404"])
def test_a_page_that_had_left_is_asked_for_without_conditions(outcome: str) -> None:
    """When it comes back its text is needed, and a 304 has none."""
    assert conditions(last_visit(outcome=outcome)) == []
    assert not is_not_modified(last_visit(outcome=outcome), 304)
    assert is_changed(result(last_visit(outcome=outcome), status=304), ChangedBy.TEXT) is None


@pytest.mark.parametrize("outcome", ["ok", "no_text", "too_short", "no_main_text", "stored_aside"])
def test_a_page_without_text_is_asked_for_under_conditions(outcome: str) -> None:
    """As long as it says the same, nothing of it is missed."""
    assert len(conditions(last_visit(version=0, outcome=outcome))) == 2
    assert is_not_modified(last_visit(version=0, outcome=outcome), 304)


@pytest.mark.parametrize(
    "outcome",
    ["noindex", "tdm_reserved", "disallowed", "other_language", "duplicate", "repeated_text", "not_html",
     "redirect"],
)  # fmt: skip
def test_a_page_kept_out_by_more_than_its_text_is_asked_for_without_conditions(outcome: str) -> None:
    """A server that lifts `noindex` need not change the page: by 304 we would never get it."""
    kept_out = last_visit(version=0, outcome=outcome)
    assert conditions(kept_out) == []
    assert not is_not_modified(kept_out, 304)
    assert is_changed(result(kept_out), ChangedBy.TEXT) is True, "its first text, also with the same bytes"


@pytest.mark.parametrize("change", ChangedBy)
def test_not_modified_and_the_same_bytes_are_no_change(change: ChangedBy) -> None:
    assert is_changed(result(status=304, text_hash=b""), change) is False
    assert is_changed(result(), change) is False


@pytest.mark.parametrize(
    ("change", "expected"), [(ChangedBy.BYTES, True), (ChangedBy.TEXT, False), (ChangedBy.DUPLICITY, False)]
)
def test_other_bytes_with_the_same_text_are_a_change_if_bytes_count(
    change: ChangedBy, expected: bool
) -> None:
    """A counter in the markup is none of the corpus's business."""
    assert is_changed(result(content_hash=b"bytes__2"), change) is expected


@pytest.mark.parametrize("change", ChangedBy)
def test_another_text_is_a_change(change: ChangedBy) -> None:
    """As far as hashes tell: of duplicity the keeper knows more."""
    assert is_changed(result(content_hash=b"bytes__2", text_hash=b"text___2"), change) is True


def test_of_what_has_no_text_the_bytes_decide() -> None:
    """Documents, sitemaps and feeds."""
    before = last_visit(version=0, text_hash=b"", outcome="stored_aside")
    same = result(before, text_hash=b"", discard="stored_aside")
    other = result(before, text_hash=b"", discard="stored_aside", content_hash=b"bytes__2")
    assert is_changed(same, ChangedBy.DUPLICITY) is False
    assert is_changed(other, ChangedBy.DUPLICITY) is True


def test_a_first_visit_and_a_trouble_tell_nothing() -> None:
    """A strategy must not learn from a server that was down."""
    assert is_changed(result(None), ChangedBy.TEXT) is None
    assert is_changed(result(status=503), ChangedBy.TEXT) is None
    assert is_changed(result(status=0, failure="reset"), ChangedBy.TEXT) is None
    assert is_changed(result(status=403, discard="challenge"), ChangedBy.TEXT) is None


def test_a_redirect_changes_when_it_leads_elsewhere() -> None:
    moved = result(status=301, redirect="http://a.example/b", content_hash=b"target_1")
    assert is_changed(moved, ChangedBy.TEXT) is True
    before = last_visit(outcome="redirect", content_hash=b"target_1")
    still = result(before, status=301, redirect="http://a.example/b", content_hash=b"target_1")
    assert is_changed(still, ChangedBy.TEXT) is False


def test_a_page_that_is_gone_has_changed_once() -> None:
    """Error pages with the time of day in them are no news."""
    assert is_changed(result(status=404), ChangedBy.TEXT) is True
    again = result(last_visit(outcome="http_404"), status=404, content_hash=b"bytes__3")
    assert is_changed(again, ChangedBy.TEXT) is False


@pytest.mark.parametrize("outcome", ["http_404", "redirect", "noindex", "other_language"])
def test_a_page_that_comes_back_has_changed_whatever_it_says(outcome: str) -> None:
    """Else a mirror of now would do without it for good."""
    assert is_changed(result(last_visit(outcome=outcome)), ChangedBy.TEXT) is True


@pytest.mark.parametrize(
    "fields",
    [
        {"status": 404}, {"status": 410}, {"status": 451}, {"status": 403}, {"discard": "noindex"},
        {"discard": "tdm_reserved"}, {"discard": "disallowed", "status": 0}, {"discard": "soft_404"},
        {"discard": "no_text"}, {"status": 301, "redirect": "http://a.example/b"},
        {"status": 304, "discard": "noindex"},
    ],
    ids=str,
)  # fmt: skip
def test_a_page_has_left_when_its_text_is_no_longer_there(fields: dict[str, Any]) -> None:
    """Not found, moved, forbidden, or not for us: the corpus says what the web no longer does."""
    assert has_left(result(**fields))
    assert not has_left(result(last_visit(version=0), **fields)), "it never was there"
    assert not has_left(result(last_visit(outcome="http_404"), **fields)), "it had left before"


@pytest.mark.parametrize(
    "fields",
    [
        {}, {"status": 304}, {"status": 503}, {"status": 429}, {"failure": "reset", "status": 0},
        {"discard": "challenge"}, {"discard": "unreadable"}, {"discard": "stored_aside"},
    ],
    ids=str,
)  # fmt: skip
def test_a_page_has_not_left_when_nobody_can_say(fields: dict[str, Any]) -> None:
    """A server in trouble takes nothing back."""
    assert not has_left(result(**fields))


DOCUMENT = last_visit(version=0, text_hash=b"", outcome="stored_aside")


@pytest.mark.parametrize(
    "fields",
    [{"status": 404}, {"status": 301, "redirect": "http://a.example/b", "content_hash": b"target_1"},
     {"discard": "noindex"}],
    ids=str,
)  # fmt: skip
def test_a_document_has_left_when_it_is_no_longer_there(fields: dict[str, Any]) -> None:
    """Its text came later, by another way: nobody here knows that it stands in the corpus."""
    assert has_left(result(DOCUMENT, text_hash=b"", **fields))
    assert is_changed(result(DOCUMENT, text_hash=b"", **fields), ChangedBy.TEXT) is True


@pytest.mark.parametrize(
    "fields",
    [{"discard": "stored_aside"}, {"status": 304}, {"status": 503}, {"discard": "not_html"}, {}],
    ids=str,
)  # fmt: skip
def test_a_document_has_not_left_when_it_is_there_or_nobody_can_say(fields: dict[str, Any]) -> None:
    """Also when the operator wants no more documents."""
    assert not has_left(result(DOCUMENT, **fields))


def test_a_document_that_comes_back_has_changed_whatever_it_says() -> None:
    """Else a mirror of now would do without it for good."""
    gone = last_visit(version=0, text_hash=b"", outcome="http_404")
    again = result(gone, text_hash=b"", discard="stored_aside")
    other = result(gone, text_hash=b"", discard="stored_aside", content_hash=b"bytes__2")
    assert is_changed(again, ChangedBy.DUPLICITY) is is_changed(other, ChangedBy.DUPLICITY) is True
    assert not is_changed(result(DOCUMENT, text_hash=b"", discard="stored_aside"), ChangedBy.DUPLICITY)


def test_a_visit_without_news_is_archived_as_what_it_was() -> None:
    body = b"<p>x"
    known = last_visit(payload_digest=sha1_label(body))
    answer = make_answer(body=body)
    unmodified = result(status=304, is_changed=False)
    assert profile_of(unmodified, make_answer(body=b"", status=304)) is Profile.NOT_MODIFIED
    assert profile_of(result(known, is_changed=False), answer) is Profile.SAME_PAYLOAD
    assert profile_of(result(is_changed=False), answer) is Profile.UNCHANGED_TEXT
    assert profile_of(result(known, is_changed=True), answer) is None


def test_what_cannot_be_found_elsewhere_is_kept_as_it_came() -> None:
    """Else a page whose first answer was not archived would never be."""
    before = last_visit(stored_at=0.0, payload_digest="")
    assert profile_of(result(before, is_changed=False), make_answer()) is None
    assert profile_of(result(is_changed=False), make_answer(body=b"")) is None
    assert profile_of(result(is_changed=False, status=404), make_answer(status=404)) is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"Cache-Control": "public, max-age=60"}, 60.25),
        ({"Cache-Control": "MAX-AGE=60, s-maxage=7"}, 60.25),
        ({"Cache-Control": "s-maxage=7"}, 0.0),
        ({"Cache-Control": "max-age=99999999999999"}, 365 * 86_400.0 + 0.25),
        ({"Cache-Control": "max-age=0"}, 0.0),
        ({"Cache-Control": "no-cache, max-age=60"}, 0.0),
        ({"Cache-Control": "max-age=-5"}, 0.0),
        ({"Expires": "Mon, 21 Sep 2026 15:13:20 GMT"}, 3_600.0),
        ({"Cache-Control": "max-age=60", "Expires": "Mon, 21 Sep 2026 15:13:20 GMT"}, 60.25),
        ({"Expires": "Mon, 21 Sep 2020 15:13:20 GMT"}, 0.0),
        ({"Expires": "Mon, 21 Sep 2099 15:13:20 GMT"}, 365 * 86_400.0 + 0.25),
        ({"Expires": "-1"}, 0.0),
        ({"Expires": "x" * 10_000}, 0.0),
        ({}, 0.0),
    ],
    ids=str,
)
def test_an_answer_is_fresh_as_long_as_its_server_says(fields: dict[str, str], expected: float) -> None:
    """Within a year; what it says is text from the web."""
    found = expires_at(make_answer(fields=list(fields.items())))
    assert (found - NOW if found else 0.0) == pytest.approx(expected)
