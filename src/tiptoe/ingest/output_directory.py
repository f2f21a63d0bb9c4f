"""Into which directory are sources read?

It is the directory of a crawl that never made a request: `crawl.json` says what was read, `corpus/` holds the
texts, `state/read` the progress. So everything that reads crawls can read it too. One process at a time works
in it; the directory of a real crawl is refused.
"""

import fcntl
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.ingest.ingest_progress import DATABASE
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.write.replacing import replace_durably

__all__ = ["OutputDirectory"]

LOCK: Final = Path("state", "read.lock")
READ_FROM: Final = "read_from"


class OutputDirectory:
    """The directory that `tiptoe read` writes to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def is_begun(self) -> bool:
        """Whether sources were read into the directory before."""
        return (self.path / MARKER).is_file() and (self.path / DATABASE).is_dir()

    def sources(self) -> list[Path]:
        """Return the sources that were read into the directory so far."""
        try:
            marker = json.loads((self.path / MARKER).read_bytes())
            return [Path(str(name)) for name in marker[READ_FROM]]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SettingsError(f"{self.path / MARKER}: does not say what was read ({error})") from error

    def check(self, sources: list[Path]) -> None:
        """Refuse a directory that is not ours, and sources that do not exist or would be read endlessly."""
        if (self.path / MARKER).is_file() and not (self.path / LOCK).exists():
            raise SettingsError(f"{self.path}: it holds a crawl; choose another --out")
        if not (self.path / LOCK).exists() and self.path.is_dir() and any(self.path.iterdir()):
            raise SettingsError(f"{self.path}: not empty, and nothing was read into it; choose another --out")
        if not sources and not self.is_begun:
            raise SettingsError(f"{self.path}: nothing was read into it yet; name at least one SOURCE")
        home = self.path.resolve()
        for source in sources:
            # Checked before it is remembered: otherwise every later run would look for a mistyped name.
            if not source.exists():
                raise SettingsError(f"{source}: {_why_missing(str(source))}")
            inner = source.resolve()
            if inner == home or inner in home.parents or home in inner.parents:
                raise SettingsError(
                    f"--out {self.path}: lies in {source}, or that in it; choose another place"
                )

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Lock the directory; CrawlerError if another process reads into it."""
        (self.path / LOCK).parent.mkdir(parents=True, exist_ok=True)
        with (self.path / LOCK).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise CrawlerError(f"{self.path}: another process reads into it already") from None
            yield

    def note(self, sources: list[Path]) -> list[Path]:
        """Remember these sources in addition to the earlier ones; return all."""
        every = list(dict.fromkeys([*self.sources(), *(source.absolute() for source in sources)]))
        content = {
            "seeds": [source.as_uri() for source in every],
            "written_at": time.time(),
            "is_seeded": True,
            READ_FROM: [str(source) for source in every],
        }
        replace_durably(self.path / MARKER, json.dumps(content, indent=1).encode())
        return every


def _why_missing(name: str) -> str:
    if re.match("https?:/", name):  # as a path, a URL has lost a slash
        return "an address, and only files are read; `tiptoe crawl` fetches pages"
    return "no such file or folder"
