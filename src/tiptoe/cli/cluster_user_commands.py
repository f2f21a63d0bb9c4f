"""`tiptoe cluster add-user`, `remove-user`, `users`: who has access to the crawls of a cluster?"""

from typing import Annotated

from cyclopts import Parameter

from tiptoe.cli.cluster_server_command import ServerDir
from tiptoe.cli.exits import Exit
from tiptoe.cluster.libraries import cluster_libraries

__all__ = ["add_user_command", "remove_user_command", "users_command"]

UserName = Annotated[str, Parameter(help="Name of the user: letters, digits, - and _.")]


def add_user_command(
    name: UserName,
    *,
    directory: ServerDir,
    crawl: Annotated[
        str,
        Parameter(
            help="The only crawl that the user may access, separate from all others; by default, all "
            "crawls without users of their own."
        ),
    ] = "",
    read_only: Annotated[
        bool,
        Parameter(help="The user may look at a crawl and gather its files, but change nothing."),
    ] = False,
) -> int:
    """Give a user access to a crawl."""
    with cluster_libraries():
        from tiptoe.cli.cluster_users import add_user
    return add_user(directory, name, crawl=crawl, reads_only=read_only)


def remove_user_command(name: UserName, *, directory: ServerDir) -> int:
    """Take a user's access away."""
    with cluster_libraries():
        from tiptoe.cli.cluster_users import remove_user
    return remove_user(directory, name)


def users_command(*, directory: ServerDir) -> int:
    """Print who has access, and to which crawl."""
    with cluster_libraries():
        from tiptoe.cli.cluster_users import list_users
    list_users(directory)
    return Exit.DONE
