"""What is printed on the pages of a PDF?

PDFium is foreign code that parses hostile input, so it is only called in the sandbox.
It returns characters in reading order, with its guess of line ends. The position of a
line on the page is that of its first and last character.
"""

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from tiptoe.convert.reading import LINKS_MAX, Reason, TextDocument, Unreadable, document
from tiptoe.convert.reflow import Line, reflow

__all__ = ["read_pdf"]

PAGES_MAX = 5_000
LINK_BYTES_MAX = 4_000
LANGUAGE_CHARS = 64
BLANKS = (0, 32, 160)


def read_pdf(data: bytes) -> TextDocument:
    """Read all pages, and the URLs that their links lead to."""
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        is_locked = error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
        raise Unreadable(Reason.ENCRYPTED if is_locked else Reason.BROKEN) from None
    pages: list[list[Line]] = []
    links: list[str] = []
    for number in range(min(len(pdf), PAGES_MAX)):
        try:
            page = pdf[number]
            text = page.get_textpage()  # referenced here, since its memory is freed with the object
        except pypdfium2.PdfiumError:
            continue  # the other pages may be readable
        pages.append(list(_lines(text.raw)))
        if len(links) < LINKS_MAX:
            links += _links(pdf.raw, page.raw)
        page.close()
    title = pdf.get_metadata_value("Title")
    return document(reflow(pages), title=title, language=_language(pdf.raw), links=links)


def _lines(page: Any) -> Iterator[Line]:
    count = pdfium.FPDFText_CountChars(page)
    codes = [pdfium.FPDFText_GetUnicode(page, index) for index in range(count)]
    begin = 0
    for index in range(count + 1):
        if index == count or codes[index] in (10, 13):
            line = _line(page, codes, begin, index)
            if line is not None:
                yield line
            begin = index + 1


def _line(page: Any, codes: list[int], begin: int, end: int) -> Line | None:
    """Return the characters from `begin` up to `end` as a line; None if they are blank."""
    while begin < end and codes[begin] in BLANKS:
        begin += 1
    while begin < end and codes[end - 1] in BLANKS:
        end -= 1
    if begin == end:
        return None
    units = b"".join(code.to_bytes(2, "little") for code in codes[begin:end] if 0 < code <= 0xFFFF)
    text = units.decode("utf-16-le", "replace")
    left, _ = _sides(page, begin)
    _, right = _sides(page, end - 1)
    # The first character may be a mark of another size and height, and a space has neither.
    middle = next(index for index in range((begin + end) // 2, end) if codes[index] not in BLANKS)
    size = pdfium.FPDFText_GetFontSize(page, middle)
    return Line(" ".join(text.split()), left, right, _base_line(page, middle), size)


def _sides(page: Any, index: int) -> tuple[float, float]:
    """Return the left and right edge of a character."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    pdfium.FPDFText_GetCharBox(page, index, left, right, bottom, top)
    return left.value, right.value


def _base_line(page: Any, index: int) -> float:
    """Return the baseline of a character; its box may reach below that."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(page, index, x, y)
    return y.value


def _links(pdf: Any, page: Any) -> Iterator[str]:
    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(LINKS_MAX):
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            return
        action = pdfium.FPDFLink_GetAction(link)
        if action and pdfium.FPDFAction_GetType(action) == pdfium.PDFACTION_URI:
            size = pdfium.FPDFAction_GetURIPath(pdf, action, None, 0)
            if 1 < size <= LINK_BYTES_MAX:
                path = ctypes.create_string_buffer(size)
                pdfium.FPDFAction_GetURIPath(pdf, action, path, size)
                yield path.value.decode("utf-8", "replace")


def _language(pdf: Any) -> str:
    """Return the language that the document declares."""
    size = pdfium.FPDFCatalog_GetLanguage(pdf, None, 0)
    if not 2 < size <= 2 * LANGUAGE_CHARS:
        return ""
    told = ctypes.create_string_buffer(size)
    pdfium.FPDFCatalog_GetLanguage(pdf, ctypes.cast(told, ctypes.POINTER(ctypes.c_ushort)), size)
    return told.raw[: size - 2].decode("utf-16-le", "replace")
