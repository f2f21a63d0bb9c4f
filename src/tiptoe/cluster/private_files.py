"""How are files with secrets written and read?"""

import os
from pathlib import Path
from typing import TypeVar

import msgspec

from tiptoe.errors import SettingsError

__all__ = ["read_private", "write_private", "write_secrets"]

Secrets = TypeVar("Secrets", bound=msgspec.Struct)

FOR_OTHERS = 0o077
BYTES_MAX = 4 * 1024 * 1024


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, atomically and durably."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def write_secrets(path: Path, secrets: msgspec.Struct) -> None:
    """Write secrets as indented JSON, so that they can be read in an editor."""
    write_private(path, msgspec.json.format(msgspec.json.encode(secrets), indent=2).decode() + "\n")


def read_private(path: Path, kind: type[Secrets]) -> Secrets:
    """Read such a file; raise SettingsError if others can read or change it."""
    try:
        if path.stat().st_mode & FOR_OTHERS:
            raise SettingsError(f"{path}: others can read or change it; see to that (chmod 600)")
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(BYTES_MAX), type=kind)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: is not what it should be ({error})") from error
