"""Which settings belong together?

A profile is a short file of settings, beside this module, for one way to use a crawl. It overrides the
built-in defaults, and everything else overrides it. A crawl remembers its name, not its contents.
"""

from pathlib import Path
from typing import Final

from tiptoe.settings.given import Given
from tiptoe.settings.tomlfile import read_toml

__all__ = ["PROFILE_ORIGIN", "PROFILE_SETTING", "profile_names", "profile_settings", "profile_text"]

FOLDER: Final = Path(__file__).with_name("profiles")
PROFILE_SETTING: Final = "crawl.profile"
PROFILE_ORIGIN: Final = "profile "
"""Prefix of the origin of settings from a profile; the profile's name follows."""


def profile_names() -> list[str]:
    """Return the names of all profiles."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def profile_settings(name: str) -> dict[str, Given]:
    """Return the settings of a profile, by full name; none for an unknown profile."""
    if name not in profile_names():
        return {}
    found = read_toml(FOLDER / f"{name}.toml")
    assert not found.problems, found.problems
    return {full: Given(given.raw, f"{PROFILE_ORIGIN}{name}") for full, given in found.given.items()}


def profile_text(name: str) -> str:
    """Return the text of a profile's file."""
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
