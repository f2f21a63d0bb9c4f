"""Engines that the tests of a crawl on many machines run over."""

from collections.abc import Iterator

import pytest

from cluster_grounds import ClusterGround, MemoryGround, NatsGround
from nats_servers import single_server
from tiptoe.cluster.nats_server import NatsServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A real server, alone."""
    with single_server(tmp_path_factory.mktemp("nats")) as running:
        yield running


@pytest.fixture(params=["memory", "nats"])
def ground(request: pytest.FixtureRequest) -> Iterator[ClusterGround]:
    """Each engine in turn."""
    made: ClusterGround = (
        MemoryGround() if request.param == "memory" else NatsGround([request.getfixturevalue("server")])
    )
    yield made
    made.close()
