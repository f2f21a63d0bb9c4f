"""How are messages of a stream read in order, without end?

By requesting them in portions (from a pull consumer in the memory of one server). After any failure a new
consumer is created that begins after the last message passed on: when its server dies, when the connection is
lost, when a message is missing. Silence counts as a failure too, because the server sends a heartbeat every
few seconds. No more than one portion is buffered here.
"""

import asyncio
import itertools
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress

import msgspec
import nats.errors
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from tiptoe.cluster.engine import MESSAGE_BYTES_MAX, EngineUnavailable
from tiptoe.cluster.nats_connection import NatsConnection
from tiptoe.errors import SettingsError

__all__ = ["NatsReader", "StreamMessage"]

PORTION_MESSAGES = 256
PORTION_BYTES = 2 * MESSAGE_BYTES_MAX
PORTION_SECONDS = 30.0
HEARTBEAT_SECONDS = 3.0
SILENCE_SECONDS_MAX = 7.0
FORGOTTEN_SECONDS = 60.0
RETRY_SECONDS = 0.3
NANOSECONDS = 1_000_000_000
HEARTBEAT, EXPIRED, CONFLICT = "100", "408", "409"
PORTION_DONE = ("Message Size Exceeds MaxBytes", "Batch Completed")
"""Descriptions of a 409 status that is no error: the portion is complete."""

log = logging.getLogger(__name__)


class StreamMessage(msgspec.Struct, frozen=True):
    """One message of a stream."""

    subject: str
    sequence: int
    data: bytes
    headers: dict[str, str]
    more: int  # how many were waiting after it


class Portion(msgspec.Struct, frozen=True):
    """The request for one portion from a consumer."""

    batch: int = PORTION_MESSAGES
    max_bytes: int = PORTION_BYTES
    expires: int = int(PORTION_SECONDS * NANOSECONDS)
    idle_heartbeat: int = int(HEARTBEAT_SECONDS * NANOSECONDS)


ASK = msgspec.json.encode(Portion())


class NatsReader:
    """Reads the messages of some subjects of a stream."""

    def __init__(self, connection: NatsConnection, stream: str, subjects: list[str]) -> None:
        self._connection = connection
        self._stream = stream
        self._subjects = subjects

    def __repr__(self) -> str:
        return f"<NatsReader {self._stream} {' '.join(self._subjects)}>"

    async def messages(self, *, after: int = 0) -> AsyncGenerator[StreamMessage | None, None]:
        """Yield the messages after a sequence; None whenever there are no more."""
        while True:
            start = ConsumerConfig(deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=after + 1)
            async with aclosing(self._until_trouble(start)) as messages:
                async for message in messages:
                    if message is not None:
                        after = message.sequence
                    yield message
            await asyncio.sleep(RETRY_SECONDS)

    async def latest(
        self, is_gone: Callable[[StreamMessage], bool]
    ) -> AsyncGenerator[StreamMessage | None, None]:
        """Yield the last message of each subject, then None, then new ones; start over after a failure.

        Before the None, subjects that are gone are left out.
        """
        while True:
            is_told = False
            start = ConsumerConfig(deliver_policy=DeliverPolicy.LAST_PER_SUBJECT)
            async with aclosing(self._until_trouble(start)) as messages:
                async for message in messages:
                    if message is not None:
                        if is_told or not is_gone(message):
                            yield message
                    elif not is_told:
                        is_told = True
                        yield None
            await asyncio.sleep(RETRY_SECONDS)

    async def _until_trouble(self, start: ConsumerConfig) -> AsyncGenerator[StreamMessage | None, None]:
        consumer = NatsConsumer(self._connection, self._stream)
        try:
            is_idle = await consumer.open(start, self._subjects) == 0
            if is_idle:
                yield None
            async with aclosing(consumer.messages()) as messages:
                async for message in messages:
                    if message is not None:
                        is_idle = False
                        yield message
                    if not is_idle and (message is None or message.more == 0):
                        is_idle = True
                        yield None
        except (EngineUnavailable, SettingsError, nats.errors.Error, OSError) as error:
            # Refused credentials may be accepted later, because they were accepted once.
            if self._connection.is_closed:
                raise EngineUnavailable("the connection to NATS was closed") from error
            log.debug("%r: %s", self, error)
        finally:
            await consumer.close()


class NatsConsumer:
    """A consumer in the memory of a server, used until its first failure."""

    def __init__(self, connection: NatsConnection, stream: str) -> None:
        self._connection = connection
        self._stream = stream
        self._name = ""
        self._inbox = ""
        self._subscription: Subscription | None = None
        self._arrived: asyncio.Queue[Msg | None] = asyncio.Queue()  # None: the connection was lost

    async def open(self, start: ConsumerConfig, subjects: list[str]) -> int:
        """Create the consumer; return how many messages wait for it."""
        config = start.evolve(
            filter_subjects=subjects,
            ack_policy=AckPolicy.NONE,
            inactive_threshold=FORGOTTEN_SECONDS,
            num_replicas=1,
            mem_storage=True,
        )
        client = await self._connection.client()
        self._connection.on_return(self, self._note_loss)
        self._inbox = client.new_inbox()
        self._subscription = await client.subscribe(f"{self._inbox}.*", cb=self._arrived.put)
        made = await self._connection.call(
            f"reading {self._stream}",
            lambda js: js.add_consumer(self._stream, config),
            is_repeatable=True,  # the server drops unused consumers
        )
        self._name = made.name
        return made.num_pending or 0

    def _note_loss(self) -> None:
        self._arrived.put_nowait(None)

    async def messages(self) -> AsyncGenerator[StreamMessage | None, None]:
        """Yield messages, and None when there was none for a while; it ends when something has failed."""
        number = 0
        for portion in itertools.count():
            reply = f"{self._inbox}.{portion}"
            client = await self._connection.client()
            await client.publish(f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{self._name}", ASK, reply)
            left = PORTION_MESSAGES
            while left:
                message = await self._next()
                if message is None:
                    return
                headers = message.headers or {}
                status = headers.get("Status")
                if status is None:
                    number += 1
                    left -= 1
                    told = message.metadata
                    if told.sequence.consumer != number:
                        return
                    yield StreamMessage(
                        message.subject, told.sequence.stream, message.data, headers, told.num_pending
                    )
                elif message.subject != reply:
                    continue  # about an earlier portion that is complete
                elif status == EXPIRED or (status == CONFLICT and headers.get("Description") in PORTION_DONE):
                    break
                elif status == HEARTBEAT:
                    yield None
                else:
                    return

    async def _next(self) -> Msg | None:
        """Return the next message; None when the connection was lost or the server is silent."""
        try:
            return self._arrived.get_nowait()
        except asyncio.QueueEmpty:
            pass
        try:
            async with asyncio.timeout(SILENCE_SECONDS_MAX):
                return await self._arrived.get()
        except TimeoutError:
            return None

    async def close(self) -> None:
        """Delete the consumer; if the server cannot be reached, it drops the consumer after a while."""
        self._connection.on_return(self, None)
        with suppress(EngineUnavailable, SettingsError, nats.errors.Error, OSError):
            if self._subscription is not None:
                await self._subscription.unsubscribe()
            if self._name:
                client = await self._connection.client()
                await client.publish(f"$JS.API.CONSUMER.DELETE.{self._stream}.{self._name}")
