"""Documents made by hand: just enough of each format to be one."""

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATIONS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
COMPATIBILITY = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)
ODT_TYPE = "application/vnd.oasis.opendocument.text"
EPUB_TYPE = "application/epub+zip"


def zipped(entries: Mapping[str, str | bytes], mimetype: str = "") -> bytes:
    """Return a zip file; its type comes first and is not compressed."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        if mimetype:
            package.writestr("mimetype", mimetype, zipfile.ZIP_STORED)
        for name, data in entries.items():
            package.writestr(name, data)
    return target.getvalue()


def docx(body: str, **parts: str) -> bytes:
    """Return a text of Word with this body."""
    spaces = f"{WORD} {RELATIONS} {COMPATIBILITY}"
    entries: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f"<w:document {spaces}><w:body>{body}</w:body></w:document>",
    }
    names = {
        "relations": "word/_rels/document.xml.rels",
        "core": "docProps/core.xml",
        "styles": "word/styles.xml",
        "footnotes": "word/footnotes.xml",
    }
    return zipped(entries | {names[part]: text for part, text in parts.items()})


def word_paragraph(*runs: str) -> str:
    return "<w:p>" + "".join(f"<w:r><w:t>{run}</w:t></w:r>" for run in runs) + "</w:p>"


def odt(body: str, meta: str = "", manifest: str = "") -> bytes:
    """Return an OpenDocument text with this body."""
    content = f"<office:document-content {ODF}><office:body>{body}</office:body></office:document-content>"
    about = f"<office:document-meta {ODF}>{meta}</office:document-meta>"
    return zipped({"content.xml": content, "meta.xml": about, "META-INF/manifest.xml": manifest}, ODT_TYPE)


def epub(pages: dict[str, str], *, title: str = "Kniha", language: str = "cs", **more: str) -> bytes:
    """Return a book of these pages, in their order."""
    items = "".join(
        f'<item id="{number}" href="{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(pages)
    )
    spine = "".join(f'<itemref idref="{number}"/>' for number in range(len(pages)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{title}</dc:title><dc:language>{language}</dc:language></metadata>"
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="c"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    entries: dict[str, str | bytes] = {"META-INF/container.xml": container, "OEBPS/book.opf": opf}
    entries |= {f"OEBPS/{name}": page for name, page in pages.items()}
    return zipped(entries | {f"META-INF/{name}.xml": text for name, text in more.items()}, EPUB_TYPE)


Placed = tuple[float, float, float, str]
"""Left, bottom, size and text of a line."""


def pdf(pages: Sequence[Sequence[Placed]], *, link: str = "", title: str = "", extra: str = "") -> bytes:
    """Return a PDF with these lines on its pages, in Helvetica."""
    objects = [
        f"<</Type/Catalog/Pages 2 0 R/Lang(cs-CZ){extra}>>".encode(),
        b"",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    annotation = (
        f"/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 99 99]/A<</S/URI/URI({link})>>>>]" if link else ""
    )
    kids = []
    for lines in pages:
        shown = "".join(f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET\n" for x, y, size, text in lines)
        content = shown.encode("cp1252")
        objects.append(b"<</Length %d>>stream\n%b\nendstream" % (len(content), content))
        page = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {len(objects)} 0 R{annotation}>>"
        )
        objects.append(page.encode())
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<</Type/Pages/Count {len(kids)}/Kids[{' '.join(kids)}]>>".encode()
    objects.append(f"<</Title({title})>>".encode())
    return _written(objects)


def _written(objects: list[bytes]) -> bytes:
    data = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj%b endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer<</Size %d/Root 1 0 R/Info %d 0 R>>" % (len(objects) + 1, len(objects))
    start = len(data)
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(objects) + 1, table)
        + trailer
        + b"\nstartxref\n%d\n%%%%EOF" % start
    )


SECTOR = 512
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def doc(pieces: Sequence[str | bytes], *, flags: int = 0, version: int = 0xC1, notes: int = 0) -> bytes:
    """Return a text of Word 97: pieces of `str` take two bytes a character, those of `bytes` one."""
    text_at = 1024
    text = b"".join(piece if isinstance(piece, bytes) else piece.encode("utf-16-le") for piece in pieces)
    bounds, places, at = [0], [], text_at
    for piece in pieces:
        bounds.append(bounds[-1] + len(piece))
        is_narrow = isinstance(piece, bytes)
        places.append((at * 2 | 1 << 30) if is_narrow else at)
        at += len(piece) * (1 if is_narrow else 2)
    plan = struct.pack(f"<{len(bounds)}I", *bounds) + b"".join(struct.pack("<HIH", 0, p, 0) for p in places)
    clx = b"\x01\x02\x00xx\x02" + struct.pack("<I", len(plan)) + plan
    header = bytearray(text_at)
    struct.pack_into("<HHHHH", header, 0, 0xA5EC, version, 0, 0x405, 0)
    struct.pack_into("<H", header, 0x0A, flags)
    struct.pack_into("<ii", header, 0x4C, bounds[-1] - notes, notes)
    struct.pack_into("<II", header, 0x1A2, 0, len(clx))
    return ole({"WordDocument": bytes(header) + text, "0Table": clx})


def ole(streams: dict[str, bytes]) -> bytes:
    """Return an OLE file of these streams; each is made long enough not to need the table of small ones."""
    fat = [FAT, END]  # sector 0 is the table, 1 the directory
    entries = [_entry("Root Entry", 5, END, 0, child=1)]
    body = b""
    for number, (name, data) in enumerate(streams.items(), 1):
        padded = data.ljust(4096, b"\0")
        sectors = -(-len(padded) // SECTOR)
        first = len(fat)
        fat += [*range(first + 1, first + sectors), END]
        right = number + 1 if number < len(streams) else FREE
        entries.append(_entry(name, 2, first, len(padded), right=right))
        body += padded.ljust(sectors * SECTOR, b"\0")
    table = struct.pack("<128I", *(fat + [FREE] * (128 - len(fat))))
    header = bytearray(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(SECTOR, b"\0"))
    struct.pack_into("<HHHHH", header, 24, 0x3E, 3, 0xFFFE, 9, 6)
    struct.pack_into("<IIIIIIIII", header, 44, 1, 1, 0, 4096, END, 0, END, 0, 0)
    header[80:] = struct.pack("<108I", *([FREE] * 108))
    return bytes(header) + table + b"".join(entries).ljust(SECTOR, b"\0") + body


def _entry(name: str, kind: int, start: int, size: int, *, child: int = FREE, right: int = FREE) -> bytes:
    wide = name.encode("utf-16-le")
    fields = struct.pack("<HBBIII16xI8x8xIQ", len(wide) + 2, kind, 1, FREE, right, child, 0, start, size)
    return wide.ljust(64, b"\0") + fields
