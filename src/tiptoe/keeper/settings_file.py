"""With which settings was a crawl last run?

They are in `state/settings.json`, by full name, with a checksum: a crawl whose file was cut off or garbled
must not go on with half of its bounds. The file is replaced as a whole and is on disk before the first
request. Only the owner may read it: the address of a proxy can contain a password.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tiptoe.errors import SettingsError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.write.replacing import replace_durably

__all__ = ["SETTINGS_FILE", "recall", "remember"]

SETTINGS_FILE: Final = Path("state", "settings.json")
OWNER_ONLY: Final = 0o600
REMEDY: Final = (
    "put it back from a copy, or say --forget-settings and name all that is to hold: contact, bounds, pauses"
)


def recall(directory: Path) -> dict[str, object] | None:
    """Return the settings that a crawl remembers; None if there is no crawl in the directory.

    SettingsError if they are missing or damaged: nobody wants a crawl that has forgotten its bounds.
    """
    if not (directory / MARKER).exists():
        return None
    path = directory / SETTINGS_FILE
    try:
        content = json.loads(path.read_bytes())
        settings: dict[str, object] = dict(content["settings"])
        is_whole = content["checksum"] == _checksum(settings)
    except FileNotFoundError:
        CrawlDirectory(directory).expect_state()
        raise SettingsError(f"{path}: the settings of this crawl are missing; {REMEDY}") from None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise SettingsError(
            f"{path}: damaged, or edited by hand, so that nobody knows the settings of this crawl; {REMEDY}"
        )
    return settings


def remember(directory: Path, settings: Mapping[str, object]) -> None:
    """Replace the remembered settings by these."""
    content = {"settings": dict(settings), "checksum": _checksum(settings)}
    try:
        replace_durably(
            directory / SETTINGS_FILE, json.dumps(content, indent=1).encode() + b"\n", mode=OWNER_ONLY
        )
    except OSError as error:
        raise SettingsError(f"{directory}: cannot be written to: {error.strerror}") from error


def _checksum(settings: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(dict(settings), sort_keys=True).encode()).hexdigest()
