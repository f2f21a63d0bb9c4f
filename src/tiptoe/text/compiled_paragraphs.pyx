# cython: language_level=3
"""`paragraphs.cut_by_pieces` and `clean`, compiled: the same paragraphs, in a fraction of the time.

A string has one, two or four bytes per character; there is a loop for each. Rare cases (line breaks, invisible
characters) are handled by the functions in Python, which are passed in.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from cpython.mem cimport PyMem_Free, PyMem_Malloc

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    object PyUnicode_Substring(object text, Py_ssize_t begin, Py_ssize_t end)
    object PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t size)
    bint Py_UNICODE_ISSPACE(Py_UCS4 char)
    bint Py_UNICODE_ISPRINTABLE(Py_UCS4 char)

__all__ = ["collapse", "cut_at_marks"]

ctypedef fused Char:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    LINE = 0x1D
    MARK = 0x1E

cdef enum:
    TABLE_SIZE = 0x10000  # all but rare characters

cdef enum CharClass:
    PLAIN
    BLANK  # clean if there is only one in a row
    SPACE
    LINE_BREAK
    PARAGRAPH_BREAK
    UNPRINTABLE

cdef uint8_t[TABLE_SIZE] CLASSES

cdef struct Piece:
    Py_ssize_t begin, end, following
    bint is_clean, is_broken


def cut_at_marks(str marked not None, Py_ssize_t count_max, clean, join_lines):
    """Return the first non-empty paragraphs, up to a maximum."""
    cdef const void* text = PyUnicode_DATA(marked)
    cdef int kind = PyUnicode_KIND(marked)
    cdef Py_ssize_t at = 0, size = len(marked)
    cdef Piece piece
    cdef list paragraphs = []
    while at < size and len(paragraphs) < count_max:
        if kind == 1:
            piece = next_piece(<const uint8_t*>text, at, size)
        elif kind == 2:
            piece = next_piece(<const uint16_t*>text, at, size)
        else:
            piece = next_piece(<const uint32_t*>text, at, size)
        at = piece.following
        if piece.begin == piece.end:
            continue
        found = PyUnicode_Substring(marked, piece.begin, piece.end)
        if piece.is_broken:
            paragraphs += join_lines(found)
        elif piece.is_clean:
            paragraphs.append(found)
        else:
            whole = collapse(found)
            found = clean(found) if whole is None else whole
            if found:
                paragraphs.append(found)
    return paragraphs[:count_max]


def collapse(str text not None):
    """Return a text with one space for all white space in a row; None if it has invisible characters."""
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text), kept
    cdef void* buffer = PyMem_Malloc(size * kind + 1)
    if buffer is NULL:
        raise MemoryError
    try:
        if kind == 1:
            kept = collapsed(<const uint8_t*>data, size, <uint8_t*>buffer)
        elif kind == 2:
            kept = collapsed(<const uint16_t*>data, size, <uint16_t*>buffer)
        else:
            kept = collapsed(<const uint32_t*>data, size, <uint32_t*>buffer)
        return None if kept < 0 else PyUnicode_FromKindAndData(kind, buffer, kept)
    finally:
        PyMem_Free(buffer)


cdef Py_ssize_t collapsed(const Char* text, Py_ssize_t size, Char* kept) noexcept:
    """Write a text with one space for all white space in a row; return its length, -1 if it cannot be seen."""
    cdef Py_ssize_t at, count = 0
    cdef CharClass found
    cdef bint is_after_space = False
    for at in range(size):
        found = class_of(text[at])
        if found == UNPRINTABLE:
            return -1
        if found != PLAIN:
            is_after_space = count > 0
            continue
        if is_after_space:
            kept[count] = c" "
            count += 1
            is_after_space = False
        kept[count] = text[at]
        count += 1
    return count


cdef Piece next_piece(const Char* text, Py_ssize_t at, Py_ssize_t size) noexcept:
    """Return the piece before the next mark, without white space around it."""
    cdef Piece piece = Piece(0, 0, 0, True, False)
    cdef CharClass found
    cdef Py_ssize_t word
    cdef bint is_after_blank = False, is_gap_clean = True, is_gap_broken = False
    while at < size and PLAIN < class_of(text[at]) < PARAGRAPH_BREAK:
        at += 1
    piece.begin = piece.end = at
    while True:
        word = at
        while at < size and class_of(text[at]) == PLAIN:
            at += 1
        found = PARAGRAPH_BREAK if at == size else class_of(text[at])
        if at > word or found == UNPRINTABLE:
            # White space counts only between other characters.
            piece.is_clean = piece.is_clean and is_gap_clean and found != UNPRINTABLE
            piece.is_broken = piece.is_broken or is_gap_broken
            is_after_blank = False
            piece.end = at + (found == UNPRINTABLE)
        if found == BLANK:
            is_gap_clean = is_gap_clean and not is_after_blank
            is_after_blank = True
        elif found == PARAGRAPH_BREAK:
            piece.following = at + 1
            return piece
        elif found != UNPRINTABLE:
            is_gap_clean = False
            is_gap_broken = is_gap_broken or found == LINE_BREAK
        at += 1


cdef inline CharClass class_of(Py_UCS4 char) noexcept:
    return <CharClass>CLASSES[char] if char < TABLE_SIZE else look_up(char)


cdef CharClass look_up(Py_UCS4 char) noexcept:
    if char == MARK:
        return PARAGRAPH_BREAK
    if char == LINE:
        return LINE_BREAK
    if char == c" ":
        return BLANK
    if Py_UNICODE_ISSPACE(char):
        return SPACE
    return PLAIN if Py_UNICODE_ISPRINTABLE(char) else UNPRINTABLE


cdef Py_UCS4 each
for each in range(TABLE_SIZE):
    CLASSES[each] = look_up(each)
