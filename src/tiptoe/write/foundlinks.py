"""How do links from converted documents reach the keeper?

In files that wait for it, see `dropbox`. A file that is taken in twice, after a
crash, does nothing: its links are known.
"""

from pathlib import Path
from typing import Final

import msgspec

from tiptoe.write.dropbox import Dropbox

__all__ = ["FoundLinks", "leave_links", "links_in", "waiting_links"]


class FoundLinks(msgspec.Struct, frozen=True):
    """The links of one document, as written there."""

    url: str
    depth: int  # of the document
    hrefs: list[str]


_LINKS: Final = Dropbox(Path("state", "links"), FoundLinks)

leave_links: Final = _LINKS.leave
waiting_links: Final = _LINKS.waiting
links_in: Final = _LINKS.read
