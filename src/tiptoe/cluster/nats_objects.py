"""How are objects stored that are larger than a message?

In the format of NATS' own object store: each upload writes its parts under a subject of its own, then a head
that names them; the object exists, complete, as soon as the head does. A head replaces only the one that was
there when the upload began, so of two concurrent uploads one wins, and the other counts as replaced. Parts
left by an interrupted upload are deleted with the next upload or deletion of the same name.
"""

import base64
import hashlib
import secrets
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing

import msgspec
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from tiptoe.cluster.engine import EngineUnavailable, OutOfDate
from tiptoe.cluster.engine_names import check_name
from tiptoe.cluster.nats_connection import NatsConnection, is_missing_message
from tiptoe.cluster.nats_reader import NatsReader
from tiptoe.cluster.nats_streams import CrawlStreams

__all__ = ["NatsObjects"]

PART_BYTES = 128 * 1024
EXPECTED = "Nats-Expected-Last-Subject-Sequence"


class ObjectHead(msgspec.Struct, frozen=True, omit_defaults=True):
    """The metadata of an object, with the field names of NATS."""

    name: str
    bucket: str
    nuid: str  # of the upload
    size: int
    chunks: int
    digest: str
    deleted: bool = False


class NatsObjects:
    """The objects of a crawl."""

    def __init__(self, connection: NatsConnection, streams: CrawlStreams) -> None:
        self._connection = connection
        self._streams = streams

    async def put(self, name: str, parts: Iterable[bytes]) -> None:
        """Store an object completely or not at all."""
        coded = _coded(name)
        before, _ = await self._head(coded)
        upload = secrets.token_hex(11)
        digest, size, count, first = hashlib.sha256(), 0, 0, 0
        for part in even_parts(parts):
            digest.update(part)
            size += len(part)
            count += 1
            sequence = await self._publish(self._streams.parts(coded, upload), part, {})
            first = first or sequence
        head = ObjectHead(
            name=name,
            bucket=self._streams.bucket,
            nuid=f"{coded}.{upload}",
            size=size,
            chunks=count,
            digest=f"SHA-256={base64.urlsafe_b64encode(digest.digest()).decode()}",
        )
        try:
            sequence = await self._put_head(coded, head, before)
        except OutOfDate:
            await self._purge(self._streams.parts(coded, upload))
            return
        await self._purge(self._streams.parts(coded, "*"), before=first or sequence)

    async def get(self, name: str) -> AsyncGenerator[bytes, None] | None:
        """Return the parts of an object; None when there is no such object."""
        _, head = await self._head(_coded(name))
        return None if head is None or head.deleted else self._parts(head)

    async def _parts(self, head: ObjectHead) -> AsyncGenerator[bytes, None]:
        digest, count = hashlib.sha256(), 0
        subject = f"$O.{self._streams.bucket}.C.{head.nuid}"
        reader = NatsReader(self._connection, self._streams.objects, [subject])
        if head.chunks:
            async with aclosing(reader.messages()) as messages:
                async for message in messages:
                    if message is None:  # only replaced or deleted objects lack parts
                        raise EngineUnavailable(f"{head.name}: is no longer there")
                    digest.update(message.data)
                    count += 1
                    yield message.data
                    if count == head.chunks:
                        break
        if f"SHA-256={base64.urlsafe_b64encode(digest.digest()).decode()}" != head.digest:
            raise EngineUnavailable(f"{head.name}: was damaged on the way")

    async def delete(self, name: str) -> None:
        """Delete an object, and the remains of interrupted uploads."""
        coded = _coded(name)
        before, _ = await self._head(coded)
        gone = ObjectHead(
            name=name, bucket=self._streams.bucket, nuid=coded, size=0, chunks=0, digest="", deleted=True
        )
        try:
            sequence = await self._put_head(coded, gone, before)
        except OutOfDate:
            return  # it was replaced meanwhile, as if after the deletion
        # Uploads that began earlier will fail, because the head has changed; parts of later ones stay.
        await self._purge(self._streams.parts(coded, "*"), before=sequence)

    async def _head(self, coded: str) -> tuple[int, ObjectHead | None]:
        found = await self._connection.call(
            "an object",
            lambda js: _last(js, self._streams.objects, self._streams.head(coded)),
            is_repeatable=True,
        )
        if found is None:
            return 0, None
        return found.seq or 0, msgspec.json.decode(found.data or b"", type=ObjectHead)

    async def _put_head(self, coded: str, head: ObjectHead, before: int) -> int:
        headers = {EXPECTED: str(before), "Nats-Rollup": "sub"}
        return await self._publish(self._streams.head(coded), msgspec.json.encode(head), headers)

    async def _publish(self, subject: str, data: bytes, headers: dict[str, str]) -> int:
        stored = await self._connection.call(
            "an object", lambda js: js.publish(subject, data, headers=dict(headers) or None)
        )
        return stored.seq

    async def _purge(self, subject: str, *, before: int | None = None) -> None:
        await self._connection.call(
            "an object",
            lambda js: js.purge_stream(self._streams.objects, subject=subject, seq=before),
            is_repeatable=True,
        )


def _coded(name: str) -> str:
    return base64.urlsafe_b64encode(check_name(name).encode()).decode()


async def _last(js: JetStreamContext, stream: str, subject: str) -> RawStreamMsg | None:
    try:
        return await js.get_last_msg(stream, subject)
    except NotFoundError as error:
        if is_missing_message(error):
            return None
        raise


def even_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in parts of equal size; the last may be smaller."""
    gathered = bytearray()
    for part in parts:
        gathered += part
        while len(gathered) >= PART_BYTES:
            yield bytes(gathered[:PART_BYTES])
            del gathered[:PART_BYTES]
    if gathered:
        yield bytes(gathered)
