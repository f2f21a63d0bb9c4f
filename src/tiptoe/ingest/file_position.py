"""Where in a file has a reader come to?"""

import msgspec

__all__ = ["BEGINNING", "FilePosition"]


class FilePosition(msgspec.Struct, frozen=True, array_like=True, order=True, gc=False):
    """A byte of a file; of one that is packed, the beginning of a gzip member and a byte of its content."""

    offset: int = 0
    inner: int = 0


BEGINNING = FilePosition()
