"""A shard that is no longer our keeper's: its visits end at once, and nothing is told of them."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

from harvest_samples import KeeperEnd, Web, make_answer, make_tools, work_for

from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.visits import shard_of_visit, visit_id
from tiptoe.harvest.harvester import Harvester, HarvesterPlan
from tiptoe.protocol.messages import Heard, More, News, Revoke, Work
from tiptoe.protocol.work import HostWork, ShardTime, Visit
from tiptoe.write.output_kinds import shard_of_file

PLAN = HarvesterPlan(lease_seconds=60.0, report_seconds=0.01, transfers_max=8, syncs=True, reads_tdmrep=False)
HASTY = Politeness(req_delay=0.01, general_pause=0.1)
LOST, KEPT = 7, 8


class SlowWeb(Web):
    """One that can be let go of, and may take its time."""

    async def close(self) -> None:
        """Nothing to let go of."""


class Keeper(KeeperEnd):
    """Ends every visit that is done, and speaks when it hears something."""

    def __init__(self, heard: Callable[["Keeper", object], None]) -> None:
        super().__init__()
        self.heard = heard

    def send(self, message: object) -> None:
        super().send(message)
        if isinstance(message, News):
            for report in message.reports:
                if report.is_done:
                    self.say(More(report.visit))
        self.heard(self, message)

    def told(self, shard: int) -> list[str]:
        """Return the pages of a shard that were reported."""
        news = [message for message in self.sent if isinstance(message, News)]
        reports = [report for message in news for report in message.reports]
        return [
            result.request.url
            for report in reports
            if shard_of_visit(report.visit) == shard
            for result in report.results
        ]

    def marked(self) -> set[int | None]:
        """Return the shards whose files were told of."""
        news = [message for message in self.sent if isinstance(message, News)]
        return {shard_of_file(name) for message in news for name in message.marks}


def visit_of(shard: int, work: HostWork, count: int = 1) -> Visit:
    return Visit(visit_id(shard, count), "192.0.2.1", [work])


def play(
    directory: Path, said: list[object], heard: Callable[[Keeper, object], None], web: SlowWeb | None = None
) -> tuple[SlowWeb, Keeper]:
    """Let a harvester hear this; `heard` is how its keeper goes on, None ends the wire."""

    async def scenario() -> tuple[SlowWeb, Keeper]:
        used = web or SlowWeb()
        tools = make_tools(directory, used, politeness=HASTY, is_sharded=True)
        keeper = Keeper(heard)
        keeper.say(*said)
        harvester = Harvester(keeper, tools, PLAN)  # type: ignore[arg-type]
        await asyncio.wait_for(harvester.run(), 30.0)
        return used, keeper

    return asyncio.run(scenario())


def end_when_heard(keeper: Keeper, message: object) -> None:
    """Close the wire some reports after the last order was confirmed."""
    if isinstance(message, Heard):
        asyncio.get_running_loop().call_later(0.1, keeper.say, None)


def test_a_visit_that_was_revoked_asks_nothing_and_returns_nothing(tmp_path: Path) -> None:
    """Whoever holds the shard now has taken its requests back."""
    visit = visit_of(LOST, work_for("a.example", "/1", "/2"))
    web, keeper = play(tmp_path, [Work([visit]), Revoke(LOST, 1)], end_when_heard)
    assert Heard(1) in keeper.sent
    assert web.urls == []
    assert [message for message in keeper.sent if isinstance(message, News) and message.reports] == []


def test_a_harvester_notes_the_clock_of_the_shard_before_the_first_request(tmp_path: Path) -> None:
    """Else nobody could compare its requests with those of another agent."""
    visit = visit_of(KEPT, work_for("a.example", "/1"))
    visit.time = ShardTime(moment=5000.0, offset=100.0, boot="another machine")

    def heard(keeper: Keeper, message: object) -> None:
        if keeper.told(KEPT):
            keeper.say(None)

    play(tmp_path, [Work([visit])], heard)
    (log,) = tmp_path.glob("log/requests-*.jsonl")
    first, second, *_ = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert (first["kind"], first["shard"], first["is_estimate"]) == ("clock", KEPT, True)
    assert second["url"] == "http://a.example/1"


def test_a_request_under_way_is_broken_off_and_logged(tmp_path: Path) -> None:
    """Two agents would ask one host at the same time; and whoever audits them has to know when it ended."""
    slow = make_answer("http://a.example/slow", seconds=600.0)
    web = SlowWeb({slow.url: slow})
    visit = visit_of(LOST, work_for("a.example", "/slow", "/2"))

    async def scenario() -> Keeper:
        tools = make_tools(tmp_path, web, politeness=HASTY, is_sharded=True)
        keeper = Keeper(end_when_heard)
        keeper.say(Work([visit]))
        harvester = Harvester(keeper, tools, PLAN)  # type: ignore[arg-type]
        running = asyncio.ensure_future(harvester.run())
        while not web.urls:
            await asyncio.sleep(0.01)
        keeper.say(Revoke(LOST, 1))
        await asyncio.wait_for(running, 30.0)
        return keeper

    keeper = asyncio.run(scenario())
    assert web.urls == [slow.url]
    assert keeper.told(LOST) == []
    (log,) = tmp_path.glob("log/requests-*.s07.jsonl")
    (line,) = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert (line["url"], line["failure"]) == (slow.url, "harvester_lost")
    assert line["ended_at"] - line["started_at"] < 30.0
    assert not list(tmp_path.glob("log/*.underway")), "it is under way no more"


def test_visits_of_other_shards_go_on(tmp_path: Path) -> None:
    """They are ours as before, and their pages stand in files of their own."""
    lost = visit_of(LOST, work_for("a.example", "/1", "/2"))
    kept = visit_of(KEPT, work_for("b.example", "/1", "/2"))
    web = SlowWeb({f"http://b.example/{n}": make_answer(f"http://b.example/{n}") for n in (1, 2)})

    def heard(keeper: Keeper, message: object) -> None:
        if len(keeper.told(KEPT)) == 2:
            keeper.say(None)

    web, keeper = play(tmp_path, [Work([lost, kept]), Revoke(LOST, 1)], heard, web)
    assert web.urls == ["http://b.example/1", "http://b.example/2"]
    assert keeper.told(KEPT) == web.urls
    assert (keeper.told(LOST), keeper.marked()) == ([], {KEPT})


def test_a_shard_that_comes_back_has_new_files(tmp_path: Path) -> None:
    """Those of before wait to be cut; nothing may be written behind what is cut off."""
    web = SlowWeb({f"http://a.example/{n}": make_answer(f"http://a.example/{n}") for n in (1, 2)})

    def heard(keeper: Keeper, message: object) -> None:
        if keeper.told(LOST) == ["http://a.example/1"] and Heard(1) not in keeper.sent:
            if keeper.to_hear.qsize() < 2:
                keeper.say(Revoke(LOST, 1), Work([visit_of(LOST, work_for("a.example", "/2"), 2)]))
        elif keeper.told(LOST)[1:]:
            keeper.say(None)

    web, keeper = play(tmp_path, [Work([visit_of(LOST, work_for("a.example", "/1"))])], heard, web)
    assert sorted(set(keeper.told(LOST))) == ["http://a.example/1", "http://a.example/2"]
    names = {path.name.partition(".s07")[2] for path in tmp_path.glob("corpus/*")}
    assert names == {"-00001.jsonl.open", ".2-00001.jsonl.open"}
