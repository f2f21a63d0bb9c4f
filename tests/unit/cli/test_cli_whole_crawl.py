"""Commands that read a crawl read all of it, from any member."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest

from nats_servers import PASSWORD, USER, single_server
from tiptoe.cli import member_status
from tiptoe.cli.audit_command import audit_command
from tiptoe.cli.cluster_gather_command import gather_command
from tiptoe.cli.control_commands import status
from tiptoe.cli.export_command import export_command
from tiptoe.cli.export_options import ExportOptions
from tiptoe.cli.freshness_command import freshness_command
from tiptoe.cli.history_command import history_command
from tiptoe.cli.main import app
from tiptoe.cli.stats_command import stats_command
from tiptoe.cluster.crawl_end import CrawlEnd, EndRecord
from tiptoe.cluster.crawl_ending import ENDED_KEY
from tiptoe.cluster.crawl_record import join_crawl, read_record
from tiptoe.cluster.credentials import read_credentials
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.engine_options import open_engine
from tiptoe.cluster.file_service import FileService
from tiptoe.cluster.lost_members import note_lost
from tiptoe.cluster.member_file import MemberNote, write_member
from tiptoe.cluster.shard_clock import ClockReading
from tiptoe.cluster.shard_lease import LeaseRecord
from tiptoe.cluster.status_service import serve_status
from tiptoe.errors import SettingsError
from tiptoe.protocol.status import Status
from tiptoe.write.corpus import CorpusWriter, Document
from tiptoe.write.logentries import RequestEntry, Terms
from tiptoe.write.requestlog import RequestLog

TERMS = Terms(
    user_agent="tiptoe/0.1 (+https://example.org/bot)", agent="tiptoe", req_delay=5.0, max_hosts=2,
    max_reqs=9, general_pause=300.0, slow_factor=2.0, delay_max=60.0, retry_after_max=86400.0,
    backoff_first=60.0, robots_expiry=86400.0,
)  # fmt: skip
HOST = "a.example"


def write_crawl(directory: Path, writer: str, *pages: str, visit: str = "1", at: float = 0.0) -> None:
    """Write what an agent leaves that has asked for these pages, a minute apart, from a moment on."""
    directory.mkdir(parents=True)
    (directory / "state").mkdir()
    (directory / "crawl.json").write_text("{}")
    log = RequestLog(directory, writer, terms=TERMS)
    log.write_robots(f"http://{HOST}", "rules")
    corpus = CorpusWriter(directory, writer, size_max=10**9, encoding="utf-8")
    began = log.now() + at
    for number, page in enumerate(pages):
        url, moment = f"http://{HOST}/{page}", began + 60.0 * number
        log.write_request(
            RequestEntry(
                started_at=moment, ended_at=moment, host=HOST, address="192.0.2.1", url=url, purpose="page",
                robots="allowed", delay=5.0, visit=visit, harvester=writer, status=200,
            )
        )  # fmt: skip
        corpus.write_document(
            Document(
                id=page, url=url, title="", language="cs", charset="utf-8", last_modified="", depth=0,
                digest="", warc_file="", warc_offset=0, fetched_at=f"2026-11-1{number}T00:00:00Z",
                paragraphs=[f"text of {page}"],
            )
        )  # fmt: skip
    log.close()
    corpus.files.flush()
    corpus.files.close()


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two agents that have asked one host within ten seconds: each by itself is polite."""
    here, there = tmp_path / "here", tmp_path / "there"
    write_crawl(here, "h1", "1", visit="1")
    write_crawl(there, "h2", "2", visit="2", at=10.0)
    return here, there


# -- several directories -------------------------------------------------------


def test_one_audit_of_several_directories(
    pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = pair
    assert [audit_command(directory) for directory in pair] == [0, 0]
    capsys.readouterr()
    assert audit_command(here, str(there)) == 1
    printed = capsys.readouterr().out
    assert f"Audit of {here} and 1 other directory" in printed
    assert "here/requests-h1.jsonl:3, there/requests-h2.jsonl:3" in printed


@pytest.mark.parametrize("words", [["{there}", HOST], [HOST, "{there}"], ["{there}", "--host", HOST]])
def test_a_host_may_stand_among_the_directories(
    pair: tuple[Path, Path], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = pair
    given = [word.format(there=there) for word in words]
    assert app(["audit", str(here), *given], result_action="return_value") == 1
    assert f"What was asked of {HOST}" in capsys.readouterr().out


def test_two_hosts_at_a_time_are_a_mistake(pair: tuple[Path, Path]) -> None:
    with pytest.raises(SettingsError, match="one host at a time"):
        audit_command(pair[0], "a.example", "b.example")


def test_statistics_export_and_history_of_several_directories(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = pair
    assert stats_command(here, there, as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["requests"] == 2
    out = tmp_path / "out.jsonl"
    assert export_command(here, there, options=ExportOptions(format="jsonl", out=out)) == 0
    assert exported(out) == ["text of 1", "text of 2"]
    capsys.readouterr()
    assert history_command(here, str(there), f"http://{HOST}/2", as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["url"] == f"http://{HOST}/2"
    with pytest.raises(SettingsError, match="the address of the page comes last"):
        history_command(here, f"{HOST}/2", str(there))


def exported(out: Path) -> list[str]:
    return [msgspec.json.decode(line, type=Document).paragraphs[0] for line in out.read_bytes().splitlines()]


# -- a member ------------------------------------------------------------------


class Agents:
    """Agents that answer for their files, in a thread of their own."""

    def __init__(self, servers: str) -> None:
        self.servers = servers
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._engines: dict[str, Engine] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def _do(self, work: object) -> object:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30.0)  # type: ignore[arg-type]

    def start(self, name: str, directory: Path) -> None:
        write_member(directory, MemberNote(servers=self.servers, crawl="czech", agent=name, identity="x"))

        async def start() -> None:
            options = read_credentials(self.servers).options("czech", member=name, replicas=1)
            engine = self._engines[name] = await open_engine(options)
            self._tasks[name] = asyncio.ensure_future(FileService(engine, name, directory).run())
            while await engine.get(f"member.{name}") is None:
                await asyncio.sleep(0.01)

        self._do(start())

    def tell_status(self, name: str, status: Status) -> None:
        """Answer for an agent that holds shard 6 or another one."""

        async def begin() -> None:
            engine = self._engines[name]
            self._tasks[f"{name}.status"] = asyncio.ensure_future(serve_status(engine, name, lambda: status))

        self._do(begin())
        if name == "one":
            self.hold(name, 6)

    def hold(self, name: str, shard: int) -> None:
        async def hold() -> None:
            engine = self._engines[name]
            lease = LeaseRecord(name, "x", 1, 1, ClockReading("", 0.0, 0.0, 0.0))
            await engine.put(f"shard.{shard}", msgspec.msgpack.encode(lease))
            await _create_crawl(engine)

        self._do(hold())

    def find_end(self, name: str, end: EndRecord) -> None:
        """Note that the crawl is over, as the agent does that has found out."""

        async def find() -> None:
            await _create_crawl(self._engines[name])
            await self._engines[name].put(ENDED_KEY, msgspec.msgpack.encode(end))

        self._do(find())

    def end(self, name: str, goodbye_of: Path | None = None) -> None:
        async def end() -> None:
            if goodbye_of is not None:
                await FileService(self._engines[name], name, goodbye_of).announce_leaving()
            tasks = [self._tasks.pop(key) for key in (name, f"{name}.status") if key in self._tasks]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._engines.pop(name).close()

        self._do(end())

    def lose(self, name: str) -> None:
        """Say that a member is lost, as an operator does."""

        async def lose() -> None:
            await note_lost(next(iter(self._engines.values())), name)

        self._do(lose())

    def close(self) -> None:
        for name in list(self._engines):
            self.end(name)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _create_crawl(engine: Engine) -> None:
    if await read_record(engine) is None:
        await join_crawl(
            engine, shards=8, settings={}, seeds=["http://a.example/"], downloaded=[], created_at=0.0
        )


@contextmanager
def agents_of(directory: Path) -> Iterator[Agents]:
    with single_server(directory) as server:
        place = server.options.address.partition("://")[2]
        agents = Agents(f"nats://{USER}:{quote(PASSWORD)}@{place}")
        try:
            yield agents
        finally:
            agents.close()


def test_a_member_reads_the_whole_crawl(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = pair
    with agents_of(tmp_path / "nats") as agents:
        agents.start("one", here)
        agents.start("two", there)

        assert audit_command(here) == 1  # what neither knows by itself
        assert not (here / "members" / "two" / "corpus").exists()  # an audit needs the logs alone
        printed = capsys.readouterr()
        assert "two/requests-h2.jsonl:3" in printed.out
        assert printed.err == ""

        out = tmp_path / "out.jsonl"
        assert export_command(there, options=ExportOptions(format="jsonl", out=out)) == 0
        assert sorted(exported(out)) == ["text of 1", "text of 2"]
        capsys.readouterr()
        assert stats_command(here, as_json=True) == 0
        assert json.loads(capsys.readouterr().out)["requests"] == 2
        assert stats_command(here, as_json=True, local=True) == 0
        assert json.loads(capsys.readouterr().out)["requests"] == 1
        assert gather_command(here) == 0
        with pytest.raises(SettingsError, match="there is no such crawl on these servers"):
            freshness_command(here)  # which asks the crawl itself, and here only its members are there


def test_an_agent_that_is_not_there_is_said_to_be_missing(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = pair
    with agents_of(tmp_path / "nats") as agents:
        agents.start("one", here)
        agents.start("two", there)
        agents.end("two")  # without a word

        assert audit_command(here, as_json=True) == 2
        printed = capsys.readouterr()
        assert json.loads(printed.out)["missing"] == ["two"]
        assert "the files of two" in printed.err
        assert gather_command(here) == 1


def test_gathering_is_complete_without_the_files_of_a_member_that_was_lost(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody will ever have them, and what was in them is asked for again. An audit still has gaps."""
    here, there = pair
    with agents_of(tmp_path / "nats") as agents:
        agents.start("one", here)
        agents.start("two", there)
        agents.end("two")
        agents.lose("two")

        assert gather_command(here) == 0
        printed = capsys.readouterr().out
        assert "two: was lost with its files, and its pages are requested again" in printed
        assert "everything else is in" in printed
        assert audit_command(here, as_json=True) == 2
        printed_both = capsys.readouterr()
        assert json.loads(printed_both.out)["missing"] == ["two"]
        assert "lost, unless they were gathered before: the files of two" in printed_both.err


def test_who_left_in_good_order_is_missing_only_if_not_all_of_it_is_here(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = pair
    with agents_of(tmp_path / "nats") as agents:
        agents.start("one", here)
        agents.start("two", there)
        assert gather_command(here, what="logs") == 0
        agents.end("two", goodbye_of=there)

        assert audit_command(here, as_json=True) == 1
        told = capsys.readouterr().out
        assert json.loads(told[told.index("{") :])["missing"] == []
        assert gather_command(here, what="corpus") == 1


def test_without_the_servers_what_was_gathered_before_is_read(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = pair
    with agents_of(tmp_path / "nats") as agents:
        agents.start("one", here)
        agents.start("two", there)
        gather_command(here, what="logs")
    capsys.readouterr()
    assert audit_command(here) == 1
    printed = capsys.readouterr()
    assert "the servers of the cluster do not answer" in printed.err
    assert "the logs of other agents are missing" in printed.out  # nobody knows how many there are
    assert audit_command(here, local=True) == 2


def test_a_crawl_on_one_machine_has_nobody_to_ask(pair: tuple[Path, Path]) -> None:
    with pytest.raises(SettingsError, match="no member of a crawl on many machines"):
        gather_command(pair[0])


def test_the_status_of_a_member_is_that_of_the_whole_crawl(
    pair: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(member_status, "LOOK_SECONDS", 0.1)
    here, there = pair
    with agents_of(tmp_path / "nats") as agents:
        agents.start("one", here)
        agents.start("two", there)
        agents.tell_status("one", Status(pages=3, seconds=10.0))
        agents.hold("two", 5)

        assert status(here, as_json=True) == 1
        told = json.loads(capsys.readouterr().out)
        assert (told["crawl"]["pages"], told["silent"], told["unheld"]) == (3, ["two"], 7)
        assert [(line["name"], line["shards"]) for line in told["agents"]] == [("one", [6]), ("two", [5])]

        agents.tell_status("two", Status(pages=4))
        assert status(there) == 0
        printed = capsys.readouterr().out
        assert "czech, seen from two" in printed
        assert "does not answer" not in printed


def test_the_status_of_a_crawl_that_nobody_works_on_says_why(
    pair: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All agents have left by then, and figures of nobody would be zeros."""
    monkeypatch.setattr(member_status, "LOOK_SECONDS", 0.1)
    with agents_of(tmp_path / "nats") as agents:
        agents.start("one", pair[0])
        agents.hold("one", 5)
        assert status(pair[0]) == 1
        printed = capsys.readouterr().out
        assert "no member is at work" in printed
        assert "requests made" not in printed
        agents.find_end("one", EndRecord(CrawlEnd.PAGES, 500.0))
        status(pair[0], as_json=True)
        assert json.loads(capsys.readouterr().out)["ended_because"] == "pages"
        status(pair[0])
        printed = capsys.readouterr().out
        assert "the crawl has ended: page limit reached" in printed
        assert "requests made" not in printed
