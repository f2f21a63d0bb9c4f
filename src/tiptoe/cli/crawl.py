"""`tiptoe crawl`: walk the web quietly and bring back its text."""

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import uvloop
from cyclopts import Parameter
from rich.console import Console

from tiptoe.cli.companion import convert_rest, converting
from tiptoe.cli.display import Display
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.printer import Printer
from tiptoe.cli.summary import print_summary
from tiptoe.cli.targets import host_meant
from tiptoe.compose import build_canonicalizer, build_frontier, keeper_plan
from tiptoe.errors import CrawlInUse, SettingsError
from tiptoe.keeper.directory import MARKER, CrawlDirectory, find_keeper
from tiptoe.keeper.session import Session, SessionPlan, read_urls
from tiptoe.observe.process import spare_the_collector
from tiptoe.settings.layers import Settings

__all__ = ["crawl_command", "run_crawl", "wishes_of"]

DETACHED = "TIPTOE_DETACHED"
"""Set in the environment of a crawl that was sent to the background."""

START_SECONDS = 15.0
ADDRESS_SHOWN = 60


@takes_settings()
def crawl_command(
    *seeds: Annotated[str, Parameter(help="Where to start: addresses, or files of addresses.")],
    add_seeds: Annotated[
        bool, Parameter(help="Add these seeds to the crawl that lives in the directory.", negative="")
    ] = False,
    quiet: Annotated[
        bool, Parameter(name=["--quiet", "-q"], help="Print nothing but errors.", negative="")
    ] = False,
    layers: Layers,
) -> int:
    """Crawl from the given seeds, politely, and go on where an earlier run stopped.

    Run it again with the same --out to continue. Ctrl-C stops cleanly, a second one at once.
    """
    settings = layers.load()
    settings.user_agent("0")  # refuses to start without a contact
    if settings.crawl.background and DETACHED not in os.environ:
        return _detach(Path(settings.crawl.out))
    console = Printer(quiet=quiet)
    code = run_crawl(settings, list(seeds), console, adds_seeds=add_seeds)
    while convert_rest(settings):
        code = run_crawl(settings, [], console)
    return code


def run_crawl(settings: Settings, seeds: list[str], console: Console, *, adds_seeds: bool = False) -> int:
    """Run one session of a crawl; return the exit code."""
    urls = _read_seeds(settings, [*seeds, *settings.crawl.seeds])
    downloaded = _read_downlist(settings)
    token = _read_token(settings)
    blocked, slowed = wishes_of(settings)
    directory = CrawlDirectory(Path(settings.crawl.out))
    new = directory.claim(urls, adds_seeds=adds_seeds)
    try:
        frontier, store = build_frontier(settings, directory.path)
        try:
            plan = SessionPlan(
                seeds=new,
                downloaded=downloaded,
                harvesters=settings.harvest.harvesters,
                listen=settings.harvest.listen,
                blocked=blocked,
                slowed=slowed,
            )
            session = Session(
                directory, frontier, keeper_plan(settings, directory.path.absolute(), token), plan
            )
            with converting(settings), Display(console) as display:
                spare_the_collector()
                uvloop.run(session.run(display.show))
            print_summary(console, session.keeper, settings, directory.path)
        finally:
            store.close()
    finally:
        directory.release()
    return 0


def _read_seeds(settings: Settings, given: list[str]) -> list[str]:
    """Return the canonical addresses among the words and in the files that were given."""
    canonicalizer = build_canonicalizer(settings)
    urls: dict[str, None] = {}
    faults = []
    for word in given:
        is_file = "://" not in word
        if is_file and not Path(word).exists():
            faults.append(f"{word}: no such file; an address begins with http:// or https://")
            continue
        for address in read_urls(Path(word)) if is_file else [word]:
            url = canonicalizer.canonical(address)
            if url is None:
                where = f"{word}: " if is_file else ""
                faults.append(f"{where}{_what_is_wrong(address, settings)}")
            else:
                urls[url] = None
    if faults:
        raise SettingsError("\n".join(faults[:20]))
    return list(urls)


def _what_is_wrong(address: str, settings: Settings) -> str:
    if len(address.encode("utf-8", "replace")) > settings.scope.url_bytes_max:
        return f"{address[:ADDRESS_SHOWN]!r}… is longer than scope.url_bytes_max allows"
    return f"{address!r} is no address; one looks like https://www.example.org/"


def _read_downlist(settings: Settings) -> list[str]:
    if not settings.crawl.downlist:
        return []
    canonicalizer = build_canonicalizer(settings)
    found = map(canonicalizer.canonical, read_urls(Path(settings.crawl.downlist)))
    return [url for url in found if url is not None]


def wishes_of(settings: Settings) -> tuple[tuple[str, ...], dict[str, float]]:
    """Return whom the settings block and slow, by the names that the crawl uses."""
    rules = settings.politeness
    try:
        blocked = tuple(map(host_meant, rules.blocked_hosts))
        return blocked, {host_meant(host): delay for host, delay in rules.slowed_delays.items()}
    except SettingsError as error:
        raise SettingsError(f"politeness.blocked_hosts, politeness.slowed_hosts: {error}") from None


def _read_token(settings: Settings) -> str:
    if not settings.harvest.token_file:
        return ""
    try:
        token = Path(settings.harvest.token_file).read_text().strip()
    except OSError as error:
        raise SettingsError(f"{settings.harvest.token_file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{settings.harvest.token_file}: not a UTF-8 text file") from error
    if not token:
        raise SettingsError(f"{settings.harvest.token_file}: empty; a secret must stand in it")
    return token


def _detach(out: Path) -> int:
    """Start the same command in the background and wait until it is at work."""
    if (pid := find_keeper(out)) is not None:
        raise CrawlInUse(out, pid=pid)  # its own lines go into the log that we would read
    # Before anything is written: it may be somebody else's directory.
    if out.is_dir() and not (out / MARKER).exists() and any(file.name != "log" for file in out.iterdir()):
        raise SettingsError(f"{out}: not empty and not a crawl of ours; choose another --out")
    log = out / "log" / "console.log"
    made = [folder for folder in (log.parent, out) if not folder.exists()]
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        output = log.open("ab")
    except OSError as error:
        raise SettingsError(f"{out}: cannot be written to: {error.strerror}") from error
    with output:
        said_before = output.tell()
        process = subprocess.Popen(  # noqa: S603  our own command line
            [sys.executable, "-m", "tiptoe", *sys.argv[1:]],
            env={**os.environ, DETACHED: "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    is_at_work = _wait_for(process, out)
    if process.poll() is None:
        doing = "crawling" if is_at_work else "still starting"
        where = shlex.quote(str(out))
        print(f"{doing} in the background as process {process.pid};")
        print(f"`tiptoe status {where}` shows how it goes, `tiptoe stop {where}` ends it")
        return 0
    sys.stderr.write(log.read_bytes()[said_before:].decode(errors="replace")[-2000:])
    if not (out / MARKER).exists():
        log.unlink()
        for folder in made:
            folder.rmdir()
    return process.returncode


def _wait_for(process: subprocess.Popen[bytes], out: Path) -> bool:
    """Wait until a crawl is at work, has ended, or takes long to begin; tell whether it is at work."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if find_keeper(out) == process.pid and CrawlDirectory(out).socket.exists():
            return True
        time.sleep(0.05)
    return False
