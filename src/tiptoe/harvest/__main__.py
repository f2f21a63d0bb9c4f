"""A harvester process: `python -m tiptoe.harvest --connect SOCKET --name h1`."""

import argparse
import contextlib
import os
import signal
import sys
from pathlib import Path

import uvloop

from tiptoe.compose import build_tools, harvester_plan
from tiptoe.errors import CrawlerError
from tiptoe.harvest.harvester import Harvester, join, open_keeper
from tiptoe.observe.process import (
    allow_open_files,
    die_with_parent,
    spare_the_collector,
    stopping_signals,
)
from tiptoe.settings.layers import Settings
from tiptoe.write.logclock import machine_count

__all__ = ["main"]


async def work(address: str, name: str, token: str, directory: Path | None) -> int:
    """Join a keeper and work for it; return the exit code."""
    connection = await open_keeper(address)
    joined_at = machine_count()
    welcome = await join(connection, name=name, token=token, pid=os.getpid())
    settings = Settings.from_dict(welcome.settings)
    tools = build_tools(settings, directory or Path(welcome.directory), welcome.incarnation)
    with contextlib.closing(tools.log):
        return await Harvester(connection, tools, harvester_plan(settings), joined_at=joined_at).run()


def main() -> int:
    """Run one harvester until its keeper lets it go."""
    parser = argparse.ArgumentParser(prog="tiptoe harvester", description=__doc__)
    parser.add_argument("--connect", required=True, help="socket of the keeper, or host:port")
    parser.add_argument("--name", default="h0", help="name of this harvester")
    parser.add_argument("--token-file", type=Path, help="secret of a keeper on another machine")
    parser.add_argument("--is-crew", action="store_true", help="started by the keeper: ends with it")
    parser.add_argument("--out", type=Path, help="where to write; the keeper's directory unless given")
    options = parser.parse_args()
    if options.is_crew:
        die_with_parent()
    allow_open_files()
    spare_the_collector()
    # The keeper hears Ctrl-C as well, and says when to leave; so for whoever stops all of a service at once.
    for number in stopping_signals() if options.is_crew else (signal.SIGINT,):
        signal.signal(number, signal.SIG_IGN)
    try:
        token = options.token_file.read_text().strip() if options.token_file else ""
        return uvloop.run(work(options.connect, options.name, token, options.out))
    except (CrawlerError, OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"tiptoe harvester: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
