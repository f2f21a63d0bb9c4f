"""Which paragraphs does a page quote where it describes itself to machines?

Descriptions for search engines are often the first sentences of the main
content, and structured data name the product, its text, the items of a list.
A menu or a privacy policy is hardly ever among them.
"""

import re
from typing import Final

import numpy as np

from tiptoe.text.characters import Floats

__all__ = ["BEGINNING_CHARS", "find_quoted"]

BEGINNING_CHARS: Final = 20
"""Length of the beginning of a paragraph that must occur in the abstract for it to count as quoted."""

_BEGINNING: Final = re.compile(rf"(?<!\w)(?=(\S.{{{BEGINNING_CHARS - 1}}}))", re.DOTALL)


def find_quoted(texts: list[str], abstract: str) -> Floats:
    """Tell for each paragraph whether the abstract quotes it, with 1 or 0."""
    if not abstract:
        return np.zeros(len(texts))
    # A set, because substring search can be slow in a crafted text, and there may be thousands of paragraphs.
    beginnings = set(_BEGINNING.findall(abstract))
    return np.array([text[:BEGINNING_CHARS] in beginnings for text in texts], dtype=np.float64)
