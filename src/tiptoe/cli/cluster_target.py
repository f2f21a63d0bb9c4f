"""Which crawl on many machines does a command line mean?

The directory of a member is enough. Elsewhere the crawl is named by credentials, or addresses of servers, and
its name.
"""

import contextlib
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tiptoe.cli.arguments import CRAWL_MARK
from tiptoe.cluster.credentials import Credentials, read_credentials
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.engine_options import EngineOptions, open_engine
from tiptoe.cluster.member_file import MemberNote, read_member
from tiptoe.errors import SettingsError

__all__ = [
    "ClusterCrawl", "CrawlName", "member_meant", "open_crawl", "open_crawl_of",
    "opened_engine",
]  # fmt: skip

OPERATOR = "operator"

ClusterCrawl = Annotated[
    str,
    Parameter(
        help="Directory of a member; or a credentials file or addresses of servers, together with --name to "
        "say which crawl is meant."
    ),
    CRAWL_MARK,
]
CrawlName = Annotated[str, Parameter(name="--name", help="Name of the crawl, if you gave no directory.")]


def meant(target: str, name: str) -> tuple[Credentials, str]:
    """Return how to reach the crawl that the command line names, and its name."""
    if "://" not in target and Path(target).is_dir():
        note = read_member(Path(target))
        if note is None:
            raise SettingsError(f"{target}: the crawl there lives on this machine alone")
        if name not in ("", note.crawl):
            raise SettingsError(f"--name {name}: {target} takes part in crawl {note.crawl}")
        return read_credentials(note.servers), note.crawl
    if "://" not in target and not Path(target).exists():
        raise SettingsError(
            f"{target}: does not exist; name the directory of a member, or a file of credentials with --name"
        )
    credentials = read_credentials(target)
    crawl = name or credentials.crawl
    if not crawl:
        raise SettingsError("which crawl? say its --name, or give the directory of a member")
    return credentials, crawl


def member_meant(target: str, name: str) -> MemberNote:
    """Return the member whose directory was named, or a stand-in for a user who is no member."""
    if "://" not in target and Path(target).is_dir() and (note := read_member(Path(target))) is not None:
        return note
    _, crawl = meant(target, name)
    return MemberNote(servers=target, crawl=crawl, agent=OPERATOR, identity="")


@contextlib.asynccontextmanager
async def opened_engine(options: EngineOptions) -> AsyncGenerator[Engine, None]:
    """Connect to the servers while the `with` lasts."""
    engine = await open_engine(options)
    try:
        yield engine
    finally:
        await engine.close()


def open_crawl(target: str, name: str = "") -> AbstractAsyncContextManager[Engine]:
    """Connect to an existing crawl while the `with` lasts."""
    credentials, crawl = meant(target, name)
    return opened_engine(credentials.options(crawl, member=OPERATOR))


def open_crawl_of(member: MemberNote) -> AbstractAsyncContextManager[Engine]:
    """Connect to the crawl of a member, alongside its agent, while the `with` lasts."""
    options = read_credentials(member.servers).options(member.crawl, member=f"{member.agent}-reader")
    return opened_engine(options)
