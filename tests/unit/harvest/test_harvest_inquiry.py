"""How a harvester learns which texts are known, in virtual time."""

import asyncio
import contextlib

from harvest_samples import run_jumping

from tiptoe.frontier.duplicity import CLAIMED, KNOWN, NEW
from tiptoe.harvest.inquiry import QUESTIONS_MAX, Inquiries
from tiptoe.harvest.judgement import UNKNOWN, DuplicityRules, TextJudgement
from tiptoe.protocol.messages import Inquiry
from tiptoe.text.fingerprint import Fingerprint

MARK = Fingerprint(hashes=bytes(24), weights=[100, 100], places=[0, 1], echoes=[], text_chars=200)
FRESH = bytes((NEW, NEW, NEW))
OPEN_YET = bytes((NEW, CLAIMED, CLAIMED))
COPY = bytes((NEW, KNOWN, KNOWN))


class Keeper:
    """Answers every inquiry after a while with what comes next; None is no answer."""

    def __init__(self, *answers: bytes | None, seconds: float = 0.01) -> None:
        self.heard: list[tuple[float, Inquiry]] = []
        self._answers = list(answers)
        self._seconds = seconds
        self.asker: Inquiries

    def hear(self, inquiry: Inquiry) -> None:
        loop = asyncio.get_running_loop()
        self.heard.append((loop.time(), inquiry))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer is not None:
            marks = {question.number: answer for question in inquiry.questions}
            loop.call_later(self._seconds, lambda: self.asker.answered(marks))

    @property
    def sizes(self) -> list[int]:
        return [len(inquiry.questions) for _, inquiry in self.heard]


def asked(keeper: Keeper, pages: int = 1) -> tuple[list[TextJudgement], float]:
    """Ask about pages side by side; return the judgements and how long it took."""

    async def ask() -> tuple[list[TextJudgement], float]:
        keeper.asker = Inquiries(keeper.hear, DuplicityRules(), report_seconds=0.2)
        waits = [keeper.asker.judge(f"http://a.example/{number}", MARK) for number in range(pages)]
        judgements = await asyncio.gather(*waits)
        return judgements, asyncio.get_running_loop().time()

    return run_jumping(ask)


def test_pages_are_asked_about_together() -> None:
    """Nobody waits for the answer of another one."""
    keeper = Keeper(FRESH)
    judgements, seconds = asked(keeper, pages=30)
    assert keeper.sizes == [30]
    assert {judgement.duplicity for judgement in judgements} == {0.0}
    assert seconds < 0.1


def test_many_questions_are_not_gathered_for_longer() -> None:
    keeper = Keeper(FRESH)
    asked(keeper, pages=QUESTIONS_MAX + 5)
    assert keeper.sizes == [QUESTIONS_MAX, 5]
    assert keeper.heard[0][0] == 0.0


def test_a_page_that_another_one_decides_asks_again() -> None:
    """When that one is settled, there is something to say."""
    keeper = Keeper(OPEN_YET, OPEN_YET, COPY)
    (judgement,), seconds = asked(keeper)
    assert judgement.duplicity == 1.0
    assert keeper.sizes == [1, 1, 1]
    assert 0.4 < seconds < 1.0


def test_nobody_asks_for_ever() -> None:
    """The other page hangs: then this one is kept, and nobody can say."""
    keeper = Keeper(OPEN_YET)
    (judgement,), seconds = asked(keeper)
    assert judgement == UNKNOWN
    assert seconds < 6.0


def test_a_keeper_that_does_not_answer_leaves_a_text_unjudged() -> None:
    keeper = Keeper(None)
    (judgement,), seconds = asked(keeper)
    assert judgement == UNKNOWN
    assert seconds < 10.0


def test_an_answer_for_a_page_that_is_gone_does_no_harm() -> None:
    """Its walk was cancelled, or it has waited long enough."""

    async def give_up() -> None:
        keeper = Keeper(FRESH, seconds=6.0)
        keeper.asker = Inquiries(keeper.hear, DuplicityRules(), report_seconds=0.2)
        late = asyncio.ensure_future(keeper.asker.judge("http://a.example/", MARK))
        gone = asyncio.ensure_future(keeper.asker.judge("http://b.example/", MARK))
        await asyncio.sleep(0.1)
        gone.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await gone
        assert await late == UNKNOWN
        await asyncio.sleep(2.0)
        keeper.asker.answered({99: FRESH})

    run_jumping(give_up)


def test_the_keeper_is_told_that_a_page_is_visited_again() -> None:
    """Then what stood on it before is known, and no sign of a copy."""
    keeper = Keeper(FRESH)

    async def ask() -> None:
        keeper.asker = Inquiries(keeper.hear, DuplicityRules(), report_seconds=0.2)
        await keeper.asker.judge("http://a.example/1", MARK, is_revisit=True)
        await keeper.asker.judge("http://a.example/2", MARK)

    run_jumping(ask)
    questions = [question for _, inquiry in keeper.heard for question in inquiry.questions]
    assert [question.is_revisit for question in questions] == [True, False]
