"""Which settings belong together?

A profile is a short file of settings, beside this module, for one way to use a crawl. It lies over the
built-in defaults and under everything else. A crawl remembers its name, not what it says.
"""

from pathlib import Path
from typing import Final

from tiptoe.settings.given import Given
from tiptoe.settings.tomlfile import read_toml

__all__ = ["PROFILE_ORIGIN", "PROFILE_SETTING", "profile_names", "profile_settings", "profile_text"]

FOLDER: Final = Path(__file__).with_name("profiles")
PROFILE_SETTING: Final = "crawl.profile"
PROFILE_ORIGIN: Final = "profile "
"""How the origin of what a profile says begins; its name follows."""


def profile_names() -> list[str]:
    """Return the profiles there are."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def profile_settings(name: str) -> dict[str, Given]:
    """Return what a profile says, by full name; nothing for a name that is none."""
    if name not in profile_names():
        return {}
    found = read_toml(FOLDER / f"{name}.toml")
    assert not found.problems, found.problems
    return {full: Given(given.raw, f"{PROFILE_ORIGIN}{name}") for full, given in found.given.items()}


def profile_text(name: str) -> str:
    """Return the file of a profile."""
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
