"""By what does somebody recognise the browser of a session?

Browsers name all their forebears; people know theirs by one name, and the system that it runs on.
"""

import re
from typing import Final

from tiptoe.control.shown_text import shortened

__all__ = ["browser_name"]

NAMES: Final = (
    (re.compile(r"\bEdg\w*/(\d+)"), "Edge"),
    (re.compile(r"\bOPR/(\d+)"), "Opera"),
    (re.compile(r"\bFirefox/(\d+)"), "Firefox"),
    (re.compile(r"\b(?:Headless)?Chrom\w*/(\d+)"), "Chrome"),
    (re.compile(r"\bVersion/(\d+)\S* .*Safari/"), "Safari"),
)
"""In this order: each of these also gives itself out for some of those behind it."""

SYSTEMS: Final = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
    ("Macintosh", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip
NAME_CHARS_MAX: Final = 60


def browser_name(agent: str) -> str:
    """Return what a browser is called, and where it runs; of one that is not known, what it says itself."""
    for pattern, name in NAMES:
        if found := pattern.search(agent):
            system = next((said for word, said in SYSTEMS if word in agent), "")
            return f"{name} {found[1]} on {system}" if system else f"{name} {found[1]}"
    return shortened(agent, NAME_CHARS_MAX) or "not known"
