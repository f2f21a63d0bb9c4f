"""Which of these texts have been seen before?

The index knows every long paragraph of the corpus, and every whole text, by its hash. For
each paragraph it stores the site that had it first and how often it was met since. A page is
looked up before it is written, and learned in the step that settles it:

    looked up ─▶ claimed: under way, not yet known ─▶ learned, or forgotten with its harvester

Rules: only what is in the corpus is *known*, so no page is left out for a copy that was never
written; of two pages under way, the one looked up first has the claim. A paragraph that is on
many pages of its site, such as a notice, is *furniture* and no sign of a copy.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from struct import Struct
from typing import Final

from tiptoe.frontier.host import Hosts
from tiptoe.frontier.wishes import OwnersWishes
from tiptoe.protocol.work import Question
from tiptoe.store.tables import Rows, Table, Writes
from tiptoe.text.fingerprint import HASH_BYTES, PARAGRAPHS_MAX
from tiptoe.url.address import host_key, host_of
from tiptoe.url.wish import Reach, Wish

__all__ = [
    "CLAIMED", "FURNITURE", "KNOWN", "NEW", "Answered", "ForgottenTexts", "Paragraphs", "split_hashes",
    "unlearn",
]  # fmt: skip

NEW, KNOWN, CLAIMED, FURNITURE = range(4)
"""Marks of a paragraph: never met; in the corpus; on a page under way; on many pages of its site."""

Answered = Callable[[dict[int, bytes]], object]
"""Receives the marks of each question by its number: at once, or when all shards concerned have answered."""

FURNITURE_SHARE: Final = 0.2
"""Minimum share of a site's pages that a paragraph must be on to be furniture ..."""

FURNITURE_LEAST, FURNITURE_MOST = 2, 20
"""... which always takes the first number of pages and never more than the second, where counting ends."""

REVISIT_SHARE: Final = 0.5
REVISIT_LEAST: Final = 4
"""The same for revisits: stricter, because a small site may repeat the page's own text."""

FURNITURE_MEAN: Final = 3
"""Minimum mean of pages per site; from it on, a paragraph is furniture on the first page of the next site."""

ROWS_MAX: Final = 100_000
"""Maximum number of rows in memory, about 20 MB; above it the older half is dropped."""

CLAIMS_MAX: Final = 200_000
"""Maximum number of claims, about 30 MB; above it questions stay unanswered."""

SITE_BYTES: Final = 4
URL_BYTES_MAX: Final = 2000
FINGERPRINT_BYTES_MAX: Final = (1 + PARAGRAPHS_MAX) * HASH_BYTES
COUNT_MAX: Final = 0xFFFF

_COUNTS = Struct(f">{SITE_BYTES}sHHH")  # first site, pages there, sites, documents of the corpus
_HERE = Struct(">H")
_SPLIT: Final = [
    Struct(f"{HASH_BYTES}s" * count).unpack_from for count in range(FINGERPRINT_BYTES_MAX // HASH_BYTES + 1)
]


class Paragraphs:
    """The index of paragraphs: hash, or hash and site, to a few counts.

    A paragraph that was met once is a row of twelve bytes. Each site beyond the first has a row of its own.
    The row of a whole text has the URL of its page, unless it is also a paragraph and was counted as one.
    Only this class writes the table, so rows in memory are never stale.

    Invariants, see `check()`: a claim belongs to a page under way, and nothing is stored under its hash.
    """

    def __init__(self, store: Rows, hosts: Hosts | None = None) -> None:
        """Without `hosts`, the caller says how many pages a site has (see `look_part`)."""
        self._store = store
        self._hosts = hosts
        self._rows: dict[bytes, bytes | None] = {}
        self._claims: dict[bytes, str] = {}
        self._asked: dict[str, list[bytes]] = {}  # page under way -> its hashes

    # -- questions -------------------------------------------------------

    def claim(self, questions: list[Question]) -> dict[int, bytes]:
        """Return, by number, a mark for each hash of a fingerprint, and claim the new ones for their page.

        The marks are empty if there is no room for claims.
        """
        if len(self._claims) > CLAIMS_MAX:
            return {question.number: b"" for question in questions}
        hashes = [split_hashes(question.fingerprint) for question in questions]
        self.load([key for keys in hashes for key in keys])
        answers = {}
        for question, keys in zip(questions, hashes, strict=True):
            self._asked[question.url] = keys
            answers[question.number] = self._marks(question.url, keys, is_revisit=question.is_revisit)
        return answers

    def find_known(self, questions: list[Question]) -> dict[int, bytes]:
        """Return the same for texts that are not under way: they claim nothing."""
        answers: dict[int, bytes] = {}
        for question in questions:
            answers |= self.claim([question])
            self.release(question.url)
        return answers

    def _marks(self, url: str, keys: list[bytes], *, is_revisit: bool) -> bytes:
        if not keys:
            return b""
        rows, claim = self._rows, self._claims.setdefault
        whole = rows[keys[0]]
        if whole is not None:
            return bytes((KNOWN,)) + _url_in(whole)  # the rest follows
        marks = [
            KNOWN if rows[key] is not None else NEW if claim(key, url) == url else CLAIMED for key in keys
        ]
        if KNOWN in marks:
            record = self._hosts.find(host_of(url)) if self._hosts is not None else None
            self._find_furniture(url, keys, marks, record.pages if record else 0, is_revisit=is_revisit)
        return bytes(marks)

    def look_part(
        self, url: str, keys: list[bytes], *, pages: int, has_whole: bool, is_revisit: bool
    ) -> bytes:
        """Return a mark for each of some hashes of a page from the loaded rows, without regard to claims.

        `pages` counts the pages of its site. With `has_whole`, the first hash is that of the whole text.
        """
        rows = self._rows
        if not any(map(rows.__getitem__, keys)):  # true of most pages; stored rows are never empty
            return bytes(len(keys))
        if has_whole and (whole := rows[keys[0]]) is not None:
            return bytes((KNOWN,)) + _url_in(whole)
        marks = [NEW if rows[key] is None else KNOWN for key in keys]
        if KNOWN in marks:
            self._find_furniture(url, keys, marks, pages, is_revisit=is_revisit)
        return bytes(marks)

    def _find_furniture(
        self, url: str, keys: list[bytes], marks: list[int], pages: int, *, is_revisit: bool
    ) -> None:
        """Mark the known paragraphs that are furniture of this site or of sites in general."""
        site = host_key(host_of(url))[:SITE_BYTES]
        part, least = (REVISIT_SHARE, REVISIT_LEAST) if is_revisit else (FURNITURE_SHARE, FURNITURE_LEAST)
        enough = max(least, min(FURNITURE_MOST, part * pages))
        known = [place for place, mark in enumerate(marks) if mark == KNOWN]
        self._load_here([keys[place] for place in known], site)
        for place in known:
            first, here, sites, documents = self._counts(keys[place])
            if first != site:
                here = self._here(keys[place] + site)
            is_everywhere = documents >= FURNITURE_MEAN * sites and (sites > 1 or first != site)
            if is_everywhere or here >= enough:
                marks[place] = FURNITURE

    def release(self, url: str) -> None:
        """End the claims of a page that is no longer under way."""
        claims = self._claims
        for key in self._asked.pop(url, ()):
            if claims.get(key) == url:
                del claims[key]

    # -- learning --------------------------------------------------------

    def learn(
        self, batch: Writes, url: str, fingerprint: bytes, *,
        is_kept: bool, is_revisit: bool = False, has_whole: bool = True,
    ) -> None:  # fmt: skip
        """Note the paragraphs of a page; if it was not kept, only count those already known.

        Of a revisited page only new paragraphs are noted: the others may be its own from last time, and
        would become furniture by being revisited. With `has_whole`, the first hash is that of the whole text.
        """
        keys = split_hashes(fingerprint)
        rows = self._rows
        self.load(keys)
        self.release(url)
        site = host_key(host_of(url))[:SITE_BYTES]
        own = url.encode()[:URL_BYTES_MAX]
        known = [] if is_revisit else [key for key in keys[has_whole:] if rows[key] is not None]
        if known:
            self._load_here(known, site)
            for key in known:
                self._count(batch, key, site, is_kept=is_kept)
        if is_kept:
            claims, paragraph = self._claims, Table.PARAGRAPH
            for key in keys:
                if rows[key] is None:
                    rows[key] = row = site + own if has_whole and key is keys[0] else site
                    batch.append((paragraph, key, row))
                    if key in claims:
                        del claims[key]  # another page claimed it earlier and is not settled yet

    def learn_once(self, batch: Writes, url: str, fingerprint: bytes) -> None:
        """Note the paragraphs of a text that is in the corpus, unless they were noted before."""
        if not self.knows(fingerprint[:HASH_BYTES]):
            self.learn(batch, url, fingerprint, is_kept=True)

    def knows(self, key: bytes) -> bool:
        """Whether a hash is in the index."""
        self.load([key])
        return self._rows[key] is not None

    def _count(self, batch: Writes, key: bytes, site: bytes, *, is_kept: bool) -> None:
        """Count a paragraph that is met again."""
        first, here, sites, documents = self._counts(key)
        if first == site:
            if here >= FURNITURE_MOST:
                return
            here += 1
        else:
            own = key + site
            row = self._rows[own]
            met = 0 if row is None else int(_HERE.unpack(row)[0])
            if met >= FURNITURE_MOST:
                return
            sites += row is None
            self._put(batch, own, _HERE.pack(met + 1))
        documents += is_kept
        if max(sites, documents) <= COUNT_MAX:
            self._put(batch, key, _COUNTS.pack(first, here, sites, documents))

    # -- rows ------------------------------------------------------------

    def load(self, keys: list[bytes]) -> None:
        """Read the rows of these hashes that are not in memory yet."""
        rows = self._rows
        missing = [key for key in keys if key not in rows]
        if missing:
            rows.update(zip(missing, self._store.get_many(Table.PARAGRAPH, missing), strict=True))

    def load_pages(self, pages: list[tuple[str, list[bytes]]]) -> None:
        """Read the rows of the hashes of several pages, and their rows for the pages' sites, in two reads."""
        self.load([key for _, keys in pages for key in keys])
        rows, here = self._rows, []
        for url, keys in pages:
            if any(map(rows.__getitem__, keys)):
                site = host_key(host_of(url))[:SITE_BYTES]
                here += [key + site for key in keys if (row := rows[key]) and not row.startswith(site)]
        if here:
            self.load(here)

    def _load_here(self, keys: list[bytes], site: bytes) -> None:
        """Read the rows of a site for paragraphs that were first met on another site."""
        rows = self._rows
        elsewhere = [key + site for key in keys if not (rows[key] or b"").startswith(site)]
        if elsewhere:
            self.load(elsewhere)

    def _put(self, batch: Writes, key: bytes, row: bytes) -> None:
        self._rows[key] = row
        batch.append((Table.PARAGRAPH, key, row))

    def _counts(self, key: bytes) -> tuple[bytes, int, int, int]:
        """Return the site that had a paragraph first, its pages there, its sites and its documents."""
        row = self._rows[key]
        assert row is not None
        return _COUNTS.unpack(row) if len(row) == _COUNTS.size else (row[:SITE_BYTES], 1, 1, 1)

    def _here(self, key: bytes) -> int:
        row = self._rows[key]
        return 0 if row is None else int(_HERE.unpack(row)[0])

    def forget(self) -> None:
        """Forget the rows in memory: others may write the table from now on."""
        self._rows.clear()

    def committed(self) -> None:
        """The batch has been written: drop the oldest rows from memory if there are too many."""
        rows = self._rows
        if len(rows) > ROWS_MAX:
            for key in list(islice(rows, len(rows) - ROWS_MAX // 2)):
                del rows[key]

    def check(self) -> None:
        """State every invariant; between steps only."""
        for key, url in self._claims.items():
            assert key in self._asked.get(url, ()), f"a claim of {url} outlived it"
            assert self._store.get(Table.PARAGRAPH, key) is None, f"{url} claims what is known"
        for key, row in self._rows.items():
            assert self._store.get(Table.PARAGRAPH, key) == row, "a row in memory is not what is stored"


def unlearn(store: Rows, batch: Writes, url: str, fingerprint: bytes, *, is_host_forgotten: bool) -> None:
    """Remove a text that leaves the corpus from the index, except for what other sites have too."""
    keys = split_hashes(fingerprint)
    site, own = host_key(host_of(url))[:SITE_BYTES], url.encode()[:URL_BYTES_MAX]
    for key, row in zip(keys, store.get_many(Table.PARAGRAPH, keys), strict=True):
        if row is None:
            continue
        is_whole_text = len(row) > _COUNTS.size
        sites = _COUNTS.unpack(row)[2] if len(row) == _COUNTS.size else 1
        if not row.startswith(site) or (is_whole_text and row[SITE_BYTES:] != own):
            if is_host_forgotten:
                batch.delete(Table.PARAGRAPH, key + site)
        elif is_whole_text or len(row) == SITE_BYTES or (is_host_forgotten and sites == 1):
            batch.delete(Table.PARAGRAPH, key)


class ForgottenTexts:
    """Recognises what the index has of texts whose owners want to be forgotten."""

    def __init__(self, wishes: Iterable[Wish]) -> None:
        wishes = list(wishes)
        self._covered = OwnersWishes(wishes)
        # Of the hosts of a domain only whole texts are known by their URLs.
        self._sites = {host_key(one.host)[:SITE_BYTES] for one in wishes if one.reach is Reach.HOST}

    def has(self, key: bytes, row: bytes) -> bool:
        """Whether a row is about a covered URL, or about paragraphs that only a covered host has."""
        if len(row) > _COUNTS.size:
            url = row[SITE_BYTES:].decode("utf-8", "replace")
            return self._covered.covers(host_of(url), url)
        if len(key) > HASH_BYTES:
            return key[HASH_BYTES:] in self._sites
        if row[:SITE_BYTES] not in self._sites:
            return False
        return len(row) == SITE_BYTES or _COUNTS.unpack(row)[2] == 1


def _url_in(row: bytes) -> bytes:
    """Return the URL of the page with this text if its row has one (no URL is as short as the counts)."""
    return row[SITE_BYTES:] if len(row) > _COUNTS.size else b""


def split_hashes(fingerprint: bytes) -> list[bytes]:
    """Return the hashes of a text, beginning with that of the whole text."""
    return list(_SPLIT[min(len(fingerprint), FINGERPRINT_BYTES_MAX) // HASH_BYTES](fingerprint))
