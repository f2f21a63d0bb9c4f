"""Where a host is, asked of all members."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from cluster_grounds import ClusterGround
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.locating_service import FoundAmongMembers, ask_whereabouts, serve_whereabouts
from tiptoe.protocol.whereabouts import HostWhereabouts, PageWhereabouts, Whereabouts

KNOWN = Whereabouts(
    now=1.0,
    host=HostWhereabouts(host="a.example", state="parked"),
    page=PageWhereabouts(url="http://a.example/x", queued_in=1),
)
UNKNOWN = Whereabouts(now=2.0)
FAR = Whereabouts(now=3.0, unfollowed={"too_deep": 2, "unfollowed": 1})


@contextlib.asynccontextmanager
async def answering(
    engine: Engine, name: str, locate: Callable[[str, str], Whereabouts]
) -> AsyncIterator[None]:
    task = asyncio.ensure_future(serve_whereabouts(engine, name, locate))
    await asyncio.sleep(0.05)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def ask(ground: ClusterGround, *agents: str, host: str = "a.example") -> FoundAmongMembers:
    async def main() -> FoundAmongMembers:
        engine = await ground.connect()
        async with (
            answering(engine, "holds", lambda asked, url: KNOWN if asked == "a.example" else UNKNOWN),
            answering(engine, "other", lambda asked, url: UNKNOWN),
            answering(engine, "far", lambda asked, url: FAR),
        ):
            return await ask_whereabouts(engine, agents, host, "http://a.example/x", seconds=0.2)

    return ground.run(main())


def test_the_member_that_holds_the_host_tells(ground: ClusterGround) -> None:
    assert ask(ground, "other", "holds") == FoundAmongMembers(KNOWN, [])


def test_a_host_that_nobody_knows_is_unknown(ground: ClusterGround) -> None:
    assert ask(ground, "other", "holds", host="b.example") == FoundAmongMembers(UNKNOWN, [])


def test_who_does_not_answer_is_told(ground: ClusterGround) -> None:
    """That one may be the one that knows."""
    assert ask(ground, "other", "dead") == FoundAmongMembers(UNKNOWN, ["dead"])
    assert ask(ground, "dead") == FoundAmongMembers(None, ["dead"])


def test_links_that_were_not_followed_are_those_of_all_members(ground: ClusterGround) -> None:
    """Whichever of them met the page that leads there."""
    found = ask(ground, "other", "far", "holds", host="a.example").whereabouts
    assert found is not None
    assert (found.host, found.unfollowed) == (KNOWN.host, FAR.unfollowed)
