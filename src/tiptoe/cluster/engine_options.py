"""How does a process connect to the engine of a cluster, and as which user?"""

from pathlib import Path

import msgspec

from tiptoe.cluster.engine import Engine
from tiptoe.cluster.engine_names import check_crawl_name
from tiptoe.cluster.libraries import cluster_libraries
from tiptoe.errors import SettingsError

__all__ = ["EngineOptions", "open_engine"]

REPLICAS_MAX = 5  # JetStream's


class EngineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses of the servers, the name of the crawl, and what authenticates the client."""

    servers: tuple[str, ...]  # nats://host:port or tls://host:port
    crawl: str
    replicas: int | None = None  # copies of all data if the crawl must be created; None: it must exist
    member: str = "tiptoe"  # shown to the operator of the servers
    user: str | None = None
    password: str | None = None
    ca_file: Path | None = None  # the authority that signed the certificates of the servers
    ca_pem: str = ""  # the same, as text
    certificate_file: Path | None = None  # our own, for servers that require one
    key_file: Path | None = None
    reads_only: bool = False  # the credentials permit reading only
    seconds: float = 5.0  # limit for every request

    def __post_init__(self) -> None:
        check_crawl_name(self.crawl)
        if not self.servers:
            raise SettingsError("a cluster needs the address of at least one NATS server")
        if self.replicas is not None and not 1 <= self.replicas <= REPLICAS_MAX:
            raise SettingsError(f"{self.replicas} replicas: NATS keeps between 1 and {REPLICAS_MAX}")

    def __repr__(self) -> str:
        return f"<EngineOptions {self.crawl} at {','.join(self.servers)}>"  # never the password


async def open_engine(options: EngineOptions) -> Engine:
    """Connect to the engine of a crawl; where `replicas` are given, create what is missing."""
    with cluster_libraries():
        from tiptoe.cluster.nats_engine import NatsEngine
        from tiptoe.cluster.reading_engine import ReadingEngine
    return await (ReadingEngine if options.reads_only else NatsEngine).open(options)
