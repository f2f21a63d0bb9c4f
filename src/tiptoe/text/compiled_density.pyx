# cython: language_level=3
"""`density.length_of` and what else counts single characters, compiled: the same numbers without other copies."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)

__all__ = ["count_latin", "length_of", "lengths_of"]

ctypedef fused Char:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    IDEOGRAPHS_FROM = 0x3000
    IDEOGRAPHS_UP_TO = 0xA000


def length_of(str text not None):
    """Return the length of a text in letters."""
    return measured(text)


def lengths_of(paragraphs not None):
    """Return the length of each paragraph in letters."""
    cdef list lengths = []
    cdef str paragraph
    for paragraph in paragraphs:
        lengths.append(measured(paragraph))
    return lengths


def count_latin(str text not None):
    """Count the letters from A to Z."""
    cdef const void* data = PyUnicode_DATA(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef Py_ssize_t size = len(text)
    if kind == 1:
        return latin_in(<const uint8_t*>data, size)
    return latin_in(<const uint16_t*>data, size) if kind == 2 else latin_in(<const uint32_t*>data, size)


cdef Py_ssize_t measured(str text) noexcept:
    cdef const void* data = PyUnicode_DATA(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef Py_ssize_t size = len(text), count, more
    if kind == 1:
        return size
    if kind == 2:
        count = ideographs_in(<const uint16_t*>data, size)
    else:
        count = ideographs_in(<const uint32_t*>data, size)
    # Each counts one and a half letters more than it has; halves are rounded to even, as by `round`.
    more = 3 * count // 2
    return size + more + (count & more & 1)


cdef Py_ssize_t ideographs_in(const Char* text, Py_ssize_t size) noexcept:
    cdef Py_ssize_t at, count = 0
    for at in range(size):
        count += IDEOGRAPHS_FROM <= text[at] and text[at] < IDEOGRAPHS_UP_TO
    return count


cdef Py_ssize_t latin_in(const Char* text, Py_ssize_t size) noexcept:
    cdef Py_ssize_t at, count = 0
    for at in range(size):
        count += c"a" <= (text[at] | 0x20) and (text[at] | 0x20) <= c"z"
    return count
