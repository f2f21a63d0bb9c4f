"""By which name do users recognise the browser of a session?

Browsers list all their ancestors in the user agent; people know theirs by one name and its operating system.
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
"""Order matters: each of these also claims to be some of those after it."""

SYSTEMS: Final = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
    ("Macintosh", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip
NAME_CHARS_MAX: Final = 60


def browser_name(agent: str) -> str:
    """Return the name of a browser and its system; for unknown ones, the start of the user agent."""
    for pattern, name in NAMES:
        if found := pattern.search(agent):
            system = next((one for word, one in SYSTEMS if word in agent), "")
            return f"{name} {found[1]} on {system}" if system else f"{name} {found[1]}"
    return shortened(agent, NAME_CHARS_MAX) or "not known"
