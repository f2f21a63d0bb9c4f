"""What replaces a record of an archive that was damaged, or that its owner wants to be forgotten?

A record of exactly the same length that says what happened: all offsets stay valid, and a program that reads
the file from the start can read on after it.
"""

from tiptoe.write.record import fields_block, iso_date, member, new_ids, sha1_label

__all__ = ["filler"]

LEVEL = 9
GZIP_HEAD_BYTES = 10
FLAGS_AT = 3
HAS_COMMENT = 0x10


def filler(length: int, *, at: float, reason: str, field: str = "lost") -> bytes | None:
    """Return a record of this length as one gzip member; None if that is too short to say anything."""
    (record_id,) = new_ids(1)
    block = fields_block({field: reason})
    head = (
        f"WARC-Type: metadata\r\nWARC-Record-ID: <{record_id}>\r\nWARC-Date: {iso_date(at)}\r\n"
        f"WARC-Block-Digest: {sha1_label(block)}\r\nContent-Type: application/warc-fields\r\n"
    )
    record = bytearray(member(head, block, LEVEL))
    spaces = length - len(record) - 1
    if spaces < 0:
        return None
    # The header of a gzip member may have a comment of any length, which unpacking ignores.
    record[FLAGS_AT] |= HAS_COMMENT
    record[GZIP_HEAD_BYTES:GZIP_HEAD_BYTES] = b" " * spaces + b"\0"
    return bytes(record)
