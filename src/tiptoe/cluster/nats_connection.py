"""How does a member connect to NATS, and how are errors of the connection handled?

A member uses one connection. It always reconnects by itself: after a server has died, after all have, and
after an error that makes the NATS client give up. Operations that were surely not carried out are retried
until their time limit; those that may have been are reported as EngineUnavailable.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import nats.errors
from nats.aio.client import Client, Srv
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.js import JetStreamContext
from nats.js.errors import APIError, NoStreamResponseError, NotFoundError, ServiceUnavailableError

from tiptoe.cluster.engine import MESSAGE_BYTES_MAX, EngineUnavailable, OutOfDate, UntrustedServer
from tiptoe.cluster.engine_options import EngineOptions
from tiptoe.cluster.reader_rights import READ_STREAMS
from tiptoe.errors import SettingsError

__all__ = ["NatsConnection", "honouring_cancel", "is_missing_message", "is_unserved"]

Answer = TypeVar("Answer")

RETRY_SECONDS = 0.1
TRY_SECONDS = 2.0
BREAK_OFF_SECONDS = 0.05
CLOSE_SECONDS = 5.0
RECONNECT_SECONDS = 1
PING_SECONDS = 2
PINGS_UNANSWERED_MAX = 2
WRONG_LAST_SEQUENCE = 10071
UNDECIDED = 10164
"""Another message to the same subject is being replicated, so it is undecided which is the last."""
NO_MESSAGE_FOUND = 10037
NO_ROOM = (10023, 10047, 10077)
"""The storage limit is reached or the disk is full: retrying at once does not help."""
SURELY_NOT_DONE = (NoStreamResponseError, ServiceUnavailableError, nats.errors.OutboundBufferLimitError)
"""No server could take the request, or there was no connection for it."""

log = logging.getLogger(__name__)


class NoAnswer(Exception):
    """There was no answer: the operation may have been carried out."""


class CarefulClient(Client):
    """The NATS client, but no server can make it skip encryption, and it notes the error of each server.

    The original encrypts only if the server requires it, before the server has proved its identity: an
    attacker in between that says otherwise would be sent the password.
    """

    must_encrypt = False

    def __init__(self) -> None:
        super().__init__()
        self.heard: dict[str, Exception] = {}  # the error of the last attempt, by server

    async def _connect_to_server(self, s: Srv) -> None:
        with self._hearing(s):
            await super()._connect_to_server(s)

    async def _process_connect_init(self) -> None:
        with self._hearing(self._current_server):
            await super()._process_connect_init()

    @contextmanager
    def _hearing(self, server: Srv | None) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if server is not None:
                self.heard[f"{server.uri.scheme}://{server.uri.netloc.rpartition('@')[2]}"] = error
            raise

    def _connect_command(self) -> bytes:
        if self.must_encrypt and not self._server_info.get("tls_required"):
            raise nats.errors.Error("this server does not encrypt, and is told no password")
        return super()._connect_command()

    async def end(self) -> None:
        """Close the connection, and also one that an attempt to connect has opened after a refusal.

        The client could wait forever for the end of a connection whose TLS handshake has failed.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.close()
        if self._transport is not None:
            self._transport.close()  # type: ignore[no-untyped-call]


class NatsConnection:
    """A connection that reconnects, with a time limit for every request over it."""

    def __init__(self, options: EngineOptions) -> None:
        self._options = options
        self._tls = tls_context(options)
        # Added once, however many connections there are.
        logging.getLogger("asyncio").addFilter(_concerns_somebody)
        self._streams = {"prefix": READ_STREAMS} if options.reads_only else {}
        self._client: CarefulClient | None = None
        self._js: JetStreamContext | None = None
        self._opening = asyncio.Lock()
        self.is_closed = False
        self._last_error: Exception | None = None
        self._refused = asyncio.Event()
        self._was_let_in = False
        self._served: dict[str, Callable[[Msg], Awaitable[None]]] = {}
        self._subscriptions: dict[str, Subscription] = {}
        self._waiting: set[asyncio.Timeout] = set()
        self._on_return: dict[object, Callable[[], None]] = {}

    def __repr__(self) -> str:
        is_up = self._client is not None and self._client.is_connected
        state = "closed" if self.is_closed else "up" if is_up else "down"
        return f"<NatsConnection {','.join(self._options.servers)} {state}>"

    # -- the client, which may have to be replaced -----------------------

    async def client(self) -> CarefulClient:
        """Return the NATS client, a new one when the last has given up."""
        if self.is_closed:
            raise EngineUnavailable("the connection to NATS was closed")
        if self._client is None or self._client.is_closed:
            async with self._opening:
                if self._client is None or self._client.is_closed:
                    self._client = await self._open()
                    self._js = self._client.jetstream(timeout=self._options.seconds, **self._streams)
                    for subject in self._served:
                        await self._subscribe(self._client, subject)
                    self._log_return()
        return self._client

    async def _open(self) -> CarefulClient:
        """Connect within the time limit."""
        client = CarefulClient()
        client.must_encrypt = self._tls is not None or any(
            server.startswith("tls://") for server in self._options.servers
        )
        self._refused.clear()
        connecting = asyncio.ensure_future(self._connect(client))
        refused = asyncio.ensure_future(self._refused.wait())
        try:
            await asyncio.wait(
                {connecting, refused}, timeout=self._options.seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if connecting.done():
                await connecting
                self._check_server(client)
                self._was_let_in = True
                return client
            await _break_off(connecting)
            where = ", ".join(self._options.servers)
            # Credentials that worked before may work again: a starting server does not know all users yet.
            if self._refused.is_set() and not self._was_let_in:
                raise SettingsError(f"{where}: NATS does not accept these credentials")
            raise self._nobody_there(client)
        except BaseException:
            await _break_off(connecting)
            await client.end()
            raise
        finally:
            refused.cancel()

    def _nobody_there(self, client: CarefulClient) -> EngineUnavailable:
        """Return an error that tells for each server why it could not be reached."""
        servers = self._options.servers
        values = dict.fromkeys(servers, "no answer")
        values |= {place: _in_words(error) for place, error in client.heard.items() if place in values}
        are_strangers = bool(client.heard) and all(map(_is_distrust, client.heard.values()))
        kind = UntrustedServer if are_strangers else EngineUnavailable
        return kind(
            "no connection to NATS; " + "; ".join(f"{place}: {what}" for place, what in values.items())
        )

    async def _connect(self, client: Client) -> None:
        options = self._options
        await client.connect(
            servers=list(options.servers),
            name=options.member,
            user=options.user,
            password=options.password,
            tls=self._tls,
            error_cb=self._note_error,
            disconnected_cb=self._note_loss,
            reconnected_cb=self._note_return,
            max_reconnect_attempts=-1,
            reconnect_time_wait=RECONNECT_SECONDS,
            ping_interval=PING_SECONDS,
            max_outstanding_pings=PINGS_UNANSWERED_MAX,
            # Without a connection nothing is buffered but refused, so it is surely not done.
            pending_size=0,
        )

    def _check_server(self, client: Client) -> None:
        """Refuse a server whose limits would break a crawl later."""
        if client.max_payload < MESSAGE_BYTES_MAX:
            raise SettingsError(
                f"the NATS server takes messages of {client.max_payload} bytes at most; "
                "set `max_payload: 8MB` in the configuration of all servers"
            )

    async def _note_error(self, error: Exception) -> None:
        self._last_error = error
        text = str(error).lower()
        if isinstance(error, nats.errors.AuthorizationError) or "authorization violation" in text:
            self._refused.set()
        log.debug("NATS: %s", error)

    async def _note_loss(self) -> None:
        for waiting in self._waiting:
            if not waiting.expired():
                waiting.reschedule(asyncio.get_running_loop().time())

    async def _note_return(self) -> None:
        self._log_return()

    def _log_return(self) -> None:
        for tell in list(self._on_return.values()):
            tell()

    def on_return(self, who: object, tell: Callable[[], None] | None) -> None:
        """Register a callback for every new connection; None removes it."""
        if tell is None:
            self._on_return.pop(who, None)
        else:
            self._on_return[who] = tell

    # -- requests ----------------------------------------------------------

    async def call(
        self,
        what: str,
        operation: Callable[[JetStreamContext], Awaitable[Answer]],
        *,
        is_repeatable: bool = False,
    ) -> Answer:
        """Carry out an operation of JetStream, turning its errors into those of the engine.

        A repeatable operation is retried when the connection is lost meanwhile, or when there is no answer
        for a while, because a stream without a leader does not answer.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + self._options.seconds
        while True:
            try:
                limit = min(until, loop.time() + TRY_SECONDS) if is_repeatable else until
                return await self._ask(operation, limit)
            except SURELY_NOT_DONE as error:
                trouble: Exception = error
                if isinstance(error, APIError) and error.err_code in NO_ROOM:
                    text = f"{error.description} ({error.err_code})"
                    raise EngineUnavailable(f"{what}: the servers have no room for more: {text}") from error
            except NoAnswer as error:
                trouble = error
                if not is_repeatable:
                    raise EngineUnavailable(f"{what}: {error}") from error
            except APIError as error:
                trouble = error
                if error.err_code == WRONG_LAST_SEQUENCE:
                    raise OutOfDate(f"{what}: {error.description}") from error
                if error.err_code != UNDECIDED:
                    raise EngineUnavailable(f"{what}: {error.description} ({error.err_code})") from error
            except (nats.errors.Error, OSError) as error:
                raise EngineUnavailable(f"{what}: {error}") from error
            if loop.time() + RETRY_SECONDS > until:
                raise EngineUnavailable(f"{what}: {trouble}") from trouble
            await asyncio.sleep(RETRY_SECONDS)

    async def _ask(self, operation: Callable[[JetStreamContext], Awaitable[Answer]], until: float) -> Answer:
        """Wait for an answer until `until`, or until the connection is lost, and the answer with it."""
        await self.client()
        assert self._js is not None
        waiting = asyncio.timeout_at(until)
        self._waiting.add(waiting)
        try:
            async with waiting:
                return await honouring_cancel(operation(self._js))
        except TimeoutError as error:
            is_lost = asyncio.get_running_loop().time() < until
            raise NoAnswer("the connection was lost before the answer" if is_lost else "no answer") from error
        finally:
            self._waiting.discard(waiting)

    async def serve(self, subject: str, answer: Callable[[Msg], Awaitable[None]]) -> None:
        """Pass the messages to a subject to a callback, also from later clients."""
        try:
            client = await self.client()
        except EngineUnavailable:
            self._served[subject] = answer  # for the next client
            return
        self._served[subject] = answer
        with suppress(nats.errors.Error, OSError):  # if the connection is lost, the next one subscribes
            await self._subscribe(client, subject)
            await honouring_cancel(client.flush())

    async def _subscribe(self, client: Client, subject: str) -> None:
        self._subscriptions[subject] = await client.subscribe(subject, cb=self._served[subject])

    async def stop_serving(self, subject: str) -> None:
        """Stop passing on the messages to a subject."""
        self._served.pop(subject, None)
        subscription = self._subscriptions.pop(subject, None)
        if subscription is not None:
            with suppress(nats.errors.Error, OSError):
                await subscription.unsubscribe()

    async def close(self) -> None:
        """Close the connection, if there is one."""
        self.is_closed = True
        self._log_return()  # so that readers waiting for messages notice
        if self._client is not None and not self._client.is_closed:
            await self._client.end()


def _is_distrust(error: Exception) -> bool:
    return isinstance(error, ssl.SSLCertVerificationError)


def _in_words(error: Exception) -> str:
    """Return a description of a failed attempt to connect."""
    if isinstance(error, socket.gaierror | UnicodeError):
        return f"this name cannot be resolved ({error})"
    if isinstance(error, ConnectionRefusedError):
        return "refuses connections"
    return str(error) or "no answer"


def _concerns_somebody(record: logging.LogRecord) -> bool:
    """Drop a warning of asyncio about how the client starts TLS, logged whenever a connection ends."""
    return "returning true from eof_received()" not in str(record.msg)


async def honouring_cancel(work: Awaitable[Answer]) -> Answer:
    """Await an operation of the NATS client, and always raise CancelledError if the task is cancelled.

    `asyncio.wait_for`, which the client uses, loses a cancellation that arrives together with the answer
    (until Python 3.12): the task would go on and never end. Conversely, the client may cancel its own wait
    when its connection ends: that is turned into an error of NATS, because it is no cancellation of this
    task, and a task group would not even notice that one of its tasks had ended that way.
    """
    task = asyncio.current_task()
    assert task is not None
    before = task.cancelling()
    try:
        answer = await work
    except asyncio.CancelledError:
        if task.cancelling() > before:
            raise
        raise nats.errors.Error("the client has given up waiting for the answer") from None
    if task.cancelling() > before:
        raise asyncio.CancelledError
    return answer


async def _break_off(connecting: "asyncio.Future[None]") -> None:
    """End an attempt to connect for certain: the client retries forever, and may lose a cancellation."""
    while not connecting.done():
        connecting.cancel()
        await asyncio.wait({connecting}, timeout=BREAK_OFF_SECONDS)


def tls_context(options: EngineOptions) -> ssl.SSLContext | None:
    """Return the TLS settings; None if the address alone decides."""
    if options.ca_file is None and options.certificate_file is None and not options.ca_pem:
        return None
    try:
        context = ssl.create_default_context(cafile=options.ca_file, cadata=options.ca_pem or None)
        if options.certificate_file is not None:
            context.load_cert_chain(options.certificate_file, options.key_file)
    except OSError as error:
        files = [options.ca_file, options.certificate_file, options.key_file]
        named = ", ".join(str(file) for file in files if file is not None) or "the credentials"
        raise SettingsError(f"{named}: cannot be used for TLS ({error})") from error
    return context


def is_unserved(error: EngineUnavailable) -> bool:
    """Return whether the servers were reached and JetStream did not answer."""
    return isinstance(error.__cause__, ServiceUnavailableError)


def is_missing_message(error: NotFoundError) -> bool:
    """Return whether the error means "there is no such message" rather than "there is no such stream"."""
    return error.err_code == NO_MESSAGE_FOUND
