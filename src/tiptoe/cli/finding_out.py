"""What does a crawl know about a host or a page, whether it is running or not?"""

from pathlib import Path

from tiptoe.cluster.member_file import read_member
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.locating import locate_stopped
from tiptoe.keeper.running_crawl import ask
from tiptoe.protocol.operator import Locate, Located
from tiptoe.protocol.whereabouts import Whereabouts
from tiptoe.settings.layers import Settings

__all__ = ["find_out"]


def find_out(directory: Path, settings: Settings, host: str, url: str, now: float) -> Whereabouts:
    """Return the whereabouts of a host, and of one of its pages unless the URL is empty.

    In the directory of any member of a crawl on many machines, ask the running agent that holds the host.
    """
    if (member := read_member(directory)) is not None:
        from tiptoe.cli.member_finding import find_out_from_members  # loads the cluster libraries

        return find_out_from_members(member, host, url)
    if find_keeper(directory) is not None:
        return ask(directory, Locate(host, url), Located).whereabouts
    rest = settings.frontier.unproductive_rest
    return locate_stopped(directory, host, url, now, unproductive_rest=rest)
