"""Which messages do agents exchange about texts?

Requests to `agent.<name>.texts`, and the answers to them.
"""

from typing import Final

import msgspec

from tiptoe.errors import ProtocolError
from tiptoe.frontier.text_outbox import SettledText

__all__ = [
    "CLAIMS_AGAIN", "CLAIMS_NOTHING", "ELSEWHERE", "OF_REVISIT", "WITH_WHOLE", "AskTexts", "LearnTexts",
    "ShardTexts", "TextAnswers", "TextClaim", "TextPart", "TextRow", "decode_answers", "decode_request",
    "decode_stored", "encode", "texts_subject",
]  # fmt: skip

WITH_WHOLE, OF_REVISIT = 1, 2
"""Flags of a part of a question: it begins with the hash of the whole text; its page is visited again."""

CLAIMS_NOTHING, CLAIMS_AGAIN = 1, 2
"""Flags of a claim: the text comes from no visit; it was made before, at the block's previous holder."""

ELSEWHERE: Final = 255
"""In place of a mark, or of an answer to a claim: the block is not held here, or not with certainty."""


class TextPart(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Question: which of these hashes of a page are known?"""

    url: str
    hashes: bytes
    pages: int  # of its site
    flags: int


class TextClaim(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Question: which hashes of a page are on another page under way? The others are claimed."""

    url: str
    hashes: bytes  # all of them
    block: int  # that of the smallest paragraph
    flags: int


class AskTexts(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Questions of one agent; answered by `TextAnswers`."""

    asker: str  # the incarnation whose pages these are
    blocks: list[int]  # the shards that know the hashes of the parts
    parts: list[TextPart]
    claims: list[TextClaim]
    ended: list[str] = []  # pages that are no longer under way


class TextAnswers(msgspec.Struct, frozen=True, array_like=True):
    """Answers, in the order of the questions."""

    marks: list[bytes]
    claimed: list[bytes]  # for each hash whether another page has claimed it; empty: none is claimed


class TextRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one step of a shard has learned, as far as it concerns the receiver."""

    number: int
    texts: list[SettledText]


class ShardTexts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What steps of one shard have learned, in order."""

    shard: int
    rows: list[TextRow]


class LearnTexts(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Texts of settled pages; the answer lists those of the named shards that have stored their part."""

    blocks: list[int]
    senders: list[ShardTexts]


encode: Final = msgspec.msgpack.Encoder().encode
decode_answers: Final = msgspec.msgpack.Decoder(TextAnswers).decode
decode_stored: Final = msgspec.msgpack.Decoder(list[int]).decode
_decode = msgspec.msgpack.Decoder(AskTexts | LearnTexts).decode


def decode_request(data: bytes) -> AskTexts | LearnTexts:
    """Return a decoded request."""
    try:
        request: AskTexts | LearnTexts = _decode(data)
    except msgspec.DecodeError as error:
        raise ProtocolError(f"not a message about texts of this crawl ({error})") from error
    return request


def texts_subject(agent: str) -> str:
    """Return the subject of requests to an agent about texts."""
    return f"agent.{agent}.texts"
