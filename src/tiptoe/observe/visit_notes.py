"""What does the archive note of a visit beside its answer?

That nothing new was stored has three reasons: the server said so, the same bytes came, or other bytes came
whose text is the same, or nearly. Which of them it was stands in the record, not in the index.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.archive import exchange_records
from tiptoe.write.revisit_records import Profile

__all__ = ["VisitNote", "read_note"]


class VisitNote(msgspec.Struct, frozen=True):
    """Empty: not known, because the archive is elsewhere, damaged, or older than such notes."""

    profile: str = ""  # of a visit that brought nothing new
    text_hash: str = ""
    received_digest: str = ""  # of what came, where nothing of it was stored

    @property
    def has_other_bytes(self) -> bool:
        """Whether other bytes came than those that stand in the archive."""
        return self.profile == Profile.UNCHANGED_TEXT.value


def read_note(directories: Sequence[Path], file: str, offset: int) -> VisitNote:
    """Return what is noted of the visit whose record begins there."""
    for directory in directories:
        path = directory / "warc" / file
        for place in (path, path.with_name(file + OPEN_SUFFIX)):
            if place.is_file():
                return _note_at(place, offset)
    return VisitNote()


def _note_at(path: Path, offset: int) -> VisitNote:
    profile = ""
    said: dict[str, str] = {}
    try:
        for record, _ in exchange_records(path, offset):
            profile = record.headers.get("warc-profile", profile)
            if record.kind == "metadata":
                fields = (
                    line.partition(":") for line in record.block.decode("utf-8", "replace").splitlines()
                )
                said |= {name: value.strip() for name, _, value in fields}
    except (OSError, ValueError):
        return VisitNote()  # `tiptoe repair` tells of damage
    return VisitNote(profile, said.get("textHash", ""), said.get("receivedDigest", ""))
