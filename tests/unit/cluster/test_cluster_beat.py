"""All who wait for a beat go on at the same moment."""

import asyncio

from simulated.virtual import Timeline
from tiptoe.cluster.beat import SharedBeat


def moments_of(beat: SharedBeat, *begun: float) -> list[float]:
    """Return when those go on who begin to wait at these moments."""
    timeline = Timeline()
    loop = timeline.loop("agent")
    went_on: list[float] = []

    async def wait(at: float) -> None:
        await asyncio.sleep(at)
        await beat.wait()
        went_on.append(round(timeline.now, 6))

    for at in begun:
        loop.create_task(wait(at))
    timeline.run(until=10.0)
    loop.kill()
    return went_on


def test_whoever_waits_goes_on_with_all_others() -> None:
    """Thirty shards that send at the same moment wake the servers once."""
    assert moments_of(SharedBeat(0.2), 1.01, 1.1, 1.19, 1.3) == [1.2, 1.2, 1.2, 1.4]


def test_without_an_interval_nobody_waits() -> None:
    assert moments_of(SharedBeat(), 1.01, 1.3) == [1.01, 1.3]


def test_one_who_gives_up_takes_nobody_along() -> None:
    """The shard of a task may be lost while it waits."""
    timeline = Timeline()
    loop = timeline.loop("agent")
    beat = SharedBeat(1.0)
    stays = loop.create_task(beat.wait())
    goes = loop.create_task(beat.wait())
    loop.call_at(0.5, goes.cancel)
    timeline.run(until=2.0)
    assert (stays.done(), stays.cancelled(), goes.cancelled()) == (True, False, True)
    loop.kill()
