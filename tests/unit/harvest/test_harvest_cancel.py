"""What the operator forbids while work is still on its way to the walks."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from harvest_samples import KeeperEnd, Web, make_tools, work_for

from tiptoe.frontier.politeness import Politeness
from tiptoe.harvest.harvester import Harvester, HarvesterPlan
from tiptoe.protocol.messages import Amend, Cancel, Heard, More, News, Work
from tiptoe.protocol.work import HostWork, Visit

PLAN = HarvesterPlan(
    lease_seconds=60.0, report_seconds=0.01, transfers_max=8, syncs=False, reads_tdmrep=False
)
HASTY = Politeness(req_delay=0.01, general_pause=0.1)


class QuickWeb(Web):
    """Answers at once, and can be closed."""

    async def close(self) -> None:
        """Nothing to let go of."""


class Keeper(KeeperEnd):
    """Answers the first visit that is done, the second and so on."""

    def __init__(self, answers: list[list[object]]) -> None:
        super().__init__()
        self.answers = answers
        self.returned: list[str] = []

    def send(self, message: object) -> None:
        super().send(message)
        if isinstance(message, News):
            for report in message.reports:
                self.returned += [request.url for request in report.returned]
                if report.is_done:
                    # Without a further answer the wire is closed, and the harvester leaves.
                    self.say(*(self.answers.pop(0) if self.answers else [None]))


def visit_of(work: HostWork) -> Work:
    return Work([Visit(1, "192.0.2.1", [work])])


def run(
    directory: Path,
    said: list[object],
    answers: list[list[object]],
    amend: Callable[[object], None] = lambda settings: None,
) -> tuple[list[str], Keeper]:
    """Let a harvester hear all of this in a row; return what it asked for, and its keeper."""

    async def scenario() -> tuple[list[str], Keeper]:
        web = QuickWeb()
        tools = make_tools(directory, web, politeness=HASTY)
        keeper = Keeper(answers)
        keeper.say(*said)
        harvester = Harvester(keeper, tools, PLAN, amend=amend)  # type: ignore[arg-type]
        await asyncio.wait_for(harvester.run(), 30.0)
        return web.urls, keeper

    return asyncio.run(scenario())


def test_a_visit_that_is_cancelled_as_soon_as_it_is_given_asks_nothing(tmp_path: Path) -> None:
    """`tiptoe block` was confirmed, so it must be true, however close upon the work it came."""
    asked, keeper = run(tmp_path, [visit_of(work_for("a.example", "/1", "/2")), Cancel("a.example", 1)], [])
    assert Heard(1) in keeper.sent
    assert asked == []
    assert keeper.returned == ["http://a.example/1", "http://a.example/2"]


def test_further_work_does_not_undo_a_cancel(tmp_path: Path) -> None:
    """The walk takes up what the keeper adds only after both messages were heard."""
    more = More(1, [work_for("a.example", "/2", "/3")])
    asked, keeper = run(tmp_path, [visit_of(work_for("a.example", "/1"))], [[more, Cancel("a.example", 1)]])
    assert Heard(1) in keeper.sent
    assert asked == ["http://a.example/1"]
    assert keeper.returned == ["http://a.example/2", "http://a.example/3"]


def test_settings_that_change_end_every_visit_and_stand_in_the_log_from_then_on(tmp_path: Path) -> None:
    """A slower pace is confirmed, so no request may begin at the old one."""
    more = More(1, [work_for("a.example", "/2", "/3")])
    amended: list[object] = []
    plain = {"politeness": {"req_delay": 9.0}}
    asked, keeper = run(
        tmp_path, [visit_of(work_for("a.example", "/1"))], [[more, Amend(plain, 4)]], amended.append
    )
    assert Heard(4) in keeper.sent
    assert amended == [plain]
    assert asked == ["http://a.example/1"]
    assert keeper.returned == ["http://a.example/2", "http://a.example/3"]
