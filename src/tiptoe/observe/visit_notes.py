"""What does the archive record about a visit besides its answer?

There are three reasons for storing nothing new: the server said that nothing changed, the same bytes were
received, or different bytes with the same or nearly the same text. The record, not the index, says which.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.archive import exchange_records
from tiptoe.write.revisit_records import Profile

__all__ = ["VisitNote", "read_note"]


class VisitNote(msgspec.Struct, frozen=True):
    """What is recorded about a visit; empty if the archive is elsewhere, damaged, or too old."""

    profile: str = ""  # of the record of a visit that found nothing new
    text_hash: str = ""
    received_digest: str = ""  # of the received body, if it was not stored

    @property
    def has_other_bytes(self) -> bool:
        """Whether bytes were received that differ from those in the archive."""
        return self.profile == Profile.UNCHANGED_TEXT.value


def read_note(directories: Sequence[Path], file: str, offset: int) -> VisitNote:
    """Return what is recorded about the visit whose record begins at `offset`."""
    for directory in directories:
        path = directory / "warc" / file
        for place in (path, path.with_name(file + OPEN_SUFFIX)):
            if place.is_file():
                return _note_at(place, offset)
    return VisitNote()


def _note_at(path: Path, offset: int) -> VisitNote:
    profile = ""
    values: dict[str, str] = {}
    try:
        for record, _ in exchange_records(path, offset):
            profile = record.headers.get("warc-profile", profile)
            if record.kind == "metadata":
                fields = (
                    line.partition(":") for line in record.block.decode("utf-8", "replace").splitlines()
                )
                values |= {name: value.strip() for name, _, value in fields}
    except (OSError, ValueError):
        return VisitNote()  # `tiptoe repair` reports damage
    return VisitNote(profile, values.get("textHash", ""), values.get("receivedDigest", ""))
