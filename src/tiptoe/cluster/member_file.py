"""How does a crawl directory say that it belongs to a crawl on many machines?

`state/cluster.json` is written by an agent when it joins. By it `tiptoe audit DIR` and others find the rest
of the crawl from any member. The password is not in it: that lies in the file that it names.
"""

from pathlib import Path
from typing import Final

import msgspec

from tiptoe.cluster.engine_names import check_crawl_name
from tiptoe.cluster.file_protocol import check_agent
from tiptoe.errors import CorruptFile
from tiptoe.write.replacing import replace_durably

__all__ = ["MemberFile", "read_member_file", "write_member_file"]

PLACE: Final = Path("state") / "cluster.json"


class MemberFile(msgspec.Struct, frozen=True, kw_only=True):
    """Which crawl a directory is a part of, and how its other parts are reached."""

    servers: tuple[str, ...]
    crawl: str
    agent: str
    credentials_file: str | None = None

    def __post_init__(self) -> None:
        check_crawl_name(self.crawl)
        check_agent(self.agent)


def write_member_file(directory: Path, member: MemberFile) -> None:
    """Note that a directory is that of an agent."""
    path = directory / PLACE
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_durably(path, msgspec.json.format(msgspec.json.encode(member), indent=1) + b"\n")


def read_member_file(directory: Path) -> MemberFile | None:
    """Return what a directory says of itself; None when its crawl runs on one machine."""
    path = directory / PLACE
    try:
        return msgspec.json.decode(path.read_bytes(), type=MemberFile)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise CorruptFile(path, offset=0, found=f"not what an agent writes there ({error})") from error
