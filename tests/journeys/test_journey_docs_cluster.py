"""The command lines of the documents for crawls on many machines.

Three servers, and folders in place of machines. One member is lost with its disk, the crawl is brought to one
machine, and another one is shared.
"""

import glob
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from docs_runs import Runner, lines_of, said
from journey_control import no_crawl_left
from journey_crawl import PATIENCE_SECONDS, SMALL, Crawl, Pace, Stage, simulated_web, tiptoe, wait_until

from nats_servers import free_ports
from tiptoe.cli.exits import Exit
from tiptoe.errors import CrawlerError

pytestmark = pytest.mark.journey

LONG: Final = replace(SMALL, pages_per_host=400)
LINES: Final = lines_of(Runner.CLUSTER)
MEANT: Final = {"a.example": "127.0.0.1", "b.example": "127.0.0.1", r"\.cz$": r"\.(test|example)$"}
FEW_PAGES: Final = ("--max-pages", "3")


def the_line(*signs: str) -> list[str]:
    """Return the one line with all of these words, and with what they mean here."""
    (line,) = (words for words in LINES if set(signs) <= set(words))
    return [MEANT.get(word, word) for word in line]


def options(stage: Stage, agent: str, **further: object) -> list[str]:
    """Return what a member on this machine needs beside a line of the documents."""
    known = stage.crawl([], pace=Pace(req_delay=0.5)).settings | {"harvest.harvesters": 1}
    known |= {"cluster.agent": agent, "cluster.shards": 4, "cluster.lease": "6s"}
    known |= {name.replace("__", "."): value for name, value in further.items()}
    del known["crawl.contact"]  # which the lines name
    return [word for name, value in known.items() for word in ("--set", f"{name}={value}")]


@contextmanager
def serving(words: list[str], folder: Path, *, is_new: bool = True) -> Iterator[None]:
    """Run a server by a line of the documents until the `with` ends; a new one on ports of its own."""
    port, cluster_port = free_ports(2)
    ports = ["--port", str(port), "--cluster-port", str(cluster_port)] if is_new else []
    with (folder / "server.txt").open("w+") as console:
        process = subprocess.Popen(
            [sys.executable, "-m", "tiptoe", *words, *ports], stdout=console, stderr=console, cwd=folder
        )
        try:
            greeted = "Ctrl-C stops this server"
            wait_until(lambda: greeted in (folder / "server.txt").read_text(), "the server", pause=0.05)
            yield
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_SECONDS) == 0, (folder / "server.txt").read_text()


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """Three machines with a server each, and a web; we are at the first one."""
    with ExitStack() as stack, simulated_web(tmp_path, LONG) as stage, no_crawl_left(tmp_path):
        for name in ("a", "b", "c"):
            folder = tmp_path / name
            folder.mkdir()
            (folder / "seeds.txt").write_text("\n".join(stage.homes()))
            if name != "a":
                shutil.copy(tmp_path / "a/nats/join.json", folder)
            line = the_line("server", "--servers") if name == "a" else the_line("server", "--join-file")
            stack.enter_context(serving(line, folder))
            shutil.copy(folder / "nats/members/member.json", folder)
        wait_until(lambda: ", ready;" in (tmp_path / "a/server.txt").read_text(), "all servers", pause=0.1)
        monkeypatch.chdir(tmp_path / "a")
        yield stage


def test_a_crawl_on_many_machines_does_what_the_documents_say(
    machines: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    join = the_line("crawl", "--background")
    for name, agent in (("a", "green"), ("b", "blue")):
        monkeypatch.chdir(tmp_path / name)
        done = tiptoe(*join, *options(machines, agent))
        assert done.returncode == Exit.DONE, done.stderr
    green, blue = (Crawl(tmp_path / name / "czech", [], {}) for name in ("a", "b"))
    monkeypatch.chdir(tmp_path / "a")
    wait_until(lambda: "blue" in said(*the_line("agents")), "the second member", pause=0.3)
    wait_until(lambda: green.request_lines() + blue.request_lines() > 16, "some pages", pause=0.1)
    for line in lines_of(Runner.RUNNING):  # the tutorial tells a cluster the same
        if line in (("status", "czech"), ("set", "czech", "politeness.req_delay=10s")):
            assert "green" in said(*line)
    said(*the_line("gather", "czech"))
    lose(blue)
    bring_together_and_back(machines, tmp_path, monkeypatch)


def lose(blue: Crawl) -> None:
    """A machine is gone with its disk, and the others are told."""
    with no_crawl_left(blue.out):
        pass
    shutil.rmtree(blue.out)

    def is_told() -> bool:
        try:
            return bool(said(*the_line("lost")))
        except CrawlerError as error:
            if "still holds" not in str(error):
                raise
            return False

    wait_until(is_told, "the lease to be over", pause=0.3)


def bring_together_and_back(stage: Stage, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What many have shared goes on on one machine; what one has begun is shared."""
    said(*the_line("cluster", "stop"))
    said(*the_line("cluster", "export"))
    assert Path("alone/crawl.json").exists()
    said(*the_line("remove"))
    for place, sign in (("readme", "nats/members/member.json"), ("howto", "member.json")):
        (folder / place).mkdir()
        monkeypatch.chdir(folder / place)
        shutil.copy(folder / "a/seeds.txt", ".")
        shutil.copytree(folder / "a/nats/members", "nats/members")
        shutil.copy("nats/members/member.json", ".")
        (words,) = (
            words for words in LINES if words[0] == "crawl" and sign in words and "--background" not in words
        )
        done = tiptoe(*words, *FEW_PAGES, *options(stage, "green"))
        assert done.returncode == Exit.LIMIT, done.stdout + done.stderr
        said(*the_line("remove"))
    begun = stage.crawl(stage.homes()[:2], name="howto/czech-alone")
    begun.run(*FEW_PAGES, ends=Exit.LIMIT)
    shutil.rmtree("czech")
    begun.out.rename("czech")
    assert "shards" in said(*the_line("import"))


def test_somebody_takes_part_in_one_crawl_and_somebody_else_may_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At one server, which runs on when they are added."""
    monkeypatch.chdir(tmp_path)
    (server,) = (list(words) for words in LINES if words == ("cluster", "server", "--dir", "nats"))
    with simulated_web(tmp_path, LONG) as stage, no_crawl_left(tmp_path):
        Path("seeds.txt").write_text("\n".join(stage.homes()))
        with serving(server, tmp_path):
            said(*the_line("add-user", "petr"))
            said(*the_line("add-user", "eva"))
            shutil.copy("nats/members/petr.json", "member.json")
            shutil.copy("nats/members/eva.json", ".")
            done = tiptoe(*the_line("crawl", "--background"), *options(stage, "green"))
            assert done.returncode == Exit.DONE, done.stderr
            crawl = Crawl(tmp_path / "czech", [], {})
            wait_until(lambda: crawl.request_lines() > 12, "some pages", pause=0.1)
            assert "green" in said(*the_line("status", "eva.json"))
            said(*the_line("gather", "copy"))
            export = the_line("export", "copy/members/*")
            export[1:2] = glob.glob(export[1])  # as a shell does: without hidden files
            said(*export)
            assert Path("czech.jsonl").read_text()
            said("cluster", "stop", "czech")
            assert "known to 1 server" in said(*the_line("remove-user"))


def test_a_cluster_can_be_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the fewest agents, servers and hosts that show it."""
    monkeypatch.chdir(tmp_path)
    (attempt,) = (words for words in LINES if words[:2] == ("cluster", "try"))
    done = tiptoe(*attempt, "--agents", "1", "--servers", "1", "--hosts", "2")
    assert done.returncode == Exit.DONE, done.stdout + done.stderr
    assert "0 violations" in done.stdout
