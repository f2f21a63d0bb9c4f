"""In which encoding are these bytes written?

In this order: byte order mark; UTF-16 by its zero bytes, or by a label if that makes sense (`wide.py`);
strict UTF-8 (no other encoding passes for it by chance); the single-byte encoding in which the text
reads like words of a known language, with some weight for a label; otherwise the label of the HTTP header,
then of the page, if the result looks like text; detection; finally windows-1252. A label is only a claim:
servers put their default on every page they send.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import cchardet

from tiptoe.parse.alphabets import ENCODINGS, TRUSTED
from tiptoe.parse.charset_evidence import weigh
from tiptoe.parse.labels import WINDOWS_TWIN, find_codec
from tiptoe.parse.wide import GARBAGE_MAX, SAMPLE_BYTES, garbage_share, wide_codec

__all__ = ["DecodedText", "Source", "decode"]

Source: TypeAlias = Literal["bom", "utf-8", "http", "meta", "detected", "fallback"]
Claims: TypeAlias = list[tuple[str, Source]]
"""Codecs, each with the source of the label."""

META_BYTES_MAX: Final = 4_096
DETECTION_BYTES_MAX: Final = 65_536

_BOMS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"),
)  # fmt: skip
_META = re.compile(
    rb"""<meta[^>]{1,300}?charset\s*=\s*["']?\s*([\w.:-]{1,40})|<\?xml[^>]{1,100}?encoding\s*=\s*["']([\w.:-]{1,40})""",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    rb"<(script|style)\b.*?(?:</\1|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>", re.IGNORECASE | re.DOTALL
)
_HIGH = re.compile(rb"[\x80-\xff]")
_UTF8_PAIR = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")
_PAIRED: Final = bytes(
    ord("1") if byte in range(0xC2, 0xF5) else ord("2") * (byte in range(0x80, 0xC0)) for byte in range(256)
)
"""Maps bytes that may start a multi-byte character of UTF-8 to `1`, and those that may continue it to `2`."""

_C1 = re.compile("[\x80-\x84\x86-\x9f]")
_SYMBOL_IN_WORD = re.compile(
    "[\xa2-\xa9\xab-\xaf\xb1-\xb3\xb5\xb6\xb8\xb9\xbb-\xbf\xd7\xf7](?=[^\\W\\d_])(?<=[^\\W\\d_].)"
)
_MISREAD_MAX: Final = 1
"""Maximum number of symbols in the middle of words (`pro»e`) that may be typing errors."""

NULS_MAX: Final = 0.25
"""Maximum ratio of NUL to other characters; above it this is binary data or another encoding."""

_CLAIM_NATS: Final = 5.0
"""Weight of a label: about as much as one letter that does not belong to the language."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A text, its encoding, and how that was found."""

    text: str
    charset: str
    source: Source
    is_verbatim: bool = False  # the bytes are exactly this text in UTF-8
    is_garbled: bool = False  # too many control characters: not text, at least not in this encoding


def decode(data: bytes, http_charset: str | None, *, is_html: bool = True) -> DecodedText:
    """Decode bytes of any kind to text; NUL characters are removed."""
    decoded = (
        _by_bom(data)
        or _as_wide(data, http_charset)
        or _as_escaped_japanese(data, http_charset)
        or _as_utf8(data)
        or _by_content(data, claims := _claims(data, http_charset, is_html))
        or _by_claim_or_detection(data, claims)
    )
    # Searching bytes for NUL is ten times faster than searching a string with two bytes per character.
    if "\0" in decoded.text if not decoded.is_verbatim else b"\0" in data:
        text = decoded.text.replace("\0", "")
        nuls = len(decoded.text) - len(text)
        is_garbled = nuls > NULS_MAX * len(text) or garbage_share(text[:SAMPLE_BYTES]) > GARBAGE_MAX
        return DecodedText(text, decoded.charset, decoded.source, is_garbled=is_garbled)
    return decoded


def _by_bom(data: bytes) -> DecodedText | None:
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return DecodedText(data[len(bom) :].decode(codec, "replace"), codec, "bom")
    return None


def _as_wide(data: bytes, http_charset: str | None) -> DecodedText | None:
    """UTF-16 without a mark."""
    is_labelled = http_charset is not None and (find_codec(http_charset) or "").startswith("utf-16")
    if not is_labelled and b"\0" not in data[:SAMPLE_BYTES]:
        return None
    if is_labelled and b"\0" not in data and _as_utf8(data):
        return None  # the server labels everything so
    codec = wide_codec(data, is_labelled=is_labelled)
    if codec is None:
        return None
    return DecodedText(data.decode(codec, "replace"), codec, "http" if is_labelled else "detected")


def _as_escaped_japanese(data: bytes, http_charset: str | None) -> DecodedText | None:
    """ISO-2022-JP is made of ASCII bytes and would pass for UTF-8."""
    # The single byte first: searching for it is ten times faster than for a pair.
    if b"\x1b" not in data or b"\x1b$" not in data:
        return None
    labels = (find_codec(http_charset), find_codec(_meta_label(data)))
    if "iso2022_jp" in labels:
        source: Source = "http" if labels[0] == "iso2022_jp" else "meta"
        return DecodedText(data.decode("iso2022_jp", "replace"), "iso2022_jp", source)
    try:
        return DecodedText(data.decode("iso2022_jp"), "iso2022_jp", "detected")
    except UnicodeDecodeError:  # the escapes mean something else
        return None


def _as_utf8(data: bytes) -> DecodedText | None:
    try:
        return DecodedText(data.decode(), "utf-8", "utf-8", is_verbatim=True)
    except UnicodeDecodeError as error:
        # A body cut by our limits may end in the middle of a character.
        if error.start >= len(data) - 3 and error.reason == "unexpected end of data":
            return DecodedText(data[: error.start].decode(), "utf-8", "utf-8")
    pairs = data.translate(_PAIRED).count(b"12")  # without an object for each: there may be millions
    if pairs < 10:
        return None
    text = data.decode("utf-8", "replace")
    return DecodedText(text, "utf-8", "utf-8") if 10 * text.count("\ufffd") <= pairs else None


def _claims(data: bytes, http_charset: str | None, is_html: bool) -> Claims:
    claims: Claims = []
    # Text that could be UTF-16 has already been handled.
    if (codec := find_codec(http_charset)) and not codec.startswith("utf-16"):
        claims.append((codec, "http"))
    if is_html and (codec := find_codec(_meta_label(data))):
        # A page that could be read far enough to find this is not UTF-16.
        claims.append(("utf-8" if codec.startswith("utf-16") else codec, "meta"))
    return claims


def _by_content(data: bytes, claims: Claims) -> DecodedText | None:
    """Decode a text by how its letters follow each other, which outweighs labels."""
    claimed = dict(reversed(claims))
    if not _UTF8_PAIR.search(data):  # this label cannot be true
        claimed.pop("utf-8", None)
    if not TRUSTED.isdisjoint(claimed):
        return None
    evidence = weigh(_sample(data))
    is_known = ENCODINGS.keys() >= claimed.keys() if evidence.is_nearly_plain else evidence.fits
    if not is_known:
        return None
    costs = {codec: cost - _CLAIM_NATS * (codec in claimed) for codec, cost in evidence.costs.items()}
    best = min(costs, key=costs.__getitem__)
    return DecodedText(data.decode(best, "replace"), best, claimed.get(best, "detected"))


def _by_claim_or_detection(data: bytes, claims: Claims) -> DecodedText:
    readings = [reading for codec, source in claims if (reading := _read(data, codec, source))]
    contested = len({reading.charset for reading in readings}) > 1
    if readings and not contested and _is_plausible(readings[0].text):
        return readings[0]
    detected = _detect(data)
    if detected is not None:
        for reading in readings:
            if reading.charset == detected.charset:
                return reading
    best = [reading for reading in (*readings, detected) if reading and _is_plausible(reading.text)]
    return (best or [detected or _fallback(data)])[0]


def _read(data: bytes, codec: str, source: Source) -> DecodedText | None:
    """Decode as claimed; None when the claim cannot be true."""
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        text = data.decode(codec, "replace")
        if text.count("\ufffd") > 1 + len(text) // 2_000:
            return None
    twin = WINDOWS_TWIN.get(codec)
    if twin and _C1.search(text):
        return DecodedText(data.decode(twin, "replace"), twin, source)
    return DecodedText(text, codec, source)


def _is_plausible(text: str) -> bool:
    """Tell whether this reads like words rather than like one alphabet mistaken for another."""
    if len(_SYMBOL_IN_WORD.findall(text, 0, DETECTION_BYTES_MAX)) > _MISREAD_MAX:
        return False
    # ISO-8859-2 misread as windows-1250 has these in place of š and ž, and no real š or ž.
    return not ("ą" in text and "ľ" in text and not any(letter in text for letter in "šžśźŠŽŚŹ"))


def _detect(data: bytes) -> DecodedText | None:
    codec = find_codec(cchardet.detect(_sample(data))["encoding"])
    if codec is None or codec == "utf-8":
        return None
    return _read(data, codec, "detected")


def _sample(data: bytes) -> bytes:
    """Return text around the first non-ASCII byte, without markup."""
    found = _HIGH.search(data)
    begin = max(0, found.start() - DETECTION_BYTES_MAX // 2) if found else 0
    return _MARKUP.sub(b" ", data[begin : begin + DETECTION_BYTES_MAX])


def _fallback(data: bytes) -> DecodedText:
    """Decode as windows-1252, the likeliest encoding if nothing else is known; as UTF-8 if it has any."""
    codec = "utf-8" if _UTF8_PAIR.search(data) else "windows-1252"
    return DecodedText(data.decode(codec, "replace"), codec, "fallback")


def _meta_label(data: bytes) -> str | None:
    found = _META.search(data[:META_BYTES_MAX])
    return (found[1] or found[2]).decode("ascii", "replace") if found else None
