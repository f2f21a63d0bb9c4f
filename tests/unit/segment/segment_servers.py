"""Segmenters on loopback that behave exactly as badly as a test wants."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from tiptoe.segment.segmenter_client import SegmenterClient
from tiptoe.segment.segmenter_service import SegmenterReply
from tiptoe.segment.server import Respond, Server

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def answering(respond: Respond) -> AsyncIterator[str]:
    """Serve whatever `respond` says; the address of the segmenter."""
    async with Server(respond, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.port}"


@contextlib.asynccontextmanager
async def talking(talk: Talk) -> AsyncIterator[str]:
    """Serve bytes; the address of the segmenter."""
    tasks: set[asyncio.Task[None]] = set()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await talk(reader, writer)
        tasks.discard(task)
        writer.close()

    listener = await asyncio.start_server(meet, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    finally:
        listener.close()
        left = list(tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


@contextlib.asynccontextmanager
async def asking(url: str, **traits: Any) -> AsyncIterator[SegmenterClient]:
    """A client as long as the block lasts."""
    settings: dict[str, Any] = {
        "timeout_seconds": 30.0,
        "documents_max": 50,
        "user_agent": "tiptoe-test",
        **traits,
    }
    client = SegmenterClient(url, **settings)
    try:
        yield client
    finally:
        await client.close()


def rate_all(usability: object = 0.5) -> Respond:
    """Rate every document alike."""

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        return as_json([{"id": text["id"], "usability": usability} for text in documents_in(body)])

    return respond


def documents_in(body: bytes) -> list[dict[str, Any]]:
    documents: list[dict[str, Any]] = json.loads(body)["documents"]
    return documents


def as_json(documents: object) -> SegmenterReply:
    return SegmenterReply(200, json.dumps({"documents": documents}).encode())
