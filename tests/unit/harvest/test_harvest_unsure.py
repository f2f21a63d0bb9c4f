"""A keeper that is there, but cannot vouch for its shards: its harvesters wait with it."""

import asyncio
import json
from pathlib import Path

from harvest_samples import KeeperEnd, Web, make_answer, make_tools, work_for

from tiptoe.frontier.politeness import Politeness
from tiptoe.harvest.harvester import Harvester, HarvesterPlan
from tiptoe.protocol.messages import Beat, More, News, Unsure, Work
from tiptoe.protocol.work import Visit

PLAN = HarvesterPlan(lease_seconds=0.6, report_seconds=0.01, transfers_max=8, syncs=True, reads_tdmrep=False)
HASTY = Politeness(req_delay=0.01, general_pause=0.1)
SLOW = "http://a.example/slow"


class SlowWeb(Web):
    """One that can be let go of, and may take its time."""

    async def close(self) -> None:
        """Nothing to let go of."""


class Keeper(KeeperEnd):
    """Has lost its servers, until it hears that everything was returned and three leases are over."""

    def __init__(self) -> None:
        super().__init__()
        self.returned: list[str] = []
        self.told: list[str] = []
        self.beats = 0
        self.is_sure = False

    def send(self, message: object) -> None:
        super().send(message)
        if isinstance(message, Beat):
            self.beats += 1
            if self.beats == 18 and self.returned:  # three leases, and the harvester is still there
                self.is_sure = True
                self.say(Work([Visit(2, "192.0.2.1", [work_for("a.example", "/2")])]))
            self.say(Beat(message.number) if self.is_sure else Unsure(message.number))
        if isinstance(message, News):
            for report in message.reports:
                self.returned += [request.url for request in report.returned]
                self.told += [result.request.url for result in report.results]
                if report.is_done:
                    self.say(More(report.visit))
            if self.told:
                self.say(None)


def play(directory: Path, keeper: Keeper) -> SlowWeb:
    async def scenario() -> SlowWeb:
        web = SlowWeb({SLOW: make_answer(SLOW, seconds=600.0)})
        tools = make_tools(directory, web, politeness=HASTY, is_sharded=True)
        keeper.say(Work([Visit(1, "192.0.2.1", [work_for("a.example", "/slow", "/1")])]))
        harvester = Harvester(keeper, tools, PLAN)  # type: ignore[arg-type]
        await asyncio.wait_for(harvester.run(), 20.0)
        return web

    return asyncio.run(scenario())


def test_a_harvester_stays_idle_and_goes_on_when_its_keeper_is_sure_again(tmp_path: Path) -> None:
    """To end and be started again, over and over, would cost more than the crawl itself."""
    keeper = Keeper()
    web = play(tmp_path, keeper)
    assert keeper.told == ["http://a.example/2"]
    assert web.urls == [SLOW, "http://a.example/2"]


def test_without_a_sure_keeper_a_request_under_way_is_broken_off_and_returned(tmp_path: Path) -> None:
    """Another agent may take the shard over, and ask the same host."""
    keeper = Keeper()
    play(tmp_path, keeper)
    assert sorted(keeper.returned) == ["http://a.example/1", SLOW]
    logs = tmp_path.glob("log/requests-*.jsonl")
    lines = [json.loads(line) for log in logs for line in log.read_bytes().splitlines()]
    (broken,) = [line for line in lines if line.get("url") == SLOW]
    assert broken["failure"] == "harvester_lost"
    assert broken["ended_at"] - broken["started_at"] < 1.3 * PLAN.lease_seconds
