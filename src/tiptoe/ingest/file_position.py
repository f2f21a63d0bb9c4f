"""Which position in a file has a reader reached?"""

import msgspec

__all__ = ["BEGINNING", "FilePosition"]


class FilePosition(msgspec.Struct, frozen=True, array_like=True, order=True, gc=False):
    """An offset in a file; in a compressed one, that of a gzip member, and an offset in its content."""

    offset: int = 0
    inner: int = 0


BEGINNING = FilePosition()
