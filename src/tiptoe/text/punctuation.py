"""Which characters end a sentence, or a part of it, in any script?

One table for all code that splits, counts or joins sentences.
"""

import re
from typing import Final

__all__ = ["CLOSERS", "ENDS", "OTHER_ENDS", "OTHER_PAUSES", "PAUSES", "WIDE_ENDS", "split_at_ends"]

WIDE_ENDS: Final = "。！？｡"
"""Sentence ends in scripts without spaces; no space need follow them."""

OTHER_ENDS: Final = WIDE_ENDS + "؟۔।॥։።፧။។៕།༎"
"""Those besides ASCII: Chinese and Japanese, Arabic, Hindi, Armenian, Amharic, Burmese, Khmer, Tibetan."""

ENDS: Final = frozenset(".!?" + OTHER_ENDS)
OTHER_PAUSES: Final = "，、；：､،؛၊፣፤፥"
PAUSES: Final = frozenset(",;:…–—-" + OTHER_PAUSES)
CLOSERS: Final = frozenset("\"')]}»«“”’‘›‹」』）］｝】〉》〕*")

_CLOSING: Final = "\"')\\]»”’›」』）］】〉》〕"
_SENTENCE = re.compile(
    rf"(?:[^{OTHER_ENDS}]++|[{OTHER_ENDS}]++[」』]++(?=[^\s「『“‘]))*"
    rf"(?:[{OTHER_ENDS}][{OTHER_ENDS}.!?…]*+[{_CLOSING}]*+\s*+|\Z)"
)
"""A quotation in corner brackets is part of the sentence that continues after it: 「行こう。」と言った。"""

_HAS_END = re.compile(f"[{OTHER_ENDS}]")


def split_at_ends(text: str) -> list[str]:
    """Cut a text after the marks that end sentences in non-Latin scripts; joined, the pieces are the text."""
    if text.isascii() or not _HAS_END.search(text):
        return [text]
    return [piece for piece in _SENTENCE.findall(text) if piece]
