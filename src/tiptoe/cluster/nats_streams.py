"""Which streams of JetStream store a crawl?

Keys and objects follow the conventions of NATS itself, so that its own tools (`nats kv`, `nats object`) show
them. All streams refuse new messages when they are full: nothing that was acknowledged is dropped.
"""

from functools import partial

from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

from tiptoe.cluster.engine_names import LOG_KINDS, check_crawl_name, check_log
from tiptoe.cluster.nats_connection import NatsConnection
from tiptoe.errors import SettingsError

__all__ = ["CrawlStreams", "NoSuchCrawl"]

NAME_IN_USE = 10058
REPLICAS_NOT_SUPPORTED = 10074
NO_DUPLICATE_WINDOW = 0.1  # seconds, the shortest there is: nothing is sent with a message id
COMMON = StreamConfig(
    retention=RetentionPolicy.LIMITS,
    discard=DiscardPolicy.NEW,
    storage=StorageType.FILE,
    duplicate_window=NO_DUPLICATE_WINDOW,
)


class NoSuchCrawl(SettingsError):
    """The servers have no crawl of this name that these credentials may see."""

    def __init__(self, crawl: str) -> None:
        super().__init__(f"there is no crawl {crawl!r} on these servers")


class CrawlStreams:
    """The names of a crawl's streams and subjects in JetStream."""

    def __init__(self, crawl: str) -> None:
        self.bucket = f"tiptoe-{check_crawl_name(crawl)}"
        self.keys = f"KV_{self.bucket}"
        self.objects = f"OBJ_{self.bucket}"
        self._space = f"tiptoe.{crawl}"

    def __repr__(self) -> str:
        return f"<CrawlStreams {self.bucket}>"

    def key(self, key: str) -> str:
        """Return the subject of a key."""
        return f"$KV.{self.bucket}.{key}"

    def log(self, subject: str) -> tuple[str, str]:
        """Return the stream of a log, and its subject there."""
        return self._stream(check_log(subject).partition(".")[0]), f"{self._space}.{subject}"

    def request(self, subject: str) -> str:
        """Return the subject of requests."""
        return f"{self._space}.ask.{subject}"

    def parts(self, encoded_name: str, upload: str) -> str:
        """Return the subject of the parts of one upload of an object; `*` for all uploads."""
        return f"$O.{self.bucket}.C.{encoded_name}.{upload}"

    def head(self, encoded_name: str) -> str:
        """Return the subject of an object's head."""
        return f"$O.{self.bucket}.M.{encoded_name}"

    def _stream(self, kind: str) -> str:
        return f"{self.bucket}-{kind}"

    def _configs(self, replicas: int) -> list[StreamConfig]:
        common = COMMON.evolve(num_replicas=replicas)
        logs = [
            common.evolve(name=self._stream(kind), subjects=[f"{self._space}.{kind}.>"]) for kind in LOG_KINDS
        ]
        keys = common.evolve(
            name=self.keys,
            subjects=[self.key(">")],
            max_msgs_per_subject=1,
            allow_rollup_hdrs=True,
            deny_delete=True,
        )
        objects = common.evolve(
            name=self.objects,
            subjects=[f"$O.{self.bucket}.C.>", self.head(">")],
            allow_rollup_hdrs=True,
        )
        # The keys come last: if they exist, so does everything else.
        return [*logs, objects, keys]

    async def open(self, connection: NatsConnection, *, replicas: int | None) -> None:
        """Make sure that all streams exist, creating the missing ones if `replicas` are given."""
        for config in self._configs(replicas or 1):
            name = config.name
            assert name is not None
            if await connection.call(name, partial(_exists, name=name), is_repeatable=True):
                continue
            if replicas is None:
                raise NoSuchCrawl(self.bucket.removeprefix("tiptoe-"))
            await connection.call(name, partial(_create, config=config), is_repeatable=True)

    async def remove(self, connection: NatsConnection) -> None:
        """Delete the crawl from all servers, for good."""
        for config in reversed(self._configs(1)):
            name = config.name
            assert name is not None
            await connection.call(name, partial(_remove, name=name), is_repeatable=True)


async def _exists(js: JetStreamContext, name: str) -> bool:
    try:
        await js.stream_info(name)
    except NotFoundError:
        return False
    return True


async def _create(js: JetStreamContext, config: StreamConfig) -> None:
    try:
        await js.add_stream(config)
    except APIError as error:
        if error.err_code == REPLICAS_NOT_SUPPORTED:
            raise SettingsError(
                f"{config.num_replicas} replicas need as many servers in a cluster; this server is alone"
            ) from error
        if error.err_code != NAME_IN_USE:  # another client was faster, with other replicas
            raise


async def _remove(js: JetStreamContext, name: str) -> None:
    try:
        await js.delete_stream(name)
    except NotFoundError:
        return
