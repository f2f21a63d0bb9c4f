"""How is each crawler started with its best settings?

All get the same web, seeds, contact and place for their output, and obey robots.txt. tiptoe also keeps its
pauses; Scrapy and wget run without any delay.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rig import CONTACT, PLAIN, Pace, tiptoe_command

from tiptoe.errors import SettingsError
from tiptoe.testing.served import SpawnedWeb

ROOT: Final = Path(__file__).resolve().parents[1]
SCRAPY_HOME: Final = ROOT / ".bench" / "scrapy"
SPIDER: Final = Path(__file__).with_name("compare_spider.py")
USER_AGENT: Final = f"bench/1.0 (+{CONTACT})"

SCRAPY_TRIES: Final[Mapping[str, Mapping[str, object]]] = {
    # The default queue looks at every host before each request, which is expensive with thousands of hosts.
    "plain queue": {"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue"},
    "plain queue, uvloop": {
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    },
    # Recommended in its documentation on broad crawls.
    "as for broad crawls": {
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "REACTOR_THREADPOOL_MAXSIZE": 20,
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    },
}
"""Settings tried on Scrapy before the comparison; the one with the most pages per CPU second takes part."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One crawler about to be started."""

    command: list[str]
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))


Starter = Callable[[SpawnedWeb, Path, Path, float], Launch]
"""Takes web, seeds, output directory and maximum time; returns what to run."""


def tiptoe(pace: Pace) -> Starter:
    """Return how tiptoe is started: one keeper, one harvester; like the others it does not judge text."""

    def start(web: SpawnedWeb, seeds: Path, out: Path, seconds: float) -> Launch:
        return Launch(tiptoe_command(web, seeds, out, seconds=seconds, pace=pace, more=PLAIN))

    return start


def scrapy(tried: Mapping[str, object]) -> Starter:
    """Return how Scrapy is started with these settings."""

    def start(web: SpawnedWeb, seeds: Path, out: Path, seconds: float) -> Launch:
        out.mkdir()
        command = [
            str(SCRAPY_HOME / "bin" / "scrapy"),
            "runspider",
            str(SPIDER),
            "-o",
            str(out / "items.jsonl"),
        ]
        settings = {"USER_AGENT": USER_AGENT, "CLOSESPIDER_TIMEOUT": int(seconds), **tried}
        for name, value in settings.items():
            command += ["-s", f"{name}={value}"]
        return Launch(command, _through(web) | {"BENCH_SEEDS": str(seeds)})

    return start


def wget(web: SpawnedWeb, seeds: Path, out: Path, seconds: float) -> Launch:
    """Return how wget is started: recursive, over all hosts, silent, robots.txt obeyed as by default."""
    command = ["timeout", f"{seconds:g}", "wget", "--no-config", "--no-hsts", "-q", "-U", USER_AGENT]
    command += ["-r", "-l", "inf", "-H", "-P", str(out), "-i", str(seeds)]
    return Launch(command, _through(web))


def require_wget() -> str:
    """Return the version of wget; raise an error that says how to get it."""
    if shutil.which("wget") is None:
        raise SettingsError("wget is not installed: apt-get install wget, or --only tiptoe,scrapy")
    told = subprocess.run(["wget", "--version"], capture_output=True, text=True, check=True).stdout
    return told.splitlines()[0].split(" built")[0]


def install_scrapy() -> str:
    """Install Scrapy by name into an environment of its own, unless it is installed; return its version."""
    python = SCRAPY_HOME / "bin" / "python"
    if not (SCRAPY_HOME / "bin" / "scrapy").exists():
        print(f"installing Scrapy into {SCRAPY_HOME.relative_to(ROOT)} ...", file=sys.stderr, flush=True)
        try:
            subprocess.run([sys.executable, "-m", "venv", str(SCRAPY_HOME)], check=True)
            subprocess.run([str(python), "-m", "pip", "install", "-q", "scrapy", "uvloop"], check=True)
        except subprocess.CalledProcessError as error:
            raise SettingsError("Scrapy could not be installed; or --only tiptoe,wget") from error
    told = subprocess.run(
        [str(python), "-c", "import scrapy; print('Scrapy', scrapy.__version__)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return told.stdout.strip()


def _through(web: SpawnedWeb) -> dict[str, str]:
    """Return an environment in which everything goes through the proxy of the simulated web."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return kept | {"http_proxy": str(web.proxy_url)}
