"""A database that is stopped anywhere loses what is to be forgotten, and agrees with itself afterwards."""

import random

import msgspec
import pytest
from rehearsal import Rehearsal

from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.erasing import erase, known_of, meant_by
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.wishes import NotedWish, note_wish
from tiptoe.protocol.work import Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.wish import read_wish

HOSTS = [f"h{number}.example" for number in range(5)]
ADDRESSES = {host: f"192.0.2.{number // 2}" for number, host in enumerate(HOSTS)}
POLICY = FrontierPolicy(
    politeness=Politeness(req_delay=1.0, max_hosts=2, max_reqs=4, general_pause=5.0),
    revisit=RevisitPolicy(strategy="uniform", first_seconds=60.0, min_seconds=30.0),
    sieve_row_urls=8,
)


class RandomWeb:
    """A web whose pages link to each other at random, and now and then fail."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def url(self) -> str:
        folder = self._random.choice(["", "private/"])
        return f"http://{self._random.choice(HOSTS)}/{folder}{self._random.randrange(40)}"

    def answer(self, request: Request, now: float) -> Result:
        if self._random.random() < 0.15:
            return Result(request, status=503)
        text_hash = request.url.encode()[-8:].rjust(8, b".")
        found = links_to([self.url() for _ in range(6)])
        return Result(
            request, status=200, seconds=0.2, body_bytes=1000, text_chars=500, links=found,
            text_hash=text_hash, is_changed=None if request.last_visit is None else False,
        )  # fmt: skip


class Killed(BaseException):
    """Somebody was."""


def forgotten(store: MemoryStore, target: str, killed_at: int) -> None:
    """Erase what is meant, with somebody killed before one of the writes."""
    wish, batch = read_wish(target), Writes()
    note_wish(batch, NotedWish(target, "a letter", 1.0))
    store.write(batch)
    writes = 0

    def step() -> None:
        nonlocal writes
        writes += 1
        if writes == killed_at:
            raise Killed

    try:
        erase(store, wish, meant_by(store, wish), step=step)
    except Killed:
        erase(store, wish, meant_by(store, wish))


@pytest.mark.parametrize("target", ["h1.example", "*.example", "http://h1.example/private/*", "h1.example/7"])
@pytest.mark.parametrize("seed", range(1, 3))
def test_after_erasing_every_invariant_holds_and_nobody_asks_for_it(seed: int, target: str) -> None:
    web, store, wish = RandomWeb(seed), MemoryStore(), read_wish(target)
    crawl = Rehearsal({}, ADDRESSES, POLICY, store, answer=web.answer)
    crawl.add(*[web.url() for _ in range(10)])
    for _ in range(40 + 70 * seed):
        crawl.step()
    crawl.take()  # visits that nobody brings to an end
    others = {
        url for key, stored in store.scan(Table.PAGE) if stored and not wish.covers(url := _url(stored))
    }

    forgotten(store, target, killed_at=seed)

    left = known_of(store, wish, meant_by(store, wish))
    assert (left.pages, left.unasked) == (0, 0)
    unread = [_find(stored).links.urls for _, stored in store.scan(Table.INBOX)]
    assert not [url for urls in unread for url in urls if wish.covers(url)]
    assert {_url(stored) for _, stored in store.scan(Table.PAGE) if stored} == others
    again = Rehearsal({}, ADDRESSES, POLICY, store, answer=web.answer, now=crawl.now)
    again.frontier.recover(again.now)
    again.frontier.check()
    again.add(*[web.url() for _ in range(20)])
    for _ in range(50):
        again.step()  # with every invariant stated after each
    assert not [asked.url for asked in again.asked if wish.covers(asked.url)]
    assert again.asked or target == "*.example"


_find = msgspec.msgpack.Decoder(LinkBatch).decode


def _url(stored: bytes) -> str:
    return msgspec.msgpack.decode(stored, type=PageRecord).url
