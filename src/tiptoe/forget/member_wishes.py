"""Which wishes has a member of a crawl on many machines still to carry out in its own directory?

`state/wishes.json` says up to which command its files are done, and up to which everything is; and which
wishes its agent has heard of that it cannot carry out while it runs.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.errors import CorruptFile
from tiptoe.frontier.wishes import NumberedWish
from tiptoe.write.replacing import replace_durably

__all__ = ["MemberWishes", "load_wishes", "note_waiting", "save_wishes", "withheld_because"]

WISHES_FILE: Final = Path("state", "wishes.json")


class MemberWishes(msgspec.Struct, frozen=True):
    """How far a member has come; numbers are those of commands."""

    files: int = 0  # of the last wish that was carried out in its files
    all: int = 0  # the same, with its copy of the shards
    waiting: list[str] = []  # what is to be forgotten when its agent is next started


def load_wishes(directory: Path) -> MemberWishes:
    """Return how far a member has come."""
    path = directory / WISHES_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=MemberWishes)
    except (FileNotFoundError, NotADirectoryError):
        return MemberWishes()
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CorruptFile(path, offset=0, found=f"not what is to be forgotten ({error})") from error


def save_wishes(directory: Path, wishes: MemberWishes) -> None:
    """Save it so that it survives a power cut."""
    if wishes != load_wishes(directory):
        replace_durably(directory / WISHES_FILE, msgspec.json.encode(wishes))


def note_waiting(directory: Path, wishes: Sequence[NumberedWish]) -> None:
    """Note which of these wishes the agent that runs in a directory cannot carry out in its files."""
    known = load_wishes(directory)
    waiting = [one.wish.target for one in wishes if one.number > known.files]
    save_wishes(directory, MemberWishes(known.files, known.all, waiting))


def withheld_because(directory: Path) -> str:
    """Return why other members may not read the files of a directory at the moment; empty: they may."""
    waiting = load_wishes(directory).waiting
    return f"{waiting[0]} has to be forgotten there first: start its agent anew" if waiting else ""
