"""How does the keeper learn of texts that were made from documents?

From files that wait for it, see `dropbox`. They are left once the texts count:
killed in between, a text stands in the corpus that the index does not know,
which costs a copy at worst. The other way round it would cost a text.
"""

from pathlib import Path
from typing import Final

import msgspec

from tiptoe.write.dropbox import Dropbox

__all__ = ["KeptText", "leave_texts", "texts_in", "waiting_texts"]


class KeptText(msgspec.Struct, frozen=True):
    """A text that stands in the corpus."""

    url: str
    fingerprint: bytes


_TEXTS: Final = Dropbox(Path("state", "texts"), KeptText)

leave_texts: Final = _TEXTS.leave
waiting_texts: Final = _TEXTS.waiting
texts_in: Final = _TEXTS.read
