"""What became of a host or a page, in sentences."""

from datetime import UTC
from pathlib import Path

import pytest

from tiptoe.frontier.host import HostState
from tiptoe.frontier.patience import Trouble
from tiptoe.keeper.explanation import explanation_of
from tiptoe.keeper.phrases import REMEDIES
from tiptoe.protocol.whereabouts import HostWhereabouts, OriginWhereabouts, PageWhereabouts, Whereabouts

NOW = 1_800_000_000.0  # 08:00:00Z
HOST = "a.example"
URL = "http://a.example/x"


def told(host: HostWhereabouts | None = None, page: PageWhereabouts | None = None, **more: object) -> str:
    found = Whereabouts(now=NOW, host=host, page=page, is_running=True, **more)  # type: ignore[arg-type]
    return "\n".join(explanation_of(found, HOST, Path("czech"), UTC))


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"state": "new"}, "is to be looked up"),
        (
            {"state": "idle", "lookup_at": NOW + 60, "trouble": "no_such_host"},
            "The name a.example is looked up again at 08:01:00Z: name not found.",
        ),
        ({"state": "parked"}, "waits for its turn, and may be visited now."),
        (
            {"state": "parked", "free_at": NOW + 300, "address": "192.0.2.1"},
            "waits until 08:05:00Z, while its address 192.0.2.1 rests after a visit.",
        ),
        (
            {"state": "parked", "held_until": NOW + 60, "trouble": "overloaded", "troubles": 3},
            "waits until 08:01:00Z: 429 or 503, 3 in a row.",
        ),
        ({"state": "parked", "next_at": NOW + 5}, "until 08:00:05Z, the pause before its next request"),
        ({"state": "visited", "address": "192.0.2.1"}, "is being visited now, at 192.0.2.1."),
        ({"state": "idle"}, "Nothing is left to request from a.example."),
        ({"state": "unproductive", "rested_at": NOW + 1e6}, "frontier.min_yield = 0"),
        (
            {"state": "gone", "gone_because": "private_address", "troubled_at": NOW - 60},
            "was given up on 2027-01-15 at 07:59:00 UTC: the name points into a private network",
        ),
        (
            {"state": "gone", "gone_because": "private_address"},
            "fetch.access, fetch.allow_networks, fetch.nameservers or fetch.proxy changes",
        ),
        (
            {"state": "gone", "gone_because": "timed_out", "chance_at": NOW + 60},
            "another chance at 08:01",
        ),
        ({"state": "gone", "gone_because": "mirror", "twin": "b.example"}, "repeats another one (b.example)"),
        ({"state": "idle", "is_blocked": True}, "is blocked by the operator"),
        (
            {"state": "idle", "is_address_blocked": True, "queued": [1]},
            "What is to be requested from a.example waits until it is unblocked.",
        ),
        ({"state": "idle", "queued": [1, 2, 0, 0, 4], "aside": 5}, "3 requests in its queue, 4 pages to be"),
        (
            {"state": "idle", "deferred": 1, "deferred_at": NOW + 3600, "trouble": "overloaded"},
            "a.example asked us to wait until 09:00:00Z.\nIt has 1 request to be repeated at 09:00:00Z.",
        ),
        (
            {"state": "idle", "deferred": 2, "deferred_at": NOW + 60, "trouble": "reset"},
            "Nothing is left to request from a.example except what is to be repeated.\n"
            "It has 2 requests to be repeated, the first at 08:01:00Z.",
        ),
        ({"state": "idle", "deferred": 1}, "It has 1 request to be repeated later."),
        ({"state": "idle", "crawl_delay": 90.0}, "asks for 1 min 30 s between two requests"),
        ({"state": "idle", "requests": 3, "pages": 1}, "It was sent 3 requests and gave 1 page so far."),
    ],
)
def test_each_state_of_a_host_is_told(facts: dict[str, object], expected: str) -> None:
    assert expected in told(HostWhereabouts(host=HOST, **facts))  # type: ignore[arg-type]


def test_what_was_never_met_may_be_among_links_that_were_not_followed() -> None:
    """Once, whether host or page is asked about; of what was met, that says nothing."""
    unfollowed, said = {"zero_usability": 3}, "3 on the second page in a row"
    host = HostWhereabouts(host=HOST, state="idle")
    assert told(unfollowed=unfollowed).splitlines()[1].count(said) == 1
    assert told(page=PageWhereabouts(url=URL), unfollowed=unfollowed).count(said) == 1
    assert told(host, PageWhereabouts(url=URL), unfollowed=unfollowed).splitlines()[1].count(said) == 1
    assert said not in told(host, unfollowed=unfollowed)
    assert said not in told(host, PageWhereabouts(url=URL, is_met=True), unfollowed=unfollowed)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, f"{URL} was never found"),
        ({"is_met": True}, "was found, but is not waiting now"),
        ({"is_met": True, "is_underway": True}, "is being requested now"),
        (
            {"is_met": True, "queued_in": 1, "queued_before": 3, "via": "http://b.example/"},
            "in class 1 (0 comes first, 3 last), behind 3 others of it, found on http://b.example/.",
        ),
        ({"queued_in": 4}, "among the pages that are visited again"),
        (
            {"deferred_until": NOW + 60, "tries": 2},
            "was tried 2 times without success, and is tried again at 08:01:00Z.",
        ),
        ({"is_unread": True, "is_met": True}, "waits unread"),
        ({"is_aside": True}, "was laid aside with its host"),
        ({"outcome": "ok", "last_visit_at": NOW - 1, "is_in_corpus": True}, "is in the corpus"),
        ({"outcome": "ok", "last_visit_at": NOW, "next_visit_at": NOW + 60}, "next visit is due at 08:01"),
        ({"outcome": "redirect", "location": "http://b.example/"}, "it redirects to http://b.example/"),
        ({"outcome": "other_language"}, "in none of the languages wanted (other_language) - see text.lang"),
        ({"outcome": "http_404", "status": 404}, "(http_404)"),
        (
            {"outcome": "server_error", "status": 500},
            "500 internal server error (server_error); it was given up, and "
            f"`tiptoe crawl {URL} --add-seeds --out czech` requests it once more.",
        ),
        ({"outcome": "timed_out"}, f"no answer in time (timed_out) - {REMEDIES['timed_out']}; it was given"),
        ({"outcome": "disallowed", "robots_line": "Disallow: /x"}, "`Disallow: /x`"),
        ({"outcome": "downlist"}, "others have downloaded it"),
        ({"outcome": "stored_aside"}, "kept for `tiptoe convert` (stored_aside)."),
        (
            {"outcome": "stored_aside", "document_type": "application/pdf", "document_fate": "waiting"},
            "it is a PDF document, and waits for `tiptoe convert czech` (stored_aside).",
        ),
        (
            {"outcome": "stored_aside", "document_type": "application/pdf", "document_fate": "converted"},
            "it is a PDF document; it was converted, and its text stands in the corpus.",
        ),
        (
            {"outcome": "stored_aside", "document_type": "text/x", "document_fate": "textless"},
            "it is a document (text/x); `tiptoe convert` has read it, and no text of it entered the corpus.",
        ),
    ],
)
def test_each_place_of_a_page_is_told(facts: dict[str, object], expected: str) -> None:
    page = PageWhereabouts(url=URL, **facts)  # type: ignore[arg-type]
    assert expected in told(HostWhereabouts(host=HOST, state="idle"), page)


def test_a_page_that_was_given_up_with_its_host_comes_back_with_it() -> None:
    """To name the page would bring both; the story of the host says what else does."""
    page = PageWhereabouts(url=URL, is_met=True, outcome="server_error", status=500)
    said = told(HostWhereabouts(host=HOST, state="gone", gone_because="server_error"), page)
    assert "--add-seeds" not in said
    assert "the same command" not in said
    assert "or when it is named as a seed again" in said


def test_what_is_over_is_told_with_its_day() -> None:
    """Stories of a crawl are read the morning after, and years later."""
    page = PageWhereabouts(url=URL, outcome="ok", last_visit_at=NOW - 60)
    said = told(HostWhereabouts(host=HOST, state="idle", requests=1, left_at=NOW - 1), page)
    assert "was requested on 2027-01-15 at 07:59:00 UTC: received" in said
    assert "the last visit ended on 2027-01-15 at 07:59:59 UTC." in said


def test_a_host_that_nobody_knows_is_told_so() -> None:
    """Links that the bounds of a crawl leave out are not remembered: one may well have led there."""
    assert told() == (
        "a.example is not known here: no seed is on it, and no link that was followed leads there."
    )


@pytest.mark.parametrize(
    ("wish", "page", "expected"),
    [
        (
            URL,
            PageWhereabouts(url=URL, is_met=True),
            f"{URL} was forgotten on 2027-01-15, and is never requested",
        ),
        (HOST, None, f"{HOST} was forgotten on 2027-01-15, and is never requested"),
        (
            HOST,
            PageWhereabouts(url=URL),
            f"{URL} was forgotten on 2027-01-15 with {HOST}, and is never requested",
        ),
    ],
)
def test_of_what_was_forgotten_only_that_is_told(
    wish: str, page: PageWhereabouts | None, expected: str
) -> None:
    """What the tables still know of it, or no longer know, explains nothing."""
    said = told(None, page, forgotten_as=wish, forgotten_at=NOW)
    assert said == f"{expected}; `tiptoe forget --list czech` tells more."


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, "(http_404) - check the spelling of the seed."),
        ({"depth": 2}, "(http_404)."),
        ({"depth": 2, "via": "http://b.example/"}, "(http_404) - the link is on http://b.example/."),
    ],
)
def test_only_a_seed_that_is_not_found_may_be_misspelt(facts: dict[str, object], expected: str) -> None:
    page = PageWhereabouts(url=URL, outcome="http_404", status=404, **facts)  # type: ignore[arg-type]
    assert expected in told(HostWhereabouts(host=HOST, state="idle"), page)


def test_a_crawl_that_is_paused_says_so_whatever_the_host_waits_for() -> None:
    said = told(HostWhereabouts(host=HOST, state="parked"), holds=["operator"])
    assert "paused by the operator; `tiptoe resume`" in said


def test_rules_that_cannot_be_had_are_told_by_origin() -> None:
    shut = OriginWhereabouts(origin="http://a.example", shut_until=NOW + 60)
    read = OriginWhereabouts(origin="https://a.example", fetched_at=NOW - 60, rules=1)
    said = told(HostWhereabouts(host=HOST, state="parked", origins=[shut, read]))
    assert (
        "robots.txt of http://a.example cannot be fetched; nothing is requested there before 08:01:00Z."
        in said
    )
    assert "robots.txt of https://a.example, read on 2027-01-15 at 07:59:00 UTC, has 1 rule for us." in said


@pytest.mark.parametrize("state", HostState)
@pytest.mark.parametrize("trouble", ["", *Trouble])
def test_whatever_the_tables_say_there_are_words_for_it(state: HostState, trouble: Trouble | str) -> None:
    reason = trouble.value if isinstance(trouble, Trouble) else trouble
    assert told(HostWhereabouts(host=HOST, state=state.value, gone_because=reason, trouble=reason))
