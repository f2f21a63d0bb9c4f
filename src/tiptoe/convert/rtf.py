r"""What text does a Rich Text file contain?

It is a sequence of groups `{...}`, control words `\par` and text. Bytes are in the code
page of the current font, or written as `\'e1`, or as `\u225?` with a fallback for old
readers. Groups without text (fonts, styles, pictures) are skipped. Text that old readers
could not read at all is given twice, `{\upr{old}{\*\ud{new}}}`; the new one is read.
"""

import codecs
import locale
import re
from dataclasses import dataclass, field, replace

from tiptoe.convert.reading import Reason, TextDocument, Unreadable, document

__all__ = ["language_name", "read_rtf"]

TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|([^\\{}\r\n]+)", re.DOTALL
)
HYPERLINK = re.compile(r'HYPERLINK\s+(?:\\[a-z]\s+)*"?([^"\s]{1,2000})', re.IGNORECASE)
DEPTH_MAX = 10_000
LEFT_OUT = frozenset(
    {"fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "header", "headerl", "headerr", "headerf",
     "footer", "footerl", "footerr", "footerf", "filetbl", "revtbl", "xe", "tc", "rxe", "bkmkstart",
     "bkmkend", "listtable", "listtext", "nonshppict", "themedata", "datastore", "generator", "annotation",
     "atnid"}
)  # fmt: skip
BREAKS = frozenset({"par", "line", "page", "sect", "cell", "nestcell", "row", "nestrow", "column"})
HIDING = frozenset({"v", "deleted"})
CHARACTERS = {
    "tab": " ", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ",
}  # fmt: skip
SYMBOLS = {b"~": "\xa0", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}", b"\r": "\n", b"\n": "\n"}
FONT_CHARSETS = {
    "77": "mac_roman", "128": "cp932", "129": "cp949", "134": "cp936", "136": "cp950", "161": "cp1253",
    "162": "cp1254", "163": "cp1258", "177": "cp1255", "178": "cp1256", "186": "cp1257", "204": "cp1251",
    "222": "cp874", "238": "cp1250", "254": "cp437",
}  # fmt: skip


@dataclass(slots=True)
class _RtfGroup:
    """The state that applies until the group ends."""

    is_text: bool = True
    target: str = ""  # instruction of a field, title, fonts; empty: the text itself
    font: str = ""  # current font; empty for the initial one of the document
    hiding: frozenset[str] = frozenset()  # why the text is not shown
    fallback_chars: int = 1  # after each \u
    is_outdated: bool = False  # the same text follows in Unicode


@dataclass(slots=True)
class _RtfReader:
    parts: dict[str, list[str]] = field(default_factory=lambda: {"": [], "field": [], "title": []})
    links: list[str] = field(default_factory=list)
    fonts: dict[str, str] = field(default_factory=dict)
    codec: str = "cp1252"  # of the document
    default_font: str = ""
    language: str = ""
    group: _RtfGroup = field(default_factory=_RtfGroup)
    outer: list[_RtfGroup] = field(default_factory=list)
    is_starred: bool = False
    font: str = ""  # being declared
    skip: int = 0  # characters of a fallback still to come
    raw: bytearray = field(default_factory=bytearray)

    @property
    def is_shown(self) -> bool:
        return self.group.is_text and not self.group.hiding and not self.group.is_outdated

    def put(self, text: str) -> None:
        self.settle()
        if self.is_shown:
            self.parts[self.group.target].append(text)

    def put_bytes(self, data: bytes) -> None:
        skipped = min(self.skip, len(data))
        self.skip -= skipped
        if self.is_shown:
            self.raw += data[skipped:]

    def put_named(self, text: str) -> None:
        """Add a character given by name, unless it is the fallback of another one."""
        if self.skip:
            self.skip -= 1
        else:
            self.put(text)

    def settle(self) -> None:
        """Decode the collected bytes; a character may have more than one byte."""
        if self.raw:
            codec = self.fonts.get(self.group.font or self.default_font) or self.codec
            text = self.raw.decode(codec, "replace")
            self.raw.clear()
            self.parts[self.group.target].append(text)

    def brace(self, sign: bytes) -> None:
        self.settle()
        self.skip = 0
        if sign == b"{":
            if len(self.outer) >= DEPTH_MAX:
                raise Unreadable(Reason.BROKEN)
            self.outer.append(self.group)
            self.group = replace(self.group)
        elif self.outer:
            if self.group.target == "field" and self.outer[-1].target != "field":
                self.links += HYPERLINK.findall("".join(self.parts["field"]))
                self.parts["field"].clear()
            self.group = self.outer.pop()
        self.is_starred = False

    def word(self, word: str, number: str) -> None:
        self.settle()
        starred, self.is_starred = self.is_starred, False
        if word == "u" and number:
            self.put(chr(int(number) % 0x10000))
            self.skip = self.group.fallback_chars
        elif word in BREAKS:
            self.put("\n")
        elif word in CHARACTERS:
            self.put_named(CHARACTERS[word])
        elif word == "fldinst":
            self.group.is_text, self.group.target = True, "field"
        elif word == "title" and self.outer and not self.group.is_text:
            self.group.is_text, self.group.target = True, "title"
        elif word == "upr":
            self.group.is_outdated = True
        elif word == "ud":
            self.group.is_outdated = False
        elif starred or word in LEFT_OUT:
            self.group.is_text = False
        elif word in HIDING:
            others = self.group.hiding - {word}
            self.group.hiding = others if number == "0" else others | {word}
        elif word == "plain":
            self.group.font, self.group.hiding = "", frozenset()
        elif number:
            self.numbered(word, number)

    def numbered(self, word: str, number: str) -> None:
        if word == "uc":
            self.group.fallback_chars = min(abs(int(number)), 16)
        elif word == "f":
            self.font = self.group.font = number
        elif word == "deff":
            self.default_font = number
        elif word == "fcharset" and number in FONT_CHARSETS:
            self.fonts[self.font] = FONT_CHARSETS[number]
        elif word == "ansicpg":
            self.codec = _known_codec(f"cp{number}") or self.codec
        elif word == "deflang":
            self.language = language_name(int(number))


def read_rtf(data: bytes) -> TextDocument:
    """Read the text, its title and the targets of its links."""
    reader = _RtfReader()
    for word, number, code, symbol, brace, text in TOKEN.findall(data):
        if text:
            reader.put_bytes(text)
        elif brace:
            reader.brace(brace)
        elif code:
            reader.put_bytes(bytes.fromhex(code.decode()))
        elif symbol == b"*":
            reader.is_starred = True
        elif symbol:
            reader.put_named(SYMBOLS.get(symbol, ""))
        else:
            reader.word(word.decode(), number.decode())
    reader.settle()
    # Characters beyond U+FFFF come as two surrogates.
    texts = {
        name: "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        for name, parts in reader.parts.items()
    }
    return document(
        texts[""].split("\n"),
        title=texts["title"],
        language=reader.language,
        charset=reader.codec.replace("cp12", "windows-12"),  # the name used on web pages
        links=reader.links,
    )


def language_name(number: int) -> str:
    """Return the language with this number in Windows; empty if there is none."""
    return locale.windows_locale.get(number, "").replace("_", "-")


def _known_codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return ""
