"""How many texts were judged lately, and does the segmenter answer?"""

import msgspec

__all__ = ["Judged"]


class Judged(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What came of asking a segmenter since the last word about it."""

    rated: int = 0
    missed: int = 0  # texts that nobody judged in time: it was down, slow, or made no sense
    fault: str = ""  # why it does not answer; empty when it does
