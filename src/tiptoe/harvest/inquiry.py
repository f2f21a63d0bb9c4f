"""How does a harvester learn which texts are known?

It asks the keeper about many pages at once; all of them wait for their answers at the same time. If it
depends on another page under way whether a page is a copy, it asks again once that page must have been
settled. No page waits for long: without an answer from the keeper, its text is left unjudged.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from tiptoe.harvest.judgement import UNKNOWN, DuplicityRules, TextJudgement, judge
from tiptoe.protocol.messages import Inquiry
from tiptoe.protocol.work import Question
from tiptoe.text.fingerprint import Fingerprint

__all__ = ["Inquiries"]

GATHER_SHARE: Final = 0.25
"""Fraction of the time between two reports for which questions are collected before they are sent together:
each message wakes the keeper, and its answer this process, which costs more than the questions in it."""

QUESTIONS_MAX: Final = 100
"""Maximum number of questions collected; when it is reached they are sent at once."""

PATIENCE_SECONDS: Final = 5.0
"""Maximum seconds that a page waits for an answer, and for another page to be settled; after that its text
is left unjudged."""


class Inquiries:
    """Questions on their way to the keeper, and the pages that wait for its answers."""

    def __init__(
        self, send: Callable[[Inquiry], None], rules: DuplicityRules, *, report_seconds: float
    ) -> None:
        self._send = send
        self._rules = rules
        self._gather_seconds = GATHER_SHARE * report_seconds
        self._again_seconds = report_seconds + self._gather_seconds
        self._loop = asyncio.get_running_loop()
        self._gathered: list[Question] = []
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._number = 0
        self._sending: asyncio.TimerHandle | None = None

    async def judge(self, url: str, fingerprint: Fingerprint, *, is_revisit: bool = False) -> TextJudgement:
        """Return how much of a text is known; for a revisited page, its earlier text counts as well."""
        give_up_at = self._loop.time() + PATIENCE_SECONDS
        while True:
            judgement = judge(fingerprint, await self._ask(url, fingerprint.hashes, is_revisit), self._rules)
            if judgement.is_certain:
                return judgement
            if self._loop.time() >= give_up_at:
                return UNKNOWN
            await asyncio.sleep(self._again_seconds)

    def answered(self, marks: dict[int, bytes]) -> None:
        """Pass the keeper's answers to the pages that wait for them."""
        for number, answer in marks.items():
            waiting = self._waiting.pop(number, None)
            if waiting is not None and not waiting.done():
                waiting.set_result(answer)

    async def _ask(self, url: str, hashes: bytes, is_revisit: bool) -> bytes:
        self._number += 1
        answer: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting[self._number] = answer
        self._gathered.append(Question(self._number, url, hashes, is_revisit))
        if len(self._gathered) >= QUESTIONS_MAX:
            self._send_gathered()
        elif self._sending is None:
            self._sending = self._loop.call_later(self._gather_seconds, self._send_gathered)
        return await answer

    def _send_gathered(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None
        questions, self._gathered = self._gathered, []
        self._send(Inquiry(questions))
        # One timer for all of them: one for each would cost more than the question.
        unanswered = {question.number: b"" for question in questions}
        self._loop.call_later(PATIENCE_SECONDS, self.answered, unanswered)
