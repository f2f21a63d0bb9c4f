"""Does anybody notice when something ends that a member does beside its crawl?"""

import asyncio

import pytest

from tiptoe.cluster.companions import side_by_side
from tiptoe.errors import ProtocolError


async def done_soon() -> None:
    """End in good order."""


async def fail() -> None:
    raise ProtocolError("an answer that makes no sense")


def test_what_fails_beside_a_crawl_ends_it_and_is_told() -> None:
    """A member whose files nobody settles any more would go on for weeks as if all were well."""
    ended: list[str] = []

    async def go_on() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("the others")

    with pytest.raises(ProtocolError, match="makes no sense"):
        asyncio.run(side_by_side(go_on(), done_soon(), fail()))
    assert ended == ["the others"]


def test_what_has_done_its_work_stops_nobody() -> None:
    asyncio.run(side_by_side(done_soon(), done_soon()))
