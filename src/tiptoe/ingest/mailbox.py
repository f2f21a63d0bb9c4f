"""Where do the messages of a mail or news archive begin and end?

In an mbox file each follows a line that begins with `From `, in a batch of news (`#! rnews`) a line that
gives its length; any other file is one message. Files are read in order, in limited memory: if a message is
too long, only its beginning is kept.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from tiptoe.ingest.file_position import FilePosition
from tiptoe.ingest.plain_bytes import BrokenBytes, ByteRun, is_packed, open_run

__all__ = ["Message", "looks_like_mail", "read_messages"]

LOOK_BYTES: Final = 64 << 10
"""Size of the pieces in which the beginning of the next message is searched for."""

FROM_LINE: Final = re.compile(rb"(?:\A|(?<=\n))From [^\r\n]{0,1000}\r?\n(?=[!-9;-~]{1,100}:)")
"""A separator line; it must be followed by a head, so that a sentence that begins with "From" is none."""

NEWS_BATCH: Final = re.compile(rb"#! rnews (\d{1,10})[^\r\n]{0,100}\r?\n")
HEAD_LINE: Final = re.compile(rb"[!-9;-~]{1,100}:")
TELLING: Final = re.compile(
    rb"(?im)^(?:message-id|newsgroups|received|return-path|delivered-to|mime-version|from|date|subject):"
)
QUOTED_FROM: Final = re.compile(rb"(?m)^>(>*From )")
TELLING_MIN: Final = 3


@dataclass(slots=True)
class Message:
    """One message, as it is in its file."""

    start: FilePosition
    end: FilePosition
    data: bytes
    is_cut: bool = False
    is_broken: bool = False  # the file cannot be read beyond this point


def looks_like_mail(start: bytes) -> bool:
    """Return whether a file contains mail or news, judging by its first bytes."""
    if FROM_LINE.match(start) or NEWS_BATCH.match(start):
        return True
    head = re.split(rb"\r?\n\r?\n", start, maxsplit=1)[0]
    return HEAD_LINE.match(head) is not None and len(set(TELLING.findall(head))) >= TELLING_MIN


def read_messages(file: BinaryIO, start: FilePosition, *, bytes_max: int) -> Iterator[Message]:
    """Yield the messages of a file from a position on."""
    packed = is_packed(file)
    size = file.seek(0, 2)
    at = start
    while at.offset < size:
        try:
            run = open_run(file, at, packed=packed)
            while True:
                begin = run.position
                found = _next(run, bytes_max)
                if found is None:
                    break
                at = run.position
                yield Message(begin, at, *found)
            at = run.position if packed else FilePosition(size)
        except BrokenBytes:
            yield Message(at, FilePosition(size), b"", is_broken=True)
            return


def _next(run: ByteRun, bytes_max: int) -> tuple[bytes, bool] | None:
    """Return the next message of a run; None at its end."""
    seen = run.peek(2048)
    if not seen:
        return None
    if batch := NEWS_BATCH.match(seen):
        run.skip(batch.end())
        length = int(batch[1])
        data = run.take(min(length, bytes_max))
        passed = run.skip(length - len(data)) if length > len(data) == bytes_max else 0
        return data, passed > 0
    opening = FROM_LINE.match(seen)
    if opening is not None:
        run.skip(opening.end())
    return _until_from_line(run, bytes_max, is_mailbox=opening is not None)


def _until_from_line(run: ByteRun, bytes_max: int, *, is_mailbox: bool) -> tuple[bytes, bool]:
    kept: list[bytes] = []
    size, is_cut = 0, False
    while True:
        seen = run.peek(LOOK_BYTES)
        found = FROM_LINE.search(seen, 1) if is_mailbox else None
        is_last = len(seen) < LOOK_BYTES
        # The last lines may be the beginning of the next message's separator.
        end = found.start() if found else len(seen) if is_last else max(len(seen) - 2048, 1)
        part = run.take(end)
        is_cut |= size + len(part) > bytes_max
        kept.append(part[: max(bytes_max - size, 0)])
        size += len(part)
        if found or is_last:
            data = b"".join(kept)
            return (QUOTED_FROM.sub(rb"\1", data) if is_mailbox else data), is_cut
