"""What text does a file of Word or LibreOffice (docx, odt) contain?

Both are zip files of XML. Paragraphs can be nested (text boxes, notes): the inner
one is returned first, and the outer one continues after it.
"""

import posixpath
import re
from collections.abc import Callable

from tiptoe.convert.packages import Package, parse_xml
from tiptoe.convert.reading import Reason, TextDocument, Unreadable, document

__all__ = ["read_docx", "read_odt"]

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
STRICT_WORD = "http://purl.oclc.org/ooxml/wordprocessingml/main "
COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006 "
RELATION_IDS = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships id",
    "http://purl.oclc.org/ooxml/officeDocument/relationships id",
)
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0 "
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0 "
HREF = "http://www.w3.org/1999/xlink href"
DUBLIN_CORE = "http://purl.org/dc/elements/1.1/ "

MAIN_PART = "word/document.xml"
"""The usual name of the main part; the package may give another."""

HYPERLINK = re.compile(r'HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]{1,2000})"', re.IGNORECASE)
INSTRUCTION_CHARS_MAX = 4_000
DEPTH_MAX = 10_000


class _Paragraphs:
    """Collects paragraphs, including nested ones; elements that are *left out* may contain further ones."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.left_out = 0  # number of enclosing elements that are not text
        self._open: list[list[str]] = []

    def begin(self) -> None:
        if len(self._open) >= DEPTH_MAX:
            raise Unreadable(Reason.BROKEN)
        self._open.append([])

    def end(self) -> None:
        if self._open:
            # A line break ends a paragraph, as on a web page.
            self.done += "".join(self._open.pop()).split("\n")

    def add(self, text: str) -> None:
        if self._open and not self.left_out:
            self._open[-1].append(text)


def read_docx(data: bytes) -> TextDocument:
    """Read a text of Word since 2007."""
    package = Package(data)
    paragraphs = _Paragraphs()
    links: list[str] = []
    main = _parts(package, "").get("officeDocument", MAIN_PART)
    if main not in package:
        main = MAIN_PART
    parts = _parts(package, main)
    whole = _read_word_part(package, main, paragraphs, links)
    for kind in ("footnotes", "endnotes"):
        note = parts.get(kind, f"word/{kind}.xml")
        if note in package:
            _read_word_part(package, note, paragraphs, links)
    if not whole and not any(paragraphs.done):
        raise Unreadable(Reason.BROKEN)
    said = _dublin_core(package.find("docProps/core.xml"))
    language = said.get("language") or _word_language(package.find(parts.get("styles", "word/styles.xml")))
    return document(paragraphs.done, title=said.get("title", ""), language=language, links=links)


def _read_word_part(package: Package, name: str, paragraphs: _Paragraphs, links: list[str]) -> bool:
    targets = _links(package.find(_relations_of(name)))
    instruction: list[str] = []
    takes: list[Callable[[str], object] | None] = [None]

    def start(element: str, attributes: dict[str, str]) -> None:
        tag = element.removeprefix(WORD).removeprefix(STRICT_WORD)
        if tag == "p":
            paragraphs.begin()
        elif tag == "t":
            takes[0] = paragraphs.add
        elif tag == "instrText":
            takes[0] = instruction.append
        elif tag in _WORD_CHARACTERS:
            paragraphs.add(_WORD_CHARACTERS[tag])
        elif tag == "hyperlink":
            links.extend(targets[attributes[key]] for key in RELATION_IDS if attributes.get(key) in targets)
        elif tag == "moveFrom" or element == COMPATIBILITY + "Fallback":
            paragraphs.left_out += 1  # its text is found elsewhere too, or repeated for older readers

    def end(element: str) -> None:
        tag = element.removeprefix(WORD).removeprefix(STRICT_WORD)
        if tag in ("t", "instrText"):
            takes[0] = None
        elif tag == "p":
            paragraphs.end()
            links.extend(HYPERLINK.findall("".join(instruction)[:INSTRUCTION_CHARS_MAX]))
            instruction.clear()
        elif tag == "moveFrom" or element == COMPATIBILITY + "Fallback":
            paragraphs.left_out -= 1

    def text(piece: str) -> None:
        if takes[0] is not None:
            takes[0](piece)

    return parse_xml(package.read(name), start=start, end=end, text=text)


_WORD_CHARACTERS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def _relations_of(part: str) -> str:
    """Return the name of the file with the relations of a part, or of the package."""
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def _parts(package: Package, part: str) -> dict[str, str]:
    """Return the names of the parts related to this one, by kind of relation."""
    found: dict[str, str] = {}
    folder = posixpath.dirname(part)

    def start(element: str, attributes: dict[str, str]) -> None:
        if "Target" in attributes and attributes.get("TargetMode") != "External":
            name = posixpath.normpath(posixpath.join("/", folder, attributes["Target"])).lstrip("/")
            found.setdefault(attributes.get("Type", "").rpartition("/")[2], name)

    parse_xml(package.find(_relations_of(part)), start=start)
    return found


def _links(data: bytes) -> dict[str, str]:
    """Return the external URLs, by the id that a part uses for each."""
    found: dict[str, str] = {}

    def start(element: str, attributes: dict[str, str]) -> None:
        if attributes.get("TargetMode") == "External":
            found[attributes.get("Id", "")] = attributes.get("Target", "")

    parse_xml(data, start=start)
    return found


def _word_language(styles: bytes) -> str:
    found: list[str] = []

    def start(element: str, attributes: dict[str, str]) -> None:
        if element.endswith(" lang") and not found:
            found.extend(value for space in (WORD, STRICT_WORD) if (value := attributes.get(f"{space}val")))

    parse_xml(styles, start=start)
    return found[0] if found else ""


def _dublin_core(data: bytes) -> dict[str, str]:
    """Return what a document says about itself: title, language."""
    values: dict[str, str] = {}
    current = [""]

    def start(element: str, attributes: dict[str, str]) -> None:
        current[0] = element.removeprefix(DUBLIN_CORE)

    def end(element: str) -> None:
        current[0] = ""

    def text(piece: str) -> None:
        if current[0] in ("title", "language"):
            values[current[0]] = values.get(current[0], "") + piece

    parse_xml(data, start=start, end=end, text=text)
    return values


def read_odt(data: bytes) -> TextDocument:
    """Read an OpenDocument text."""
    package = Package(data)
    if b"encryption-data" in package.find("META-INF/manifest.xml"):
        raise Unreadable(Reason.ENCRYPTED)
    paragraphs = _Paragraphs()
    links: list[str] = []

    def start(element: str, attributes: dict[str, str]) -> None:
        tag = element.removeprefix(TEXT)
        if tag in ("p", "h"):
            paragraphs.begin()
        elif element in _NOT_ODT_TEXT:
            paragraphs.left_out += 1
        elif tag == "s":
            paragraphs.add(" ")
        elif tag in ("tab", "line-break"):
            paragraphs.add(" " if tag == "tab" else "\n")
        elif tag == "a" and HREF in attributes:
            links.append(attributes[HREF])

    def end(element: str) -> None:
        if element in (TEXT + "p", TEXT + "h"):
            paragraphs.end()
        elif element in _NOT_ODT_TEXT:
            paragraphs.left_out -= 1

    whole = parse_xml(package.read("content.xml"), start=start, end=end, text=paragraphs.add)
    if not whole and not any(paragraphs.done):
        raise Unreadable(Reason.BROKEN)
    said = _dublin_core(package.find("meta.xml"))
    return document(
        paragraphs.done, title=said.get("title", ""), language=said.get("language", ""), links=links
    )


_NOT_ODT_TEXT = frozenset({TEXT + "tracked-changes", TEXT + "note-citation", OFFICE + "annotation"})
