"""Which further requests does a member serve?"""

import contextlib
from collections.abc import AsyncGenerator, Callable

from tiptoe.cluster.engine import Engine

__all__ = ["drain_subject", "serve_drain"]


def drain_subject(agent: str) -> str:
    """Return the subject under which a member is asked to leave."""
    return f"agent.{agent}.drain"


@contextlib.asynccontextmanager
async def serve_drain(engine: Engine, agent: str, leave: Callable[[], object]) -> AsyncGenerator[None, None]:
    """Serve requests to leave while the context lasts."""

    async def answer(question: bytes) -> bytes:
        leave()
        return f"{agent} finishes its requests, gives its shards away and ends".encode()

    async with engine.serve(drain_subject(agent), answer):
        yield
