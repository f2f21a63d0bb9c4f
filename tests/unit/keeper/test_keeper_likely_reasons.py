"""Why a crawl has brought nothing, most likely."""

import re
from pathlib import Path

import pytest

from tiptoe.cli.main import app
from tiptoe.frontier.counters import Totals
from tiptoe.frontier.patience import Trouble
from tiptoe.keeper.likely_reasons import (
    EMPTY_HANDED,
    READ_ANEW,
    TEXTLESS,
    is_textless,
    likely_reason,
    read_anew,
)
from tiptoe.observe.meanings import in_plain_words


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"out_of_scope": 3}, "the bounds of the crawl leave out the seeds (`tiptoe scope explain`"),
        ({"no_such_host": 2, "timed_out": 1}, "do not exist (check the spelling, and fetch.nameservers)"),
        ({"private_address": 1}, "private network (if it is your own, allow it, as in --set fetch.allow_net"),
        ({"disallowed": 5, "http_404": 1}, "robots.txt keeps this robot out"),
        ({"http_404": 1, "disallowed": 1}, "robots.txt keeps this robot out"),
        ({"http_403": 1}, "the sites do not want this robot"),
        ({"refused": 1, "robots_unreachable": 1}, "refuse the connection (check the port"),
        ({"disallowed": 1, "forgotten": 1}, "was removed with `tiptoe forget`"),
    ],
)
def test_what_stands_behind_most_of_it_is_named(counts: dict[str, int], expected: str) -> None:
    assert expected in likely_reason(EMPTY_HANDED, counts)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"other_language": 9, "ok": 1}, "in other languages than those wanted (see text.languages)"),
        ({"no_text": 2}, "the pages have no text"),
        ({"too_short": 2}, "too short (see text.min_chars)"),
        ({"tdm_reserved": 2}, "reserved against text and data mining (see text.respect_tdm)"),
    ],
)
def test_pages_without_text_have_reasons_of_their_own(counts: dict[str, int], expected: str) -> None:
    assert expected in likely_reason(TEXTLESS, counts)


def test_counts_of_several_kinds_are_added() -> None:
    said = likely_reason(EMPTY_HANDED, {"refused": 1, "disallowed": 2}, {"refused": 2})
    assert "refuse the connection" in said


def test_nothing_is_guessed_where_nothing_was_counted() -> None:
    assert likely_reason(EMPTY_HANDED, {}, {"ok": 3}) == ""


def test_every_reason_is_one_that_is_counted() -> None:
    """A name that nobody counts would never be told."""
    names = {*EMPTY_HANDED, *TEXTLESS}
    troubles = {trouble.value for trouble in Trouble}
    assert all(in_plain_words(name) or name in troubles for name in names)
    assert all(re.fullmatch("[a-z0-9_]+", name) for name in names)


@pytest.mark.parametrize("reasons", [EMPTY_HANDED, TEXTLESS])
def test_what_would_change_it_does_not_say_the_reason_again(reasons: dict[str, str]) -> None:
    """A sentence that says the same twice sounds as if nobody had read it."""
    for name in reasons:
        said, _, remedy = likely_reason(reasons, {name: 1}).partition(" (")
        repeated = _long_words(said) & _long_words(remedy)
        assert len(repeated) < 3, f"{said} ({remedy}"


def _long_words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z.]+", text) if len(word) > 3}


def test_what_came_without_text_is_read_anew_where_a_setting_kept_it_out() -> None:
    """With an option that the command has; the owner of a page is not argued with."""
    said = read_anew(Path("my crawl"), {"too_short": 2, "noindex": 1})
    assert said.startswith("`tiptoe read 'my crawl' --out 'my crawl-anew' --min-chars default` makes")
    assert read_anew(Path("czech"), {"noindex": 2, "tdm_reserved": 1}) == ""
    for options in READ_ANEW.values():
        app.parse_args(f"read czech --out anew {options}".split(), print_error=False, exit_on_error=False)


def test_documents_that_wait_to_be_read_are_text() -> None:
    assert is_textless(Totals(pages=2))
    assert not is_textless(Totals(pages=2, documents=1))
    assert not is_textless(Totals(pages=2, outcomes={"stored_aside": 1}))
    assert not is_textless(Totals())
