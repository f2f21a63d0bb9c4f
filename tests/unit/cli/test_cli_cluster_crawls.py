"""What do commands about a crawl on many machines leave behind when they fail half-way?"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest

from nats_servers import PASSWORD, USER, single_server
from tiptoe.cli.cluster_commands import remove_command, set_for_all
from tiptoe.cli.cluster_target import open_crawl_of
from tiptoe.cli.cluster_transfer_commands import BEFORE, export_command, import_command
from tiptoe.cli.main import app
from tiptoe.cluster.cluster_operator import ClusterOperator
from tiptoe.cluster.crawl_record import change_settings, join_crawl
from tiptoe.cluster.credentials import Credentials, read_credentials
from tiptoe.cluster.engine_options import open_engine
from tiptoe.cluster.member_file import MEMBER_FILE, MemberNote, read_member, write_member
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.settings_file import remember
from tiptoe.protocol.operator import Reconfigure
from tiptoe.protocol.work import Request
from tiptoe.settings.layers import Settings
from tiptoe.settings.remembering import to_remember, to_share
from tiptoe.store.rocks import RocksStore

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
        with pytest.raises(CrawlerError, match="no crawl to continue"):
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


def crawl_of_one_machine(path: Path) -> None:
    """A crawl that has ended, with one host."""
    (path / "state").mkdir(parents=True)
    store = RocksStore(path / DATABASE, block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    Frontier(store, FrontierPolicy()).add([Request("http://a.example/")], 0.0)
    store.close()
    remember(path, to_remember(Settings.load(overrides={**SETTINGS, "crawl.name": "moved"})))
    CrawlDirectory(path).begin_seeded(["http://a.example/"])


@pytest.mark.parametrize("is_in_place", [False, True], ids=["before the shards are in place", "after"])
def test_an_import_that_was_broken_off_can_be_repeated(
    member: MemberNote, tmp_path: Path, *, is_in_place: bool
) -> None:
    """When others could have found the crawl already; whoever is told "already" has to know what to do."""
    home = tmp_path / "one"
    crawl_of_one_machine(home)
    import_command(home, cluster=member.servers)
    (home / MEMBER_FILE).unlink()  # what comes last was not written
    if not is_in_place:
        (home / DATABASE).rename(home / "state" / "frontier.shards")

    with pytest.raises(SettingsError, match="tiptoe cluster remove SERVERS --name moved --yes"):
        import_command(home, cluster=member.servers)
    remove_command(member.servers, name="moved", yes=True)
    import_command(home, cluster=member.servers)
    assert read_member(home) is not None
    assert (home / BEFORE).exists()
    assert not (home / "state" / "frontier.shards").exists()


@pytest.mark.parametrize("crawl", ["czech", "another"], ids=["there", "to be created"])
def test_who_takes_a_label_that_nobody_knows_does_not_come_in(
    member: MemberNote, tmp_path: Path, capsys: pytest.CaptureFixture[str], crawl: str
) -> None:
    """Others would wait for a member that ends at once, and a directory would be in the way."""
    words = ["crawl", "http://a.example/", "--cluster", member.servers, "--crawl-name", crawl]
    words += ["--contact", "https://example.org/bot", "--set", "cluster.takes=unknown"]
    words += ["--set", "cluster.shards=2", "--out", str(tmp_path / "new")]
    with pytest.raises(SettingsError, match="no label 'unknown'"):
        app(words)
    assert capsys.readouterr().out == ""  # neither "joined" nor "created"
    assert not (tmp_path / "new").exists()


def test_credentials_for_one_crawl_say_how_to_name_it(tmp_path: Path) -> None:
    """Without a name the crawl would have that of the robot."""
    credentials = Credentials(servers=("nats://127.0.0.1:1",), user="petr", password="x", crawl="czech")
    file = tmp_path / "petr.json"
    file.write_bytes(msgspec.json.encode(credentials))
    file.chmod(0o600)
    with pytest.raises(SettingsError, match=r"only for crawl 'czech'; say --crawl-name czech$"):
        app([
            "crawl", "http://a.example/", "--cluster", str(file), "--contact", "https://example.org/bot",
            "--out", str(tmp_path / "new"),
        ])  # fmt: skip
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("words", [["status"], ["drain", "blue"], ["remove", "--yes"], ["commands"]])
def test_a_crawl_that_is_not_there_is_told_in_plain_words(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a directory it is `crawl`, which nobody has typed."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="crawl: does not exist; name the directory of a member"):
        app(["cluster", *words])
