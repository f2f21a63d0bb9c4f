"""Where are the tags in XML that may be broken?

For sitemaps and feeds, which are long, simple and often broken. A parser must either refuse broken XML or
guess what was meant, and its guesses become URLs that nobody wrote. Nothing is guessed here: tags are
yielded one by one with the text before them, whether or not they match. Text that is not followed by a tag,
because the file breaks off, is left out.

No DTD is read. Of named entities, only those of HTML are resolved, since people use them; any other is
replaced by a special character, a hole. Cost is linear in the text.
"""

import re
from collections.abc import Iterator
from html.entities import html5
from itertools import islice
from typing import Final, TypeAlias

from tiptoe.parse.charset import decode
from tiptoe.parse.labels import find_codec

__all__ = ["HOLE", "Tag", "attribute", "decode_xml", "read_tags", "root_attribute", "root_name"]

HOLE: Final = "\N{OBJECT REPLACEMENT CHARACTER}"

DECLARATION_BYTES_MAX: Final = 400
PROLOG_TAGS_MAX: Final = 5
ATTRIBUTES_CHARS_MAX: Final = 8192

_ENCODING: Final = re.compile(rb"""\s*<\?xml[^<>]*?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_NAME: Final = r"[^\s<>/!?=\"'&][^\s<>/=\"'&]{0,99}"
_TAG: Final = re.compile(
    rf"""([^<]*+)<(/?)({_NAME})((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)>(?:([^<]*+)</\3\s*+>)?+"""
)
"""A tag with the text before it; also its content and end tag, if the content is only text."""
_LOOSE_TAG: Final = re.compile(rf"<(/?)({_NAME})([^<>]*+)>")
"""A tag whose quotes do not match."""
_ATTRIBUTE: Final = re.compile(
    r"""(?<=[\s"'])([^\s=<>"'/]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>]++))"""
)
_REFERENCE: Final = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{0,30}));")

LITERAL_START, LITERAL_END = "<![CDATA[", "]]>"
ASIDES: Final = ((LITERAL_START, LITERAL_END), ("<!--", "-->"), ("<?", "?>"))


Tag: TypeAlias = tuple[str, str, str, str, str | None]
"""Text before it, slash of an end tag, name and attributes as written, text up to its end if it is a leaf.

Without a name, it is where the file breaks off in the middle of a tag.
"""


def decode_xml(data: bytes) -> str:
    """Decode bytes, by their byte order mark, by the XML declaration, or by what they look like."""
    head = data[:DECLARATION_BYTES_MAX]
    declared = _ENCODING.match(head)
    codec = (find_codec(declared[1].decode("ascii", "replace")) if declared else None) or "utf-8"
    if b"\0" not in head and not codec.startswith("utf-16"):
        try:
            return data.decode(codec).replace("\0", "")
        except UnicodeDecodeError:
            pass
    return decode(data, None).text


def root_name(text: str) -> str:
    """Return the name of the outermost element, in lower case, without its prefix; empty for none."""
    return _root(text)[0].rpartition(":")[2].lower()


def root_attribute(text: str, name: str) -> str:
    """Return the value of an attribute of the outermost element; empty for none."""
    return attribute(_root(text)[1], name)


def _root(text: str) -> tuple[str, str]:
    """Return name and attributes of the outermost element, as written."""
    for _, slash, name, attributes, _ in islice(read_tags(text), PROLOG_TAGS_MAX):
        if name and not slash:
            return name, attributes
    return "", ""


def read_tags(text: str) -> Iterator[Tag]:
    """Yield tags in order, with the text before each: references resolved, CDATA as it is."""
    at = 0
    parts: list[str] = []  # of the text before the next tag
    last_end = text.rfind(">")
    while at >= 0:
        found = _TAG.match(text, at)
        if found is not None:
            before, slash, name, attributes, content = found.groups()
            if parts or "&" in before:
                parts.append(_resolved(before))
                before = "".join(parts)
                parts.clear()
            if content is not None and "&" in content:
                content = _resolved(content)
            yield before, slash, name, attributes, content
            at = found.end()
            continue
        start = text.find("<", at)
        if start < 0:
            return
        parts.append(_resolved(text[at:start]))
        if text.startswith(("<!", "<?"), start):
            at = _end_of_aside(text, start)
            if text.startswith(LITERAL_START, start):
                parts.append(text[start + len(LITERAL_START) : at - len(LITERAL_END)])
        elif loose := _LOOSE_TAG.match(text, start):
            slash, name, attributes = loose.groups()
            yield "".join(parts), slash, name, attributes, None
            parts.clear()
            at = loose.end()
        elif start < last_end:  # a `<` that was not escaped
            parts.append("<")
            at = start + 1
        else:
            yield "".join(parts), "", "", "", None
            return


def attribute(attributes: str, name: str) -> str:
    """Return the value of an attribute, ignoring case and prefix of its name; empty for none."""
    if len(attributes) > ATTRIBUTES_CHARS_MAX:
        return ""
    for key, *values in _ATTRIBUTE.findall(attributes):
        if key.rpartition(":")[2].lower() == name:
            return _resolved("".join(values)).strip()
    return ""


def _end_of_aside(text: str, start: int) -> int:
    """Return where CDATA, a comment, an instruction or a declaration ends; negative if it has no end."""
    for opening, closing in ASIDES:
        if text.startswith(opening, start):
            end = text.find(closing, start + len(opening))
            return end + len(closing) if end >= 0 else -1
    end = text.find(">", start)
    if end >= 0 and text.find("[", start, end) >= 0:  # declarations of its own within
        inner = text.find("]", start)
        end = text.find(">", inner) if inner >= 0 else -1
    return end + 1 if end >= 0 else -1


def _resolved(text: str) -> str:
    if text.count("&") == text.count("&amp;"):  # nearly all are
        return text.replace("&amp;", "&")
    return _REFERENCE.sub(_character, text)


def _character(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    if name is not None:
        return html5.get(name + ";", HOLE)
    code = int(decimal) if decimal else int(hexadecimal, 16)
    is_character = 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
    return chr(code) if is_character or code in (9, 10, 13) else HOLE
