"""`tiptoe cluster add-user`, `remove-user`, `users`: who may come to the crawls of a cluster?"""

import asyncio
from typing import Annotated

import uvloop
from cyclopts import Parameter

from tiptoe.cli.cluster_server_command import ServerDir
from tiptoe.cli.exits import Exit
from tiptoe.cluster.libraries import cluster_libraries
from tiptoe.observe.amounts import counted

with cluster_libraries():
    from tiptoe.cluster.cluster_book import ClusterBook
    from tiptoe.cluster.engine import EngineUnavailable
    from tiptoe.cluster.nats_server_link import ServerLink
    from tiptoe.cluster.server_directory import ServerDirectory

__all__ = ["add_user_command", "remove_user_command", "users_command"]

UserName = Annotated[str, Parameter(help="Name of the user: letters, digits, - and _.")]


def add_user_command(
    name: UserName,
    *,
    directory: ServerDir,
    crawl: Annotated[
        str,
        Parameter(help="The only crawl it may come to, apart from all others; any other one if not said."),
    ] = "",
) -> int:
    """Let somebody come to a crawl."""
    home = ServerDirectory.open(directory)
    home.update(home.book.with_entrant(name, crawl=crawl))
    print(f"credentials: {home.path / 'members' / f'{name}.json'}")
    return _shared(home)


def remove_user_command(name: UserName, *, directory: ServerDir) -> int:
    """Let somebody come in no longer."""
    home = ServerDirectory.open(directory)
    home.update(home.book.without_entrant(name))
    return _shared(home)


def users_command(*, directory: ServerDir) -> int:
    """Print who may come in, and to which crawl."""
    for name, entrant in sorted(ServerDirectory.open(directory).book.entrants.items()):
        if not entrant.is_removed:
            print(f"{name}\t{entrant.crawl or '(crawls without an account of their own)'}")
    return Exit.DONE


def _shared(home: ServerDirectory) -> int:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_share(home))


async def _share(home: ServerDirectory) -> int:
    """Tell the servers; 1 if not all of them have heard it."""
    size, heard = home.book.size, await _told(home, home.book)
    if len(heard) >= size:
        print(f"known to {counted(len(heard), 'server')}: {', '.join(heard)}")
        return Exit.DONE
    print(f"known to {len(heard)} of {counted(size, 'server')}; the others hear of it when they start")
    return Exit.FAULT


async def _told(home: ServerDirectory, book: ClusterBook) -> list[str]:
    try:
        async with ServerLink.to(home.system_credentials()) as link:
            return await link.share(book, book.size)
    except EngineUnavailable:
        return []  # the server of this directory does not run
