"""The same text again, under another address of the host."""

import pytest
from rehearsal import Rehearsal

from tiptoe.decide.discard import Discard
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.repetition import FOLLOWED_MAX, IN_CORPUS, TEXTS_MAX, count_repeats, remember_text
from tiptoe.protocol.work import LastVisit, Request, Result
from tiptoe.store.memory import MemoryStore

TEXT = b"12345678"


def url(number: int) -> str:
    return f"http://a.example/{number}"


def met(texts: bytes, number: int, text: bytes = TEXT, *, discard: str = "") -> tuple[int, bytes]:
    """Meet a text under an address; return how many others had it, and what is remembered then."""
    return count_repeats(texts, text, url(number)), remember_text(texts, Request(url(number)), text, discard)


def counts(*numbers: int) -> list[int]:
    """Return how many other addresses had the text before each of these."""
    found, texts = [], b""
    for number in numbers:
        count, texts = met(texts, number)
        found.append(count)
    return found


def test_addresses_with_the_same_text_are_counted() -> None:
    """Whoever answers nonsense with one page answers all of it with that page."""
    assert counts(*range(5)) == [0, 1, 2, 3, 4]


def test_the_count_ends_where_it_no_longer_matters() -> None:
    assert counts(*range(100)) == [*range(FOLLOWED_MAX), *[FOLLOWED_MAX] * (100 - FOLLOWED_MAX)]


def test_a_page_asked_for_again_does_not_repeat_itself() -> None:
    """Its harvester may have died before it was settled."""
    assert counts(1, 1, 1, 2, 2, 1) == [0, 0, 0, 1, 1, 0]


def test_texts_are_kept_apart() -> None:
    _, texts = met(b"", 1)
    assert met(texts, 3, b"87654321")[0] == 0


def test_memory_is_bounded_and_what_is_met_again_stays() -> None:
    """The text that was met longest ago is forgotten."""
    _, texts = met(b"", 0)
    for number in range(1, 10 * TEXTS_MAX):
        _, texts = met(texts, number, b"text%04d" % number)
        if number % (TEXTS_MAX // 2) == 0:
            _, texts = met(texts, -number)
    assert count_repeats(texts, TEXT, url(-1)) == FOLLOWED_MAX
    assert count_repeats(texts, b"text0001", url(-1)) == 0
    assert len(texts) <= TEXTS_MAX * 17


@pytest.mark.parametrize("discard", Discard)
def test_only_what_stands_in_the_corpus_is_remembered(discard: Discard) -> None:
    """A text that is reserved everywhere but under one address would be left out there for nothing."""
    _, texts = met(b"", 1, discard=discard.value)
    assert bool(texts) == (discard in (Discard.DUPLICATE, Discard.REPEATED_TEXT))
    assert {discard.value for discard in Discard} > IN_CORPUS - {""}


def test_a_page_that_says_the_same_at_every_visit_is_counted_once() -> None:
    _, texts = met(b"", 1)
    again = Request(url(7), last_visit=LastVisit(1, version=1, text_hash=TEXT))
    assert remember_text(texts, again, TEXT, "") == texts
    changed = Request(url(7), last_visit=LastVisit(1, version=1, text_hash=b"other___"))
    assert count_repeats(remember_text(texts, changed, TEXT, ""), TEXT, url(8)) == 2


def test_pages_without_text_leave_everything_as_it_is() -> None:
    assert remember_text(b"", Request(url(1)), b"", "") == b""


def test_the_texts_of_a_host_travel_with_its_visits_and_survive_a_restart() -> None:
    """A harvester has no memory of its own, and there may be several."""
    store = MemoryStore()
    run = Rehearsal(
        {}, {"a.example": "192.0.2.1"}, store=store,
        answer=lambda request, now: Result(request, status=200, text_hash=TEXT, text_chars=10),
    )  # fmt: skip
    run.run([url(1), url(2)])
    frontier, now = Frontier(store, FrontierPolicy()), run.now + 10_000.0
    frontier.recover(now)
    frontier.add([Request(url(3))], now)
    frontier.tick(now)
    (visit,) = frontier.visits(1, "h2", now)
    (work,) = visit.hosts
    assert [count_repeats(work.texts, TEXT, url(number)) for number in (1, 2, 3)] == [0, 1, 2]
