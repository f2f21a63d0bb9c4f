"""What a harvester does when it cannot go on."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from harvest_samples import NO_RULES, Web, make_answer, make_tools, work_for

from tiptoe.harvest.busy import BusyNote
from tiptoe.harvest.harvester import Harvester, HarvesterPlan
from tiptoe.keeper.directory import take_busy_note
from tiptoe.protocol.messages import Work
from tiptoe.protocol.work import RobotsNote, Visit
from tiptoe.write.outputs import Outputs


class Wire:
    """A keeper that says this, and then nothing."""

    def __init__(self, *said: object) -> None:
        self.said = list(said)
        self.sent: list[object] = []

    def send_from_thread(self) -> None:
        """Nothing to do."""

    def send(self, message: object) -> None:
        self.sent.append(message)

    async def drain(self) -> None:
        """Everything is heard at once."""

    async def receive(self) -> object:
        if not self.said:
            await asyncio.Event().wait()
        return self.said.pop(0)

    def close(self) -> None:
        """Nothing to let go of."""


class ClosableWeb(Web):
    """One that can be let go of."""

    async def close(self) -> None:
        """Nothing is held."""


PLAN = HarvesterPlan(
    lease_seconds=60.0, report_seconds=0.01, transfers_max=8, syncs=False, reads_tdmrep=False
)


def test_a_harvester_that_cannot_report_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its beats would go on, and the keeper would wait for its results for ever."""

    def fail(self: Outputs) -> None:
        raise OSError("input/output error")

    async def run() -> int:
        tools = make_tools(tmp_path, ClosableWeb({"http://a.example/1": make_answer()}))
        wire = Wire(Work([Visit(7, "192.0.2.1", [work_for("a.example", "/1")])]))
        harvester = Harvester(wire, tools, PLAN)  # type: ignore[arg-type]
        monkeypatch.setattr(Outputs, "flush", fail)
        return await asyncio.wait_for(harvester.run(), 30.0)

    assert asyncio.run(run()) == 1


class FaultyNote(BusyNote):
    """A busy note of a harvester that stumbles over everything it reads."""

    def begin(self, url: str) -> None:
        super().begin(url)
        raise RecursionError(url)


@pytest.mark.parametrize("rules", [None, NO_RULES], ids=["rules", "page"])
def test_what_a_harvester_fails_at_stays_suspected(tmp_path: Path, rules: RobotsNote | None) -> None:
    """Others go on reading until it is gone, and would cover the traces."""
    work = work_for("a.example", "/1", robots=rules)

    async def run() -> BusyNote:
        note = FaultyNote(tmp_path / "state" / "h2-0001.busy")
        tools = replace(make_tools(tmp_path, ClosableWeb()), busy=note)
        wire = Wire(Work([Visit(1, "192.0.2.1", [work])]))
        harvester = Harvester(wire, tools, PLAN)  # type: ignore[arg-type]
        assert await asyncio.wait_for(harvester.run(), 30.0) == 1
        return note

    note = asyncio.run(run())
    note.end()
    asked = "/robots.txt" if rules is None else "/1"
    assert take_busy_note(tmp_path, "h2-0001") == [f"http://a.example{asked}"]
    note.close()
