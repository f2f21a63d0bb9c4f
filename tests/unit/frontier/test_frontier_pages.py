"""What another visit changes in what is known of a page."""

from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.pages import renew
from tiptoe.protocol.work import LastVisit, Request, Result

NOW = 1_000.0


def page() -> PageRecord:
    return PageRecord(
        "http://a.example/", outcome="ok", visits=1, version=1, title="T", etag='"e1"', content_hash=b"1",
        text_hash=b"t", payload_digest="sha1:A", stored_at=10.0,
    )  # fmt: skip


def renewed(outcome: str = "ok", **fields: object) -> PageRecord:
    known = page()
    request = Request(known.url, last_visit=LastVisit(1, version=1))
    renew(known, Result(request, **fields), outcome, NOW, is_there=True)  # type: ignore[arg-type]
    return known


def test_a_body_that_was_stored_is_the_one_to_refer_to_changed_or_not() -> None:
    """Else a page whose first body is nowhere would be stored at every visit."""
    known = renewed(status=200, content_hash=b"1", is_changed=False, payload_digest="sha1:B", stored_at=20.0)
    assert (known.payload_digest, known.stored_at) == ("sha1:B", 20.0)
    assert (known.title, known.text_hash, known.version) == ("T", b"t", 1)
    kept = renewed(status=200, content_hash=b"2", is_changed=False)
    assert (kept.payload_digest, kept.stored_at) == ("sha1:A", 10.0)


def test_not_modified_changes_what_its_head_says_and_nothing_else() -> None:
    """A reservation may come without any other change, and has to be remembered."""
    known = renewed(status=304, etag='"e2"', is_changed=False)
    assert (known.outcome, known.etag, known.title, known.text_hash) == ("ok", '"e2"', "T", b"t")
    assert renewed("noindex", status=304, discard="noindex", is_changed=True).outcome == "noindex"
