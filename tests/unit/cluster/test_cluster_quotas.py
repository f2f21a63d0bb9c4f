"""Parts of the limits of a crawl, by the book that all agents share."""

import random
from itertools import pairwise

import pytest

from tiptoe.cluster.quota_book import (
    CrawlLimits,
    QuotaBook,
    ShardQuota,
    ShardUse,
    decode_book,
    encode_book,
    revised,
)

SHARDS = 4


def limits(pages: int = 0, body_bytes: int = 0, *, shards: int = SHARDS) -> CrawlLimits:
    return CrawlLimits(shards=shards, pages=pages, body_bytes=body_bytes)


def book_of(*pages: int | None, wanting: tuple[int, ...] = ()) -> QuotaBook:
    return QuotaBook({shard: ShardQuota(1, quota) for shard, quota in enumerate(pages)}, wanting)


def pages_of(book: QuotaBook) -> list[int | None]:
    return [quota.pages for quota in book.shards.values()]


def test_nothing_is_granted_until_every_shard_is_entered() -> None:
    """One that is not may have had any part of it."""
    starved = ShardUse(term=1, is_starved=True)
    book = revised(QuotaBook(), dict.fromkeys(range(3), starved), limits(100))
    assert pages_of(book) == [0, 0, 0]
    book = revised(book, {3: ShardUse(term=1, pages=40)}, limits(100))
    assert book.shards[3].pages == 40
    book = revised(book, {0: starved}, limits(100))
    assert pages_of(book) == [15, 0, 0, 40], "a quarter of the rest: two shards have something"


def test_portions_shrink_with_the_rest() -> None:
    book, granted = book_of(0, 0, 0, 0), [0]
    while (grown := revised(book, {0: _using(book, 0)}, limits(1000))) != book:
        book = grown
        granted.append(int(book.shards[0].pages or 0))
    portions = [after - before for before, after in pairwise(granted)]
    assert portions[0] == 500
    assert sorted(portions, reverse=True) == portions
    assert sum(portions) == 1000


def _using(book: QuotaBook, shard: int) -> ShardUse:
    """Return the use of a shard that has used everything, and has more to do."""
    return ShardUse(term=1, pages=book.shards[shard].pages or 0, is_starved=True)


def test_who_uses_much_asks_before_it_has_to_wait() -> None:
    book = revised(book_of(100, 0, 0, 0), {0: ShardUse(term=1, pages=95, pages_lately=50)}, limits(1000))
    assert book.shards[0].pages == 100 + 450
    book = revised(book_of(100, 0, 0, 0), {0: ShardUse(term=1, pages=95)}, limits(1000))
    assert book.shards[0].pages == 100, "it uses nothing"


def test_what_is_not_used_is_given_back_when_others_go_without() -> None:
    idle, busy = ShardUse(term=1, pages=10), ShardUse(term=1, pages=10, pages_lately=7)
    book = book_of(30, 30, 40, 0)
    assert pages_of(revised(book, {0: idle, 1: busy}, limits(100))) == [30, 30, 40, 0], "nobody wants any"
    book = revised(book, {3: ShardUse(term=1, is_starved=True)}, limits(100))
    assert book.wanting == (3,)
    book = revised(book, {0: idle, 1: busy}, limits(100))
    assert pages_of(book) == [10, 17, 40, 0]
    book = revised(book, {3: ShardUse(term=1, is_starved=True)}, limits(100))
    assert (book.shards[3].pages, book.wanting) == (4, ())


def test_own_shards_give_to_each_other() -> None:
    uses = {0: ShardUse(term=1, pages=10), 1: ShardUse(term=1, pages=70, is_starved=True)}
    assert pages_of(revised(book_of(30, 70, 0, 0), uses, limits(100))) == [10, 75, 0, 0]


def test_a_limit_that_was_lowered_takes_back_what_was_not_used() -> None:
    uses = {0: ShardUse(term=1, pages=10, pages_lately=9), 1: ShardUse(term=1, pages=20)}
    assert pages_of(revised(book_of(50, 50, 0, 0), uses, limits(31))) == [11, 20, 0, 0]
    assert pages_of(revised(book_of(50, 50, 0, 0), uses, limits(25))) == [10, 20, 0, 0], "used is used"


def test_a_limit_that_was_lifted_leaves_no_quota_and_can_come_back() -> None:
    """While there is none nobody counts, so every shard has to be entered anew."""
    book = revised(book_of(5, 5, 5, 5), {0: ShardUse(term=1, pages=5)}, limits())
    assert pages_of(book) == [None, 5, 5, 5]
    starved = ShardUse(term=1, pages=5, is_starved=True)
    assert revised(book, {1: starved}, limits(100)).shards[1].pages == 5
    book = revised(book, {0: ShardUse(term=1, pages=60)}, limits(100))
    assert revised(book, {1: starved}, limits(100)).shards[1].pages == 5 + 4


def test_a_holder_of_old_changes_nothing() -> None:
    book = QuotaBook({shard: ShardQuota(7, 10) for shard in range(SHARDS)}, wanting=(1,))
    assert revised(book, {0: ShardUse(term=6, pages=2)}, limits(40)) == book
    assert revised(book, {0: ShardUse(term=8, pages=2)}, limits(40)).shards[0] == ShardQuota(8, 2)


def test_what_was_used_beyond_a_quota_counts_at_once() -> None:
    """As bytes are: nobody knows beforehand how large a page is."""
    book = QuotaBook({shard: ShardQuota(1, None, 100_000) for shard in range(2)})
    uses = {0: ShardUse(term=1, body_bytes=130_000)}
    assert revised(book, uses, limits(body_bytes=200_000, shards=2)).shards[0].body_bytes == 130_000


def test_a_book_is_read_as_it_was_written() -> None:
    book = QuotaBook({3: ShardQuota(2, 5, None, 7)}, (3,))
    assert decode_book(encode_book(book)) == book


def test_shares_of_the_budget_of_revisits_add_up_to_it() -> None:
    """Whatever the shards watch by now: shares go by what is in the book."""
    budget = CrawlLimits(shards=SHARDS, has_budget=True)
    uses = {shard: ShardUse(term=1, watched=watched) for shard, watched in enumerate([1000, 10, 0, 333])}
    book = revised(QuotaBook(), uses, budget)
    assert [round(book.share_of(shard), 4) for shard in range(SHARDS)] == [0.7446, 0.0074, 0, 0.248]
    assert revised(book, {0: ShardUse(term=1, watched=1015)}, budget) == book, "not worth a write"
    grown = revised(book, {0: ShardUse(term=1, watched=2000)}, budget)
    assert sum(grown.share_of(shard) for shard in range(SHARDS)) == pytest.approx(1.0)
    assert grown.share_of(0) > book.share_of(0)


@pytest.mark.parametrize("seed", range(30))
def test_whatever_happens_no_more_is_granted_than_there_is_and_all_of_it_is_used(seed: int) -> None:
    """Holders change, die and come back late; shards have work at times, and fail with part of it."""
    chance = random.Random(seed)
    shards, limit = chance.choice([1, 2, 8, 32]), chance.choice([1, 7, 100, 2000])
    play = QuotaPlay(chance, shards, limit)
    for _ in range(3000):
        play.step()
        assert sum(quota.pages or 0 for quota in play.book.shards.values()) <= limit
    while sum(play.used) < limit:
        before = (play.book, list(play.used))
        for shard in range(shards):
            play.look([shard])
            play.use(shard)
        assert (play.book, play.used) != before or sum(play.used) == limit, "stuck"
    assert sum(play.used) == limit


class QuotaPlay:
    """Shards that have endless work, some of the time, and holders that look when they like."""

    def __init__(self, chance: random.Random, shards: int, limit: int) -> None:
        self.chance = chance
        self.limits = limits(limit, shards=shards)
        self.book = QuotaBook()
        self.used = [0] * shards
        self.before = [0] * shards
        self.allotted = [0] * shards
        self.terms = [1] * shards

    def step(self) -> None:
        shard = self.chance.randrange(len(self.used))
        kind = self.chance.randrange(4)
        if kind == 0:
            self.look([shard, self.chance.randrange(len(self.used))])
        elif kind == 1:
            self.use(shard, self.chance.randrange(5))
        elif kind == 2 and self.chance.random() < 0.1:
            self.terms[shard] += 1
            self.allotted[shard] = self.used[shard]
        elif kind == 3 and self.used[shard]:
            self.used[shard] -= self.chance.randrange(2)  # a request has failed

    def look(self, shards: list[int]) -> None:
        uses = {
            shard: ShardUse(
                term=self.terms[shard], pages=self.used[shard],
                pages_lately=max(0, self.used[shard] - self.before[shard]),
                is_starved=self.used[shard] >= self.allotted[shard],
            )
            for shard in shards
        }  # fmt: skip
        self.book = revised(self.book, uses, self.limits)
        for shard in shards:
            self.before[shard] = self.used[shard]
            self.allotted[shard] = self.book.shards[shard].pages or 0

    def use(self, shard: int, most: int = 10**9) -> None:
        self.used[shard] += min(most, max(0, self.allotted[shard] - self.used[shard]))
