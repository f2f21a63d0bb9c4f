"""Which setting was meant?"""

import difflib
from collections.abc import Iterable
from typing import Final

from tiptoe.settings.schema import SECTIONS, SETTINGS

__all__ = ["nearest_section", "nearest_setting"]

LIKENESS_MIN: Final = 0.7
"""Minimum similarity of a suggested name; below it, short names would match anything: foo, scope.follow."""


def nearest_setting(name: str) -> str:
    """Return "; did you mean politeness.req_delay?" for a misspelt or misplaced name, or nothing."""
    name = name.replace("-", "_").lower()
    section, _, key = name.rpartition(".")
    # A correct key in the wrong section is closer than any similar name.
    misplaced = [known for known, setting in SETTINGS.items() if setting.key == key]
    return _ask(misplaced or _alike(key, section) or _alike_as_a_whole(name, section) or _alike(key))


def nearest_section(name: str) -> str:
    """Return "; did you mean [politeness]?" for a misspelt section, or nothing."""
    return _ask(f"[{known}]" for known in difflib.get_close_matches(name.lower(), SECTIONS))


def _alike_as_a_whole(name: str, section: str) -> list[str]:
    """Compare whole names unless the section is right: what all its settings share says nothing."""
    return [] if section in SECTIONS else difflib.get_close_matches(name, SETTINGS, cutoff=LIKENESS_MIN)


def _alike(key: str, section: str = "") -> list[str]:
    keys = {setting.key: known for known, setting in SETTINGS.items() if section in ("", setting.section)}
    return [keys[match] for match in difflib.get_close_matches(key, keys, cutoff=LIKENESS_MIN)]


def _ask(candidates: Iterable[str]) -> str:
    first = next(iter(candidates), None)
    return f"; did you mean {first}?" if first else ""
