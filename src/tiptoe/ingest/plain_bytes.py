"""What are the bytes of a file, compressed or not?

They are read in order and in pieces, from any position reported before. If they are damaged or end too early,
BrokenBytes is raised; the reader of the file's format knows where to continue.
"""

from typing import BinaryIO, Final, Protocol

from isal import igzip_lib, isal_zlib

from tiptoe.ingest.file_position import FilePosition

__all__ = ["GZIP_MAGIC", "BrokenBytes", "ByteRun", "EndlessBytes", "is_packed", "open_run"]

GZIP_MAGIC: Final = b"\x1f\x8b\x08"
PACKED_BYTES: Final = 64 << 10
PIECE_BYTES: Final = 256 << 10
SKIP_BYTES_MAX: Final = 8 << 30
"""Maximum number of bytes skipped at once; above it they count as a decompression bomb."""


class BrokenBytes(Exception):
    """Nothing more can be read here; the message says why."""


class EndlessBytes(BrokenBytes):
    """There are too many bytes to skip."""


class ByteRun(Protocol):
    """A run of bytes: the rest of a plain file, or the content of one gzip member."""

    @property
    def position(self) -> FilePosition:
        """Position of the next byte; at the end of a member, that of the next member."""

    def peek(self, size: int) -> bytes:
        """Return the next bytes without consuming them, at least `size` unless the run ends before."""

    def take(self, size: int) -> bytes:
        """Consume and return the next `size` bytes, fewer if the run ends before."""

    def skip(self, size: int) -> int:
        """Skip bytes; return how many were skipped."""

    def may_have(self, size: int) -> bool:
        """Whether `size` more bytes may follow; for compressed data that is not known in advance."""


class PlainBytes:
    """A file that is not compressed, from an offset on."""

    def __init__(self, file: BinaryIO, offset: int) -> None:
        self._file = file
        self._offset = offset
        self._waiting = b""
        file.seek(offset)

    @property
    def position(self) -> FilePosition:
        return FilePosition(self._offset)

    def peek(self, size: int) -> bytes:
        while len(self._waiting) < size and (piece := self._file.read(max(PIECE_BYTES, size))):
            self._waiting += piece
        return self._waiting

    def take(self, size: int) -> bytes:
        data = self.peek(size)[:size]
        self._waiting = self._waiting[len(data) :]
        self._offset += len(data)
        return data

    def skip(self, size: int) -> int:
        if size <= len(self._waiting):
            return len(self.take(size))
        end = self._file.seek(0, 2)
        passed = min(size, max(end - self._offset, 0))
        self._offset += passed
        self._waiting = b""
        self._file.seek(self._offset)
        return passed

    def may_have(self, size: int) -> bool:
        here = self._file.tell()
        end = self._file.seek(0, 2)
        self._file.seek(here)
        return size <= end - self._offset


class GzipMember:
    """The content of one gzip member; its checksum is checked at its end."""

    def __init__(self, file: BinaryIO, offset: int) -> None:
        self._file = file
        self._start = offset
        self._read_to = offset
        self._stream = isal_zlib.decompressobj(wbits=31)
        self._packed = b""
        self._waiting: list[bytes] = []
        self._size = 0
        self._inner = 0

    @property
    def position(self) -> FilePosition:
        if not self._size and not self._stream.eof:
            self._fill()  # needed to know whether this was the end
        if not self._size and self._stream.eof:
            return FilePosition(self.end)
        return FilePosition(self._start, self._inner)

    @property
    def end(self) -> int:
        """Offset of the member's end, once it is fully unpacked."""
        return self._read_to - len(self._stream.unused_data)

    def peek(self, size: int) -> bytes:
        while self._size < size and not self._stream.eof:
            self._fill()
        if len(self._waiting) > 1:
            self._waiting = [b"".join(self._waiting)]
        return self._waiting[0] if self._waiting else b""

    def take(self, size: int) -> bytes:
        data = self.peek(size)
        taken = data[:size]
        self._keep(data[len(taken) :], len(taken))
        return taken

    def skip(self, size: int) -> int:
        if size > SKIP_BYTES_MAX:
            raise EndlessBytes(f"{size} bytes to pass over")
        left = size
        while left and (piece := self.peek(1)):
            passed = min(left, len(piece))
            self._keep(piece[passed:], passed)
            left -= passed
        return size - left

    def may_have(self, size: int) -> bool:
        return True

    def _keep(self, rest: bytes, passed: int) -> None:
        self._waiting = [rest] if rest else []
        self._size = len(rest)
        self._inner += passed

    def _fill(self) -> None:
        if not self._packed:
            self._file.seek(self._read_to)
            self._packed = self._file.read(PACKED_BYTES)
            self._read_to += len(self._packed)
            if not self._packed:
                raise BrokenBytes("the gzip member is cut off")
        try:
            piece = self._stream.decompress(self._packed, PIECE_BYTES)
        except igzip_lib.IsalError as error:  # type: ignore[misc]  # its stub says an instance
            raise BrokenBytes(f"no gzip member: {error}") from error
        self._packed = self._stream.unconsumed_tail
        if piece:
            self._waiting.append(piece)
            self._size += len(piece)


def is_packed(file: BinaryIO) -> bool:
    """Return whether a file begins like a gzip file."""
    file.seek(0)
    return file.read(len(GZIP_MAGIC)) == GZIP_MAGIC


def open_run(file: BinaryIO, position: FilePosition, *, packed: bool) -> ByteRun:
    """Return the bytes from a position on: to the end of the file, or of the member."""
    if not packed:
        return PlainBytes(file, position.offset)
    member = GzipMember(file, position.offset)
    left = position.inner
    while left and (passed := member.skip(min(left, SKIP_BYTES_MAX))):
        left -= passed  # piece by piece: this position was reached before, so it is no bomb
    if left:
        raise BrokenBytes("the gzip member is shorter than it was")
    return member
