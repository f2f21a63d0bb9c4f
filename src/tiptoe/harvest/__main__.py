"""A harvester: `python -m tiptoe.harvest --connect HOST:PORT --name blue1 --token-file FILE --out DIR`.

It reconnects by itself when the connection is lost or the keeper restarts, until the keeper lets it go or it
is stopped: Ctrl-C or SIGTERM lets it finish its requests, a second one ends it at once.
"""

import argparse
import asyncio
import contextlib
import gc
import os
import signal
import sys
from pathlib import Path

import uvloop

from tiptoe.errors import CrawlerError, RefusedByKeeper, SettingsError
from tiptoe.harvest.comeback import HarvesterExit
from tiptoe.harvest.watchdog import Watchdog, worker_command
from tiptoe.observe.process import allow_open_files, die_with_parent, spare_the_collector
from tiptoe.settings.units import parse_duration

__all__ = ["main"]

CRAWL_NOTE = Path("state", "crawl.id")
"""Holds the id of the crawl to which the files belong, in the directory of a harvester on another machine."""


async def work(address: str, name: str, token: str, directory: Path | None) -> int:
    """Join a keeper and work for it; return the exit code."""
    # Imported here because the watchdog, which only starts harvesters, needs none of it.
    from tiptoe.compose_harvester import amend_tools, build_tools, harvester_plan
    from tiptoe.harvest.harvester import Harvester, join, open_keeper
    from tiptoe.settings.layers import Settings

    crawl = read_crawl(directory) if directory is not None else ""
    connection = await open_keeper(address)
    with contextlib.closing(connection):
        welcome = await join(connection, name=name, token=token, pid=os.getpid(), crawl=crawl)
        if directory is not None and not crawl:
            note_crawl(directory, welcome.crawl)
        settings = Settings.from_dict(welcome.settings)
        tools = build_tools(
            settings,
            directory or Path(welcome.directory),
            welcome.incarnation,
            is_sharded=welcome.shards > 0,
        )
        with contextlib.closing(tools.log):
            harvester = Harvester(
                connection, tools, harvester_plan(settings),
                amend=lambda plain: amend_tools(tools, Settings.from_dict(plain)),
            )  # fmt: skip
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, harvester.ask_to_go)
            spare_the_collector()
            return await harvester.run()


def read_crawl(directory: Path) -> str:
    """Return the id of the crawl whose files are in a directory; empty if there are none yet."""
    try:
        return (directory / CRAWL_NOTE).read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def note_crawl(directory: Path, crawl: str) -> None:
    """Record which crawl the files in a directory will belong to."""
    note = directory / CRAWL_NOTE
    note.parent.mkdir(parents=True, exist_ok=True)
    scratch = note.with_suffix(f".{os.getpid()}")  # other harvesters may start here at the same moment
    scratch.write_text(f"{crawl}\n", encoding="ascii")
    scratch.replace(note)


def main() -> int:
    """Run one harvester until its keeper lets it go."""
    parser = argparse.ArgumentParser(
        prog="tiptoe harvester", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--connect", required=True, help="socket of the keeper, or host:port")
    parser.add_argument("--name", default="h0", help="name of this harvester")
    parser.add_argument("--token-file", type=Path, help="secret of a keeper on another machine")
    parser.add_argument("--out", type=Path, help="where to write; the keeper's directory unless given")
    parser.add_argument(
        "--give-up-after", type=parse_duration, default="1d",
        help="end when there was no keeper for this long, such as 10m; 0 = never; 1d unless given",
    )  # fmt: skip
    parser.add_argument(
        "--is-worker", action="store_true", help="one life only; ends with the process that started it"
    )
    options = parser.parse_args()
    if options.is_worker:
        return live(options)
    command = worker_command(sys.argv[1:])
    return uvloop.run(Watchdog(command, give_up_seconds=options.give_up_after, tell=complain).run())


def live(options: argparse.Namespace) -> int:
    """Run one harvester, from joining the keeper to its end; return the exit code."""
    die_with_parent()
    gc.disable()  # until everything is imported and built: none of it is ever freed
    allow_open_files()
    # The process that started us also gets SIGINT and SIGHUP, and tells us when to leave.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    try:
        token = options.token_file.read_text().strip() if options.token_file else ""
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
    except (OSError, UnicodeDecodeError) as error:
        complain(str(error))
        return HarvesterExit.REFUSED
    try:
        return uvloop.run(work(options.connect, options.name, token, options.out))
    except (RefusedByKeeper, SettingsError) as error:  # trying again would not help
        complain(str(error))
        return HarvesterExit.REFUSED
    except (CrawlerError, OSError, UnicodeDecodeError) as error:
        complain(str(error) or "the keeper does not answer")
        return HarvesterExit.LOST


def complain(problem: str) -> None:
    sys.stderr.write(f"tiptoe harvester: {problem}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
