"""A control server as people start it, with an account and a token: for journeys and browsers."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
from journey_crawl import Stage

from tiptoe.keeper.directory import find_keeper

__all__ = ["PASSWORD", "USER", "ControlServer", "control_server", "no_crawl_left", "plan"]

USER = "eva"
PASSWORD = "a long password"


@dataclass(slots=True)
class ControlServer:
    """A running server, and how to come in."""

    process: "subprocess.Popen[str]"
    url: str
    link: str  # good once; empty when there is an account already
    folder: Path
    token: str = ""

    @property
    def token_file(self) -> Path:
        return self.folder / "token"

    def begin(self) -> httpx.Client:
        """Make the first account by the link, and a token; return a client that comes in with it."""
        with httpx.Client(base_url=self.url) as browser:
            form = {
                "key": self.link.partition("key=")[2],
                "name": USER,
                "password": PASSWORD,
                "again": PASSWORD,
            }
            assert browser.post("/welcome", data=form).status_code == 303
            page = browser.get("/account").text
            found = re.search(r'name="csrf" value="([^"]+)"', page)
            assert found is not None
            wish = {"csrf": found[1], "name": "test", "role": "administrator", "days": "0"}
            answer = browser.post("/account/tokens", data=wish).text
        key = re.search(r'value="(tiptoe_[^"]+)"', answer)
        assert key is not None
        self.token = key[1]
        self.token_file.write_text(self.token)
        return self.program()

    def program(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=60)

    def kill(self) -> None:
        """End it at once, as `kill -9` does."""
        self.process.kill()
        self.process.wait()


@contextmanager
def no_crawl_left(folder: Path) -> Iterator[None]:
    """Leave no process behind: crawls outlive the server that has started them."""
    try:
        yield
    finally:
        for lock in folder.glob("**/state/lock"):
            if (pid := find_keeper(lock.parents[1])) is not None:
                with suppress(psutil.NoSuchProcess):
                    keeper = psutil.Process(pid)
                    for process in [*keeper.children(recursive=True), keeper]:
                        process.kill()


@contextmanager
def control_server(folder: Path, *words: str, is_new: bool = True) -> Iterator[ControlServer]:
    """Run `tiptoe control serve` while the `with` lasts; a new one prints a link to begin with."""
    command = [sys.executable, "-m", "tiptoe", "control", "serve", "--listen", "127.0.0.1:0", *words]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        url = re.search(r"http://\S+", first)
        assert url is not None, first
        link = ""
        if is_new:
            found = re.search(r"http://\S+", process.stdout.readline())
            link = found[0] if found else ""
        yield ControlServer(process, url[0], link, folder)
    finally:
        process.kill()
        process.communicate()


def plan(stage: Stage, name: str, **settings: object) -> dict[str, object]:
    """Return the plan of a crawl of a simulated web, as the API takes it."""
    crawl = stage.crawl(name=name)
    known = {**crawl.settings, **{key.replace("__", "."): value for key, value in settings.items()}}
    return {"name": name, "seeds": crawl.seeds, "settings": {key: str(value) for key, value in known.items()}}
