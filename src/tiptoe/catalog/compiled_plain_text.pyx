# cython: language_level=3, boundscheck=False, wraparound=False
"""`plain_text.divided` for texts that are plain throughout, compiled: a single pass over the characters.

Lower-casing and the separation of words, which an index would otherwise do, are done here, and faster.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_FromKindAndData, PyUnicode_KIND
from libc.stdint cimport uint8_t, uint16_t, uint32_t

__all__ = ["WordWriter", "count_line_ends", "has_marked"]

cdef enum:
    OTHER = 1
    NEW_LINE = 10
    BLANK = 32

ctypedef fused Character:
    uint8_t
    uint16_t
    uint32_t


def has_marked(str text, const uint8_t[::1] marked, Py_ssize_t chars_max):
    """Return whether one of the first characters is marked; characters beyond the table count as marked."""
    cdef Py_ssize_t length = min(len(text), chars_max)
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    if kind == 1:
        return any_marked(<uint8_t*>data, length, marked)
    if kind == 2:
        return any_marked(<uint16_t*>data, length, marked)
    return any_marked(<uint32_t*>data, length, marked)


cdef bint any_marked(Character* text, Py_ssize_t length, const uint8_t[::1] marked):
    cdef uint32_t end = <uint32_t>len(marked)
    cdef Py_ssize_t place
    for place in range(length):
        if text[place] >= end or marked[text[place]]:
            return True
    return False


def count_line_ends(str text):
    """Return the number of line ends in a text, in an eighth of the time of `str.count`."""
    cdef Py_ssize_t length = len(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    if kind == 1:
        return line_ends(<uint8_t*>data, length)
    if kind == 2:
        return line_ends(<uint16_t*>data, length)
    return line_ends(<uint32_t*>data, length)


cdef Py_ssize_t line_ends(Character* text, Py_ssize_t length):
    cdef Py_ssize_t place
    cdef uint32_t found = 0
    for place in range(length):
        found += text[place] == NEW_LINE
    return found


cdef class WordWriter:
    """Knows what to write for each character: a lower-case letter, a blank, a new line, or OTHER.

    `written` is the table of the first characters; further ones are blanks if they are in one of `gaps`,
    otherwise OTHER: a text with any of these is not plain.
    """

    cdef uint16_t[::1] written
    cdef uint32_t end
    cdef list gaps
    cdef uint16_t broken
    cdef Py_ssize_t word_max

    def __init__(self, uint16_t[::1] written, list gaps, str broken, Py_ssize_t word_max):
        self.written, self.end, self.gaps = written, len(written), gaps
        self.broken, self.word_max = ord(broken), word_max

    def write(self, str text):
        """Return the words of a text with blanks between them; None if the text is not plain."""
        cdef Py_ssize_t length = len(text), size
        cdef int kind = PyUnicode_KIND(text)
        cdef void* data = PyUnicode_DATA(text)
        # A line break is written as a word, with a blank on each side.
        cdef uint16_t* found = <uint16_t*>PyMem_Malloc((3 * length + 1) * sizeof(uint16_t))
        if found == NULL:
            raise MemoryError
        try:
            if kind == 1:
                size = self.find(<uint8_t*>data, length, found)
            elif kind == 2:
                size = self.find(<uint16_t*>data, length, found)
            else:
                size = self.find(<uint32_t*>data, length, found)
            return None if size < 0 else PyUnicode_FromKindAndData(2, found, size)
        finally:
            PyMem_Free(found)

    cdef Py_ssize_t find(self, Character* text, Py_ssize_t length, uint16_t* found):
        """Write the words of a text; return their size, or -1 if the text is not plain.

        The ends of words are unpredictable, so no branch depends on them.
        """
        cdef uint16_t* written = &self.written[0]
        cdef Py_ssize_t place, size = 0, gap = -1, lengths = 0
        cdef uint32_t end = self.end
        cdef uint16_t letter
        cdef Py_ssize_t is_letter, was_letter = 0
        for place in range(length):
            if text[place] < end:
                letter = written[text[place]]
            else:
                letter = BLANK if self.is_gap(text[place]) else OTHER
            if letter < BLANK:
                if letter == OTHER:
                    return -1
                found[size] = BLANK
                size += was_letter
                found[size], found[size + 1] = self.broken, BLANK
                size += 2
                was_letter, gap = 0, place
                continue
            is_letter = letter != BLANK
            found[size] = letter
            size += is_letter | was_letter  # one blank is enough
            was_letter = is_letter
            gap ^= (gap ^ place) & (is_letter - 1)  # the place of the last blank
            lengths |= place - gap
        # Only if there is a long word, some bit of the lengths is as high.
        return -1 if lengths > self.word_max and longest_word(found, size) > self.word_max else size

    cdef bint is_gap(self, uint32_t character):
        cdef uint32_t first, last
        for first, last in self.gaps:
            if first <= character <= last:
                return True
        return False


cdef Py_ssize_t longest_word(uint16_t* found, Py_ssize_t size):
    cdef Py_ssize_t place, gap = -1, longest = 0
    for place in range(size):
        if found[place] == BLANK:
            gap = place
        longest = max(longest, place - gap)
    return longest
