"""How are the users of a cluster stored, and how do its servers learn of them?

Separate from the declarations of the commands, which work without the libraries that this module needs.
"""

import asyncio
from pathlib import Path

import uvloop

from tiptoe.cli.exits import Exit
from tiptoe.cluster.cluster_book import ClusterBook
from tiptoe.cluster.engine import EngineUnavailable
from tiptoe.cluster.nats_server_link import ServerLink
from tiptoe.cluster.server_directory import ServerDirectory
from tiptoe.observe.amounts import counted

__all__ = ["add_user", "list_users", "remove_user"]


def add_user(directory: Path, name: str, *, crawl: str, reads_only: bool) -> int:
    """Make credentials for a user, and tell the servers."""
    home = ServerDirectory.open(directory)
    home.update(home.book.with_entrant(name, crawl=crawl, reads_only=reads_only))
    print(f"credentials: {home.path / 'members' / f'{name}.json'}")
    return _shared(home)


def remove_user(directory: Path, name: str) -> int:
    """Take a user's access away, and tell the servers."""
    home = ServerDirectory.open(directory)
    home.update(home.book.without_entrant(name))
    return _shared(home)


def list_users(directory: Path) -> None:
    """Print who has access, and to which crawl."""
    for name, entrant in sorted(ServerDirectory.open(directory).book.entrants.items()):
        if not entrant.is_removed:
            rights = "\tread only" if entrant.reads_only else ""
            print(f"{name}\t{entrant.crawl or '(crawls without an account of their own)'}{rights}")


def _shared(home: ServerDirectory) -> int:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_share(home))


async def _share(home: ServerDirectory) -> int:
    """Tell the servers; return 1 unless all of them were reached."""
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
        return []  # the server of this directory is not running
