"""What a harvester does when it cannot go on."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from harvest_samples import make_tools

from tiptoe.frontier.messages import Request, Result
from tiptoe.harvest.harvester import Harvester, HarvesterPlan
from tiptoe.write.outputs import Outputs


class Wire:
    """A keeper that says nothing."""

    def __init__(self) -> None:
        self.sent: list[object] = []

    def send_from_thread(self) -> None:
        """Nothing to do."""

    def send(self, message: object) -> None:
        self.sent.append(message)

    async def drain(self) -> None:
        """Everything is heard at once."""

    async def receive(self) -> None:
        await asyncio.Event().wait()

    def close(self) -> None:
        """Nothing to let go of."""


class Unused:
    """Stands where nobody asks for anything."""

    async def close(self) -> None:
        """Nothing to let go of."""


def test_a_harvester_that_cannot_report_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its beats would go on, and the keeper would wait for its results for ever."""
    plan = HarvesterPlan(
        lease_seconds=60.0, report_seconds=0.01, transfers_max=8, syncs=False, reads_tdmrep=False
    )

    def fail(self: Outputs) -> None:
        raise OSError("input/output error")

    async def run() -> int:
        tools = replace(make_tools(tmp_path), client=Unused(), resolver=Unused())  # type: ignore[arg-type]
        harvester = Harvester(Wire(), tools, plan, joined_at=tools.time())  # type: ignore[arg-type]
        harvester._outbox.add(7, Result(Request("http://a.example/"), status=200))
        monkeypatch.setattr(Outputs, "flush", fail)
        return await asyncio.wait_for(harvester.run(), 30.0)

    assert asyncio.run(run()) == 1
