"""What does the archive record about a visit that brought nothing new?

A WARC `revisit` record instead of a body: which earlier body is still valid, and how that is known.
The first two profiles are those of the standard (ISO 28500, WARC/1.1). The third is our own: the
standard has none for a page whose bytes differ, for example by a counter, but whose text does not.

Only formatting: no file, no clock.
"""

import enum
from dataclasses import dataclass

from tiptoe.fetch.outcome import Answer
from tiptoe.write.record import iso_date

__all__ = ["REVISIT_MIME", "Earlier", "Profile", "block_of", "fields_of"]

REVISIT_MIME = "warc/revisit"
"""MIME type in an index that tells replay tools to look for an earlier record."""


class Profile(enum.Enum):
    """How it is known that nothing has changed."""

    NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    UNCHANGED_TEXT = "urn:x-tiptoe:warc-revisit:unchanged-text"


@dataclass(frozen=True, slots=True)
class Earlier:
    """The body of this URL that is in the archive."""

    payload_digest: str = ""
    stored_at: float = 0.0  # its WARC-Date; 0: unknown

    @property
    def is_known(self) -> bool:
        return bool(self.stored_at and self.payload_digest)


def fields_of(profile: Profile, url: str, earlier: Earlier) -> str:
    """Return the header fields that say what a record refers to."""
    fields = f"WARC-Profile: {profile.value}\r\n"
    if earlier.is_known:
        # The standard allows giving the digest of the earlier payload.
        fields += (
            f"WARC-Refers-To-Target-URI: {url}\r\nWARC-Refers-To-Date: {iso_date(earlier.stored_at)}\r\n"
            f"WARC-Payload-Digest: {earlier.payload_digest}\r\n"
        )
    return fields


def block_of(profile: Profile, answer: Answer) -> bytes:
    """Return what is kept of the answer: its head, if that matches the body referred to."""
    # The length or coding of different bytes would break the replay of the earlier ones.
    return b"" if profile is Profile.UNCHANGED_TEXT else answer.header_block
