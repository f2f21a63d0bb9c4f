"""What do commands about a crawl on many machines leave behind when they fail half-way?"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from nats_servers import PASSWORD, USER, single_server
from tiptoe.cli.cluster_commands import set_for_all
from tiptoe.cli.cluster_target import open_crawl_of
from tiptoe.cli.cluster_transfer_commands import export_command
from tiptoe.cluster.cluster_operator import ClusterOperator
from tiptoe.cluster.crawl_record import change_settings, join_crawl
from tiptoe.cluster.credentials import read_credentials
from tiptoe.cluster.engine_options import open_engine
from tiptoe.cluster.member_file import MemberNote, write_member
from tiptoe.errors import CrawlerError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.protocol.operator import Reconfigure
from tiptoe.settings.layers import Settings
from tiptoe.settings.remembering import to_share

SETTINGS = {"crawl.contact": "https://example.org/bot", "cluster.shards": 2}


@pytest.fixture
def member(tmp_path: Path) -> Iterator[MemberNote]:
    """A crawl on a server, and the directory `here` of a member of it."""
    with single_server(tmp_path / "nats") as server:
        servers = f"nats://{USER}:{quote(PASSWORD)}@{server.options.host}:{server.options.port}"
        note = MemberNote(servers=servers, crawl="czech", agent="blue", identity="")
        asyncio.run(_create(note))
        (tmp_path / "here" / "state").mkdir(parents=True)
        write_member(tmp_path / "here", note)
        yield note


async def _create(note: MemberNote) -> None:
    engine = await open_engine(
        read_credentials(note.servers).options(note.crawl, member=note.agent, replicas=1)
    )
    try:
        await join_crawl(
            engine, shards=2, settings=to_share(Settings.load(overrides=SETTINGS)),
            seeds=["http://a.example/"], downloaded=[], created_at=0.0,
        )  # fmt: skip
    finally:
        await engine.close()


def test_an_export_that_fails_leaves_no_crawl_behind(member: MemberNote, tmp_path: Path) -> None:
    """Who went on with it would ask for every page of the crawl a second time."""

    async def spoil() -> None:
        async with open_crawl_of(member) as engine:
            await engine.append("log.1", b"not a batch")

    asyncio.run(spoil())
    out = tmp_path / "alone"
    for _ in range(2):  # and nothing is in the way of the next try
        with pytest.raises(CrawlerError, match="not a part of a batch"):
            export_command(str(tmp_path / "here"), out=out)
        with pytest.raises(CrawlerError, match="no crawl to go on with"):
            CrawlDirectory(out).claim([])


def test_members_hear_of_a_setting_that_was_stored_and_not_told(member: MemberNote, tmp_path: Path) -> None:
    """Whoever said it first was cut off: it says so again, and the crawl has to become slower now."""

    async def store() -> None:
        async with open_crawl_of(member) as engine:
            await change_settings(engine, lambda stored: {**stored, "politeness.req_delay": "60s"})

    async def commands() -> list[object]:
        async with open_crawl_of(member) as engine:
            return [given.command for given in await ClusterOperator(engine, name="test").history()]

    asyncio.run(store())
    slower = {"politeness.req_delay": "60s"}
    set_for_all(str(tmp_path / "here"), slower)
    assert asyncio.run(commands()) == [Reconfigure(slower)]
