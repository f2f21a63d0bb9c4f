"""The command lines of the documents for crawls that run, for the control server and for robots.

One crawl is told everything, here and through a server; it gets slower and slower, and is stopped at last.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from docs_runs import Runner, lines_of, said
from journey_control import ControlServer, no_crawl_left
from journey_crawl import PATIENCE_SECONDS, SMALL, Crawl, Pace, Stage, simulated_web, tiptoe, wait_until

from tiptoe.control.server_certificate import key_pin

pytestmark = pytest.mark.journey

LONG: Final = replace(SMALL, pages_per_host=400)
TOLD: Final = "politeness.req_delay=10s"


@pytest.fixture
def czech(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Stage, Crawl]]:
    """A crawl in the middle of its work, in the folder where we are; and its web."""
    monkeypatch.chdir(tmp_path)
    with simulated_web(tmp_path, LONG) as stage:
        crawl = stage.crawl(name="czech", pace=Pace(req_delay=0.5), harvest__harvesters=1)
        crawl.start()
        crawl.wait_for_lines(5)
        yield stage, crawl


def test_a_running_crawl_obeys_the_lines_of_the_documents(czech: tuple[Stage, Crawl]) -> None:
    stage, crawl = czech
    lines = lines_of(Runner.RUNNING)
    claiming = next(words for words in lines if words[0] == "crawl")
    watch, stop = ("status", "czech", "--watch"), ("stop", "czech")
    lines = [words for words in lines if words not in (claiming, watch, stop)]
    lines.sort(
        key=lambda words: "harvest.harvesters=4" in words
    )  # which cost least when nothing is asked for
    changed = [said(*words) for words in lines if words[0] == "set"]
    assert sum(" -> " in printed for printed in changed) >= 3
    for words in lines:
        if words[0] != "set":
            assert said(*words)
    status = crawl.status()
    assert (status["holds"], status["stopped_because"]) == ([], "")

    with subprocess.Popen([sys.executable, "-m", "tiptoe", *watch], stdout=subprocess.PIPE) as watching:
        assert watching.stdout is not None
        assert watching.stdout.readline()
        assert said(*stop).endswith("stopped\n")
        watching.stdout.read()
        assert watching.wait(PATIENCE_SECONDS) == 0  # it ends with the crawl
    _claim(stage, list(claiming))


def _claim(stage: Stage, words: list[str]) -> None:
    """A robot that claims asks for nothing before its first exchange."""
    prague = Crawl(Path("prague").absolute(), [], {})
    stage.crawls.append(prague)
    Path("seeds.txt").write_text("\n".join(stage.homes()))
    settings = stage.crawl([]).settings | {"harvest.harvesters": 1}
    del settings["crawl.contact"]  # which the line names
    done = tiptoe(
        *words, *(word for pair in settings.items() for word in ("--set", "=".join(map(str, pair))))
    )
    assert done.returncode == 0, done.stderr
    prague.status_when(lambda figures: figures["harvesters"] > 0, "a harvester")
    assert said("stop", "prague").endswith("stopped\n")
    assert [entry.url for entry in prague.requests() if entry.purpose == "page"] == []


# -- in the browser ---------------------------------------------------------


def test_a_control_server_does_what_the_documents_say(
    czech: tuple[Stage, Crawl], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs come in with a token of the first server; a robot finds a later one by its key."""
    _, crawl = czech
    monkeypatch.setattr("tiptoe.cli.control_robot_commands.FATE_SECONDS", 0.5)  # the robot is away
    servers = {words: here(words, tmp_path) for words in lines_of(Runner.CONTROL) if words[1] == "serve"}
    plain, with_tls, alone, unnamed = (
        next(spoken for words, spoken in servers.items() if sign in words[2:])
        for sign in ("--root", "--tls", "--crawl", "control")
    )
    assert len(servers) == 4
    (tmp_path / "home").mkdir()
    with no_crawl_left(tmp_path):
        for spoken, expected in ((alone, "open this link"), (unnamed, "make the first account")):
            with serving(spoken, tmp_path) as server:
                assert expected in server.link
        with serving(plain, tmp_path) as server:
            secret = tell_by_token(server, crawl, tmp_path)
        (tmp_path / "lab-1.secret").touch(mode=0o600)
        (tmp_path / "lab-1.secret").write_text(secret)
        with serving(with_tls, tmp_path) as server:
            answer_robot(server, tmp_path)


def here(words: tuple[str, ...], folder: Path) -> list[str]:
    """Return a line with our folders in place of those of the documents, and no port that others may have."""
    listening = {words.index("--listen"), words.index("--listen") + 1} if "--listen" in words else set()
    kept = [word for place, word in enumerate(words) if place not in listening]
    meant = {"~": f"{folder}/home", "/data/crawls": str(folder), "crawls.example.org": "localhost"}
    for theirs, ours in meant.items():
        kept = [word.replace(theirs, ours) for word in kept]
    return kept


@contextmanager
def serving(spoken: list[str], folder: Path) -> Iterator[ControlServer]:
    """Run a server by a line of the documents; its link is the last line that it prints at the start."""
    words = [sys.executable, "-m", "tiptoe", *spoken, "--listen", "127.0.0.1:0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            assert process.stdout is not None
            ready = process.stdout.readline()
            found = re.search(r"ready at (https?://\S+)", ready)
            assert found is not None, ready
            yield ControlServer(process, found[1], process.stdout.readline(), folder)
        finally:
            process.kill()


def tell_by_token(server: ControlServer, crawl: Crawl, folder: Path) -> str:
    """Say what programs say; return the secret of a robot that is yet to start."""
    server.link = server.link.strip()
    with server.begin() as api:
        (folder / "home" / "control.token").write_text(server.token)
        assert api.post("/crawls/open", json={"directory": str(crawl.out)}).status_code < 300
        made = api.post("/robots", json={"name": "lab-1"}).json()
        said("catalog", "build", "czech")
        wait_until(lambda: api.get("/crawls/czech/hosts").is_success, "the list of hosts", pause=0.2)
        lines = [words for words in lines_of(Runner.CONTROL) if "--token-file" in words]
        told = {words[1]: said(*here(words, folder), "--server", server.url) for words in lines}
    assert "czech" in told["crawls"]
    assert "lab-1" in told["robots"]
    assert "the robot does it when it is back" in told["command"]
    assert f"-> {TOLD.partition('=')[2]}" in told["set"]
    assert crawl.status()["holds"] == ["operator"]
    assert '"facets"' in told["call"]
    return str(made["secret"])


def answer_robot(server: ControlServer, folder: Path) -> None:
    """Start a robot as its page says, and see it come in."""
    (line,) = (words for words in lines_of(Runner.CONTROL) if words[0] == "robot")
    certificate = folder / "home" / "control" / "tls" / "certificate.pem"
    meant = {"https://crawls.example.org:8900": server.url, "sha256//…": key_pin(certificate)}
    words = [sys.executable, "-m", "tiptoe", *(meant.get(word, word) for word in line)]
    ask = ("control", "robots", "--server", server.url, "--certificate", str(certificate))
    token = ("--token-file", "home/control.token")
    with subprocess.Popen(words, cwd=folder, stderr=subprocess.DEVNULL) as robot:
        try:
            wait_until(lambda: "never" not in said(*ask, *token), "the robot", pause=0.3)
        finally:
            robot.terminate()
            robot.wait(PATIENCE_SECONDS)
