"""Which crawl does a directory belong to, and under which member name?

Recorded in `state/cluster.json`, so that every command that is given a member's directory finds the others.
"""

from pathlib import Path
from typing import Final

import msgspec

from tiptoe.errors import SettingsError
from tiptoe.write.replacing import replace_durably

__all__ = ["MemberNote", "read_member", "write_member"]

MEMBER_FILE: Final = Path("state", "cluster.json")
OWNER_ONLY: Final = 0o600


class MemberNote(msgspec.Struct, frozen=True, kw_only=True):
    """One member of a crawl on many machines."""

    servers: str  # as given: a file of credentials, or addresses
    crawl: str
    agent: str
    identity: str  # of the crawl, because another one may get its name later


def read_member(directory: Path) -> MemberNote | None:
    """Return the membership of a directory; None when its crawl is on this machine alone."""
    path = directory / MEMBER_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=MemberNote)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise SettingsError(f"{path}: cannot be read: {error}") from error


def write_member(directory: Path, note: MemberNote) -> None:
    """Record the membership of a directory."""
    replace_durably(directory / MEMBER_FILE, msgspec.json.encode(note), mode=OWNER_ONLY)
