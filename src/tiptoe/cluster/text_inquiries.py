"""How are questions of harvesters about texts answered when several agents each know a part?

A question is divided among the holders of its hashes' blocks; one of these agents is also asked whether
another page under way has the same text (see `TextClaims`). The parts for one agent are gathered, and the
answers reassembled. Pure: it is told the answers and the time.

Rule: no wait exceeds QUESTION_SECONDS, or MOVING_SECONDS if a block is moving from one agent to another.
Hashes without an answer by then count as new; a text without any answer is reported as unknown.
"""

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from tiptoe.cluster.pending_texts import PendingTexts
from tiptoe.cluster.text_messages import (
    CLAIMS_AGAIN,
    CLAIMS_NOTHING,
    ELSEWHERE,
    OF_REVISIT,
    WITH_WHOLE,
    TextClaim,
    TextPart,
)
from tiptoe.frontier.duplicity import CLAIMED, FINGERPRINT_BYTES_MAX, KNOWN, NEW, Answered, split_hashes
from tiptoe.frontier.text_outbox import text_block, text_blocks
from tiptoe.protocol.work import Question
from tiptoe.text.fingerprint import HASH_BYTES

__all__ = ["MOVING_SECONDS", "QUESTION_SECONDS", "OpenClaim", "OpenPart", "Opened", "TextInquiries"]

QUESTION_SECONDS: Final = 2.0
"""Longest time that a question waits ..."""

MOVING_SECONDS: Final = 4.0
"""... and if a block was reported to be elsewhere: it is moving, and will soon be held again. Harvesters wait
for five seconds."""

RETRY_SECONDS: Final = 0.2
"""Time after which a question is repeated if its block was not where it was expected."""

UNANSWERED: Final = ELSEWHERE
_UNANSWERED, _NEW = bytes((UNANSWERED,)), bytes((NEW,))


class _Inquiry:
    """Questions that arrived together and are answered together."""

    __slots__ = ("answered", "began_at", "ends_at", "left", "pages")

    def __init__(self, answered: Answered, began_at: float) -> None:
        self.answered = answered
        self.began_at = began_at
        self.ends_at = began_at + QUESTION_SECONDS
        self.left = 0  # parts and claims
        self.pages: list[_Page] = []


class _Page:
    """One question, and what is known so far about each of its hashes."""

    __slots__ = (
        "blocks",
        "claim_block",
        "claimed",
        "has_ended",
        "hashes",
        "inquiry",
        "keys",
        "marks",
        "number",
        "shard",
        "url",
        "whole",
    )

    def __init__(self, inquiry: _Inquiry, question: Question, shard: int, shards: int) -> None:
        self.inquiry = inquiry
        self.number = question.number
        self.url = question.url
        self.hashes = question.fingerprint[:FINGERPRINT_BYTES_MAX]
        self.shard = shard  # where the page is settled
        self.keys = keys = split_hashes(self.hashes)
        self.blocks = text_blocks(self.hashes, shards)
        # Copies meet in the block of the smallest paragraph hash; the whole text may differ in a short line.
        self.claim_block = text_block(min(keys[1:] or keys), shards) if keys else 0
        self.claimed = (
            _UNANSWERED  # for each hash whether another page has claimed it; empty: none is claimed
        )
        self.marks = bytearray(_UNANSWERED) * len(keys)
        self.whole = b""  # the answer, if the whole text is known
        self.has_ended = False  # it is no longer under way

    def answer(self, pending: PendingTexts) -> bytes:
        marks = self.marks
        if len(pending) and marks and not self.whole:
            self.whole = pending.lay_over(self.url, self.keys, marks)
        if self.whole or marks.count(UNANSWERED) == len(marks):
            return self.whole
        if UNANSWERED in marks:
            marks = marks.replace(_UNANSWERED, _NEW)
        if len(self.claimed) == len(marks) and self.claimed != _UNANSWERED:
            return bytes(
                CLAIMED if mark == NEW and other else mark
                for mark, other in zip(marks, self.claimed, strict=True)
            )
        return bytes(marks)

    def some(self, places: Iterable[int]) -> list[bytes]:
        keys = self.keys
        return [keys[place] for place in places]


class OpenPart:
    """Some hashes of a page that one agent is asked about."""

    __slots__ = ("flags", "keys", "page", "pages", "places", "url")

    def __init__(self, page: _Page, places: Sequence[int], pages: int, flags: int) -> None:
        self.page = page
        self.places = places
        self.url = page.url
        self.keys = page.keys if len(places) == len(page.blocks) else page.some(places)
        self.pages = pages  # of its site
        self.flags = flags | WITH_WHOLE if places[0] == 0 else flags & ~WITH_WHOLE

    @property
    def part(self) -> TextPart:
        """What is sent."""
        return TextPart(self.url, b"".join(self.keys), self.pages, self.flags)

    @property
    def blocks(self) -> Sequence[int]:
        """The shards that know these hashes."""
        blocks = self.page.blocks
        return blocks if len(self.places) == len(blocks) else [blocks[place] for place in self.places]

    @property
    def size(self) -> int:
        """The approximate number of bytes to be sent."""
        return len(self.url) + HASH_BYTES * len(self.keys) + 10


class OpenClaim:
    """The claim of a page that one agent is asked about."""

    __slots__ = ("_flags", "block", "keys", "page", "url")

    def __init__(self, page: _Page, keys: Sequence[bytes], flags: int) -> None:
        self.page = page
        self.url = page.url
        self.keys = keys
        self.block = page.claim_block
        self._flags = flags

    @property
    def flags(self) -> int:
        """A page that has ended before it is asked about claims nothing: nobody would end its claims."""
        return self._flags | CLAIMS_NOTHING if self.page.has_ended else self._flags

    @property
    def claim(self) -> TextClaim:
        """What is sent."""
        return TextClaim(self.url, b"".join(self.keys), self.block, self.flags)

    @property
    def size(self) -> int:
        return len(self.url) + HASH_BYTES * len(self.keys) + 10


Opened = tuple[str, OpenPart | OpenClaim]
"""An agent, and what it is to be asked."""


class TextInquiries:
    """Questions that are not answered yet, and pages under way with their claims."""

    def __init__(self, shards: int) -> None:
        self.pending = PendingTexts()
        self._shards = shards
        self._open: deque[_Inquiry] = deque()
        self._again: deque[tuple[float, OpenPart | OpenClaim]] = deque()
        self._asked: dict[str, _Page] = {}  # pages under way, by URL

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, answered: Answered, now: float) -> _Inquiry:
        """Begin an inquiry."""
        return _Inquiry(answered, now)

    def add(
        self, inquiry: _Inquiry, question: Question, routes: Sequence[str], *,
        shard: int, pages: int, is_look: bool = False,
    ) -> list[Opened]:  # fmt: skip
        """Divide a question among the agents that hold the blocks of its hashes."""
        page = _Page(inquiry, question, shard, self._shards)
        inquiry.pages.append(page)
        if not page.blocks:
            return []
        flags = OF_REVISIT if question.is_revisit else 0
        opened = self._divided(page, range(len(page.blocks)), pages, flags, routes)
        if not is_look:
            self._asked[page.url] = page
        inquiry.left += 1
        claim = OpenClaim(page, page.keys, CLAIMS_NOTHING if is_look else 0)
        opened.append((routes[page.claim_block], claim))
        return opened

    def _divided(
        self, page: _Page, places: Sequence[int], pages: int, flags: int, routes: Sequence[str]
    ) -> list[Opened]:
        blocks = page.blocks
        agents: dict[str, list[int]] = {}
        holders = {routes[block] for block in set(blocks)}
        if len(holders) == 1:
            page.inquiry.left += 1
            return [(holders.pop(), OpenPart(page, places, pages, flags))]
        for place in places:
            agent = routes[blocks[place]]
            if agent in agents:
                agents[agent].append(place)
            else:
                agents[agent] = [place]
        page.inquiry.left += len(agents)
        return [(agent, OpenPart(page, some, pages, flags)) for agent, some in agents.items()]

    def start(self, inquiry: _Inquiry) -> None:
        """Begin to wait, after all questions were divided and local answers taken in."""
        if inquiry.left:
            self._open.append(inquiry)
        else:
            self._finish(inquiry)

    # -- answers -----------------------------------------------------------------

    def hear(self, part: OpenPart, marks: bytes, now: float) -> None:
        """Take in the answer to a part; empty marks mean that there will be none."""
        page, places = part.page, part.places
        page.inquiry.left -= 1
        if marks and places[0] == 0 and marks[0] == KNOWN:
            page.whole = marks
        elif len(marks) == len(places):
            if len(marks) == len(page.marks):
                page.marks[:] = marks
            else:
                for place, mark in zip(places, marks, strict=True):
                    page.marks[place] = mark
            if ELSEWHERE in marks:
                missing = [place for place, mark in zip(places, marks, strict=True) if mark == ELSEWHERE]
                self._ask_again(OpenPart(page, missing, part.pages, part.flags), now)

    def hear_claim(self, claim: OpenClaim, claimed: bytes | None, now: float) -> None:
        """Take in the answer to a claim; None means that there will be none."""
        page = claim.page
        page.inquiry.left -= 1
        if claimed is not None:
            page.claimed = claimed
            if claimed == _UNANSWERED:
                self._ask_again(claim, now)

    def _ask_again(self, opened: OpenPart | OpenClaim, now: float) -> None:
        inquiry = opened.page.inquiry
        inquiry.left += 1
        inquiry.ends_at = inquiry.began_at + MOVING_SECONDS
        self._again.append((now + RETRY_SECONDS, opened))

    def take_again(self, routes: Sequence[str], now: float) -> list[Opened]:
        """Return what must be asked again now, for the current holders of the blocks."""
        taken: list[Opened] = []
        while self._again and self._again[0][0] <= now:
            opened = self._again.popleft()[1]
            page = opened.page
            if page.inquiry.ends_at <= now:
                page.inquiry.left -= 1
            elif isinstance(opened, OpenClaim):
                taken.append((routes[page.claim_block], opened))
            else:
                page.inquiry.left -= 1
                taken += self._divided(page, opened.places, opened.pages, opened.flags, routes)
        return taken

    def finish(self, now: float) -> None:
        """Finish inquiries with all answers, and those whose time is over."""
        if any(inquiry.left <= 0 or inquiry.ends_at <= now for inquiry in self._open):
            inquiries, self._open = self._open, deque()
            for inquiry in inquiries:
                if inquiry.left > 0 and inquiry.ends_at > now:
                    self._open.append(inquiry)
                else:
                    self._finish(inquiry)

    def _finish(self, inquiry: _Inquiry) -> None:
        pages, inquiry.pages = inquiry.pages, []  # breaks the reference cycle
        inquiry.answered({page.number: page.answer(self.pending) for page in pages})

    # -- pages under way -----------------------------------------------------------

    def end(self, urls: Iterable[str]) -> list[tuple[int, str]]:
        """Forget pages that are no longer under way; return those that asked, with their claims' blocks."""
        ended = [page for url in urls if (page := self._asked.pop(url, None)) is not None]
        for page in ended:
            page.has_ended = True
        return [(page.claim_block, page.url) for page in ended]

    def of_shard(self, shard: int) -> list[str]:
        """Return the pages under way that are settled in a shard."""
        return [url for url, page in self._asked.items() if page.shard == shard]

    def claim_again(self, blocks: Collection[int], routes: Sequence[str], now: float) -> list[Opened]:
        """Return the claims of pages under way in blocks that have moved, to be repeated there."""
        inquiry = self.begin(lambda answers: None, now)
        opened: list[Opened] = []
        for url, page in self._asked.items():
            if page.claim_block in blocks and page.claimed != _UNANSWERED:
                others = page.claimed
                own = page.some(at for at, other in enumerate(others) if not other) if others else page.keys
                if own:
                    question = Question(page.number, url, page.hashes)
                    again = _Page(inquiry, question, page.shard, self._shards)
                    opened.append((routes[page.claim_block], OpenClaim(again, own, CLAIMS_AGAIN)))
        inquiry.left = len(opened)
        if opened:
            self.start(inquiry)
        return opened
