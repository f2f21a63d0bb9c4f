"""What is known about one resource?

The fields are those of the robot that introduced resource descriptions, see docs/howto/search.md; fields that
filters add under other names are in `other`. Moments are ISO 8601 in UTC.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import Final

import msgspec

from tiptoe.catalog.soif import SoifObject

__all__ = [
    "DOCUMENT_TYPE", "ResourceDescription", "from_soif", "iso_moment", "merge_fields", "moment_of", "to_soif",
]  # fmt: skip

DOCUMENT_TYPE: Final = "DOCUMENT"
"""The template type of resource descriptions in SOIF."""

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND: Final = timedelta(milliseconds=1)
VALUES_MAX: Final = 100
"""Maximum number of values of one field."""

OTHER_MAX: Final = 100
VALUE_CHARS_MAX: Final = 20_000


class ResourceDescription(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """All that is known about a resource; empty fields are unknown."""

    url: str
    title: str = ""
    author: tuple[str, ...] = ()
    author_email: tuple[str, ...] = ()
    phone: tuple[str, ...] = ()
    description: str = ""
    keywords: tuple[str, ...] = ()
    classification: tuple[str, ...] = ()  # paths separated by colons, from general to special
    partial_text: str = ""
    full_text: str = ""
    content_type: str = ""
    content_length: int | None = None  # bytes
    content_encoding: str = ""
    content_charset: str = ""
    content_language: str = ""
    last_modified: str = ""
    expires: str = ""
    read_acl: str = ""
    virtual_db: str = ""
    md5: str = ""
    depth: int | None = None
    ip: str = ""
    rd_last_modified: str = ""  # of the description
    rd_expires: str = ""
    other: dict[str, tuple[str, ...]] = {}


LISTS: Final = ("author", "author_email", "phone", "keywords", "classification")
NUMBERS: Final = ("content_length", "depth")
MOMENTS: Final = ("last_modified", "expires", "rd_last_modified", "rd_expires")
NAMED: Final = tuple(name for name in ResourceDescription.__struct_fields__ if name not in ("url", "other"))
ALIASES: Final[Mapping[str, str]] = {
    **{name.replace("_", "-"): name for name in NAMED},
    "abstract": "description", "file-size": "content_length", "update-time": "rd_last_modified",
    "last-modification-time": "last_modified", "type": "content_type", "keyword": "keywords",
    "language": "content_language", "readacl": "read_acl", "email": "author_email",
    "dc.title": "title", "dc.creator": "author", "dc.description": "description", "dc.subject": "keywords",
}  # fmt: skip
"""The fields by the names under which they are known, in lower case."""

WRITTEN: Final[Mapping[str, str]] = {
    name: {"read_acl": "readacl"}.get(name, name.replace("_", "-")) for name in NAMED
}
_NUMBERED: Final = re.compile(r"(?P<base>.+?)-(?P<number>\d{1,6})", re.ASCII)
_OTHER_NAME: Final = re.compile(r"[^\s{}:@]{1,64}")


def moment_of(text: str) -> int | None:
    """Return a moment, in ISO 8601 or HTTP format, in milliseconds since 1970; None when it is invalid."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
    try:
        return max((_in_utc(moment) - EPOCH) // MILLISECOND, 0)
    except OverflowError:
        return None


def iso_moment(milliseconds: int) -> str:
    """Return the ISO form of a moment, with a precision of seconds."""
    try:
        moment = EPOCH + milliseconds * MILLISECOND
    except OverflowError:
        return ""
    return moment.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def merge_fields(described: ResourceDescription, given: Mapping[str, Iterable[str]]) -> ResourceDescription:
    """Return a description with given fields, under any names, which replace its own."""
    changes: dict[str, object] = {}
    other = dict(described.other)
    for name, values in given.items():
        kept = tuple(value[:VALUE_CHARS_MAX] for value in values if value)[:VALUES_MAX]
        field = ALIASES.get(name.lower())
        is_cut = field == "full_text" and bool(
            described.full_text
        )  # given values are limited in length, the text is not
        if not kept or name.lower() == "url" or is_cut:
            continue
        if field is None:
            if _OTHER_NAME.fullmatch(name) and len(other) < OTHER_MAX:
                other[name.lower()] = kept
        elif (value := _field_value(field, kept)) is not None:
            changes[field] = value
    return msgspec.structs.replace(described, other=other, **changes) if changes or other else described


def _field_value(field: str, values: tuple[str, ...]) -> object:
    if field in LISTS:
        parts = [part.strip() for value in values for part in _divided(field, value)]
        return tuple(part for part in parts if part)[:VALUES_MAX]
    if field in NUMBERS:
        return int(values[0]) if re.fullmatch(r"\d{1,15}", values[0].strip(), re.ASCII) else None
    if field in MOMENTS:
        moment = moment_of(values[0].strip())
        return None if moment is None else iso_moment(moment)
    return values[0]


def _divided(field: str, value: str) -> list[str]:
    return re.split("[,;\n]", value) if field == "keywords" else [value]


def to_soif(described: ResourceDescription, *, has_text: bool = True) -> SoifObject:
    """Return a description as a SOIF object."""
    attributes: list[tuple[str, str]] = []
    for field in NAMED:
        value = getattr(described, field)
        if value in ("", (), None) or (field == "full_text" and not has_text):
            continue
        if field in LISTS:
            attributes += _several(WRITTEN[field], value)
        elif field in MOMENTS:
            attributes.append((WRITTEN[field], _http_moment(value)))
        else:
            attributes.append((WRITTEN[field], str(value)))
    for name, values in described.other.items():
        attributes += _several(name, values)
    return SoifObject(DOCUMENT_TYPE, described.url.replace("\n", "").replace("\r", ""), tuple(attributes))


def from_soif(found: SoifObject) -> ResourceDescription | None:
    """Return the description in a SOIF object; None when it is another kind of object."""
    if found.type.upper() not in (DOCUMENT_TYPE, "FILE") or found.url in ("", "-"):
        return None
    values: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    names = {name for name, _ in found.attributes}
    for name, value in found.attributes:
        base = _base_of(name, names)
        if ALIASES.get(base) in ("full_text", "partial_text"):
            texts[ALIASES[base]] = value
        elif len(values.setdefault(base, [])) < VALUES_MAX:
            values[base].append(value)
    described = ResourceDescription(
        url=found.url, full_text=texts.get("full_text", ""), partial_text=texts.get("partial_text", "")
    )
    return merge_fields(described, values)


def _base_of(name: str, names: set[str]) -> str:
    """Return the field to which a numbered value belongs: `author-2`, but not `isbn-13`.

    Values of unknown fields are numbered from 1: if the first ones are missing, the number is part of the
    name.
    """
    match = _NUMBERED.fullmatch(name)
    if match is None or name in ALIASES:
        return name
    base, number = match["base"], int(match["number"])
    if base in ALIASES or {f"{base}-1", f"{base}-2", f"{base}-{max(number - 1, 1)}"} <= names:
        return base
    return name


def _several(name: str, values: tuple[str, ...]) -> list[tuple[str, str]]:
    if len(values) == 1:
        return [(name, values[0])]
    return [(f"{name}-{number}", value) for number, value in enumerate(values, 1)]


def _http_moment(text: str) -> str:
    milliseconds = moment_of(text)
    if milliseconds is None:
        return text
    return format_datetime((EPOCH + milliseconds * MILLISECOND).replace(microsecond=0), usegmt=True)


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
