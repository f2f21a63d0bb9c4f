"""What a member shows of the whole crawl."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest

from cluster_grounds import MemoryGround, serving
from tiptoe.cli.member_status import member_rows
from tiptoe.cluster.agent_presence import AgentPresence, AgentsSeen
from tiptoe.cluster.membership import Membership
from tiptoe.cluster.shard_clock import ClockReading
from tiptoe.cluster.shard_lease import LeaseRecord, ShardLease
from tiptoe.cluster.status_service import serve_status
from tiptoe.cluster.whole_view import WholeView
from tiptoe.protocol.status import Status

CLOCK = ClockReading("", 0.0, 0.0, 0.0)


@pytest.fixture
def ground() -> Iterator[MemoryGround]:
    made = MemoryGround()
    yield made
    made.close()


def seen_by(agent: str, **shards: list[int]) -> Membership:
    """As much of a membership as is asked for: agents, and who holds what."""
    agents = AgentsSeen(30.0)
    leases = [ShardLease(shard, agent=agent, incarnation=agent, seconds=30.0) for shard in range(6)]
    for name, held in shards.items():
        agents.seen(name, AgentPresence(name, name, 5), 1, 0.0)
        for shard in held:
            leases[shard].seen(LeaseRecord(name, name, 1, 1, CLOCK), 1, 0.0)
    return cast(Membership, SimpleNamespace(agents=agents, leases=leases))


def test_a_member_says_of_what_its_figures_are_and_what_all_have(ground: MemoryGround) -> None:
    """Else somebody who looks at one of ten machines takes a tenth for the whole."""

    async def main() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        engine, other = await ground.connect(), await ground.connect()
        view = WholeView(engine, seen_by("a", a=[0, 1], b=[2, 3, 4]), "a", lambda: Status(pages=10))
        before = member_rows(view)
        async with serving(serve_status(other, "b", lambda: Status(pages=7, documents=5))):
            await view.look()
        return before, member_rows(view)

    before, after = ground.run(main())
    assert before == [("figures", "of 2 of 6 shards, held here")]
    assert after[0] == before[0]
    assert after[1][0] == "whole crawl"
    assert after[1][1].startswith("17 pages, ")
    assert "2 members" in after[1][1]
    assert "1 shard" in after[1][1]  # which nobody holds


def test_who_does_not_answer_is_named(ground: MemoryGround) -> None:
    async def main() -> list[tuple[str, str]]:
        view = WholeView(await ground.connect(), seen_by("a", a=[0], b=[1]), "a", Status)
        await view.look()
        return member_rows(view)

    assert ground.run(main())[1][1].endswith("not counted, since they do not answer: b")


def test_at_the_end_of_a_crawl_the_last_whole_figures_stay(ground: MemoryGround) -> None:
    """All leave at once, and take their shards out of the sum."""

    async def main() -> list[tuple[str, str]]:
        engine, other = await ground.connect(), await ground.connect()
        membership = seen_by("a", a=[0, 1], b=[2, 3, 4, 5])
        view = WholeView(engine, membership, "a", lambda: Status(pages=10))
        async with serving(serve_status(other, "b", lambda: Status(pages=7))):
            await view.look()
        membership.agents.seen("b", None, 2, 0.0)
        for lease in membership.leases[2:]:
            lease.seen(LeaseRecord("", "", 1, 2, CLOCK), 2, 0.0)
        await view.look_last()
        for lease in membership.leases[:2]:
            lease.seen(LeaseRecord("", "", 1, 2, CLOCK), 2, 0.0)
        return member_rows(view)

    figures, whole = ground.run(main())
    assert figures == ("figures", "of 2 of 6 shards, held here")
    assert whole[1].startswith("17 pages, ")
