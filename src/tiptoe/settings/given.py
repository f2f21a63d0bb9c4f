"""Where was a value written?

A value as written, before any check, with the place to name in an error message.
"""

import json
from dataclasses import dataclass
from typing import Final

from tiptoe.settings.setting import Setting

__all__ = ["Given", "origin_of_override"]

SHOWN_CHARS_MAX: Final = 160
"""Maximum length of a value in a message: enough for a path, whose end matters most."""


@dataclass(frozen=True, slots=True)
class Given:
    """A value as written, and its origin: "crawl.toml:12", "--req-delay" or "--set fetch.proxy"."""

    raw: object
    origin: str

    def complain(self, name: str, problem: str) -> str:
        """Return one line that says what was written where, and what is wrong with it."""
        if self.origin.startswith(("--set ", "set ")):
            return f"{self.origin}={self._shown()}: {problem}"
        if self.origin.startswith("--"):
            return f"{self.origin} {self._shown()}: {problem}"
        written = json.dumps(self.raw, ensure_ascii=False, default=str)
        return f"{self.origin}: {name} = {_cut(written)}: {problem}"

    def _shown(self) -> str:
        if isinstance(self.raw, bool):
            return str(self.raw).lower()  # as written in files and on command lines
        if isinstance(self.raw, list | tuple):
            return _cut(" ".join(map(str, self.raw)))
        return _cut(str(self.raw))


def origin_of_override(setting: Setting) -> str:
    """Return how this setting is given on the command line."""
    return setting.option or f"--set {setting.name}"


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS_MAX else text[: SHOWN_CHARS_MAX - 1] + "…"
