# cython: language_level=3
"""`telltales.UncompiledTelltales`, compiled: the same labels, in a fraction of the time.

A string has one, two or four bytes per character; there is a loop for each. Most paragraphs are settled without
an object for any of their words.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ_CHAR(object text, Py_ssize_t at)
    object PyUnicode_Substring(object text, Py_ssize_t begin, Py_ssize_t end)
    bint Py_UNICODE_ISSPACE(Py_UCS4 char)

__all__ = ["Telltales"]

ctypedef fused Char:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    SKIMMED_CHARS = 100
    ENTRY_CHARS_MAX = 60
    WORDS_MIN = 4
    WORDS_FEW = 10
    TELLTALES = 2

cdef enum Entry:
    NO_ENTRY
    WITH_LETTERS
    WITHOUT_LETTERS

cdef uint64_t START = 0xCBF29CE484222325u
cdef uint64_t FACTOR = 0x100000001B3u

cdef struct Slot:
    uint64_t hash
    Py_ssize_t number  # of the word, from 1; 0: the slot is free

cdef struct Beginning:
    Py_ssize_t words
    int telling  # different telling words, but at most TELLTALES; further words are not counted then


cdef class Telltales:
    """The words that are unique to one language, in lower case."""

    cdef readonly list words
    cdef Slot* slots
    cdef size_t mask

    def __cinit__(self):
        self.slots = NULL

    def __init__(self, words not None):
        cdef size_t size = 16, place
        cdef uint64_t hash
        cdef Py_UCS4 char
        cdef str word
        self.words = sorted(words)
        while size < 4 * <size_t>len(self.words):
            size *= 2
        free(self.slots)
        self.slots, self.mask = <Slot*>calloc(size, sizeof(Slot)), size - 1
        if self.slots is NULL:
            raise MemoryError
        for number, word in enumerate(self.words, 1):
            hash = START
            for char in word:
                hash = (hash ^ <uint32_t>char) * FACTOR
            place = place_of(hash, self.mask)
            while self.slots[place].number:
                place = (place + 1) & self.mask
            self.slots[place] = Slot(hash, number)

    def __dealloc__(self):
        free(self.slots)

    def settle(self, paragraphs not None, str main not None, str und not None, agrees not None, bint is_latin):
        """Return the language of each paragraph, or its number of words if it takes a closer look."""
        cdef list labels = [], words
        cdef str paragraph
        cdef Beginning found
        cdef Entry entry
        for paragraph in paragraphs:
            entry = entry_in(paragraph) if is_latin else NO_ENTRY
            if entry != NO_ENTRY:
                labels.append(main if entry == WITH_LETTERS else und)
                continue
            if len(paragraph) > SKIMMED_CHARS:
                paragraph = PyUnicode_Substring(paragraph, 0, SKIMMED_CHARS)
            if not PyUnicode_IS_ASCII(paragraph):
                paragraph = paragraph.lower()
            found = self.beginning_of(paragraph)
            if found.telling >= TELLTALES or (found.telling and found.words < WORDS_FEW):
                labels.append(main)
                continue
            if found.words >= WORDS_MIN:
                words = paragraph.lower().split()
                if agrees(words):
                    labels.append(main)
                    continue
            labels.append(found.words)
        return labels

    cdef Beginning beginning_of(self, str text) noexcept:
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        if kind == 1:
            return self.words_of(<const uint8_t*>data, len(text))
        if kind == 2:
            return self.words_of(<const uint16_t*>data, len(text))
        return self.words_of(<const uint32_t*>data, len(text))

    cdef Beginning words_of(self, const Char* text, Py_ssize_t size) noexcept:
        """Count the words of a text, which is ASCII or in lower case, and the telling ones among them."""
        cdef Beginning found = Beginning(0, 0)
        cdef Py_ssize_t at = 0, begin, number, first = 0
        cdef uint64_t hash
        while True:
            while at < size and Py_UNICODE_ISSPACE(text[at]):
                at += 1
            if at == size:
                return found
            begin, hash = at, START
            while at < size and not Py_UNICODE_ISSPACE(text[at]):
                hash = (hash ^ small(text[at])) * FACTOR
                at += 1
            found.words += 1
            number = self.number_of(text, begin, at, hash)
            if number and number != first:
                first = number
                found.telling += 1
                if found.telling == TELLTALES:
                    return found

    cdef Py_ssize_t number_of(self, const Char* text, Py_ssize_t begin, Py_ssize_t end, uint64_t hash) noexcept:
        """Return the number of a word; 0 if it is not one of these."""
        cdef size_t place = place_of(hash, self.mask)
        while self.slots[place].number:
            if self.slots[place].hash == hash and self.is_word(self.slots[place].number, text, begin, end):
                return self.slots[place].number
            place = (place + 1) & self.mask
        return 0

    cdef bint is_word(self, Py_ssize_t number, const Char* text, Py_ssize_t begin, Py_ssize_t end) noexcept:
        cdef str word = <str>self.words[number - 1]
        cdef Py_ssize_t at
        if len(word) != end - begin:
            return False
        for at in range(end - begin):
            if <uint32_t>PyUnicode_READ_CHAR(word, at) != small(text[begin + at]):
                return False
        return True


cdef inline size_t place_of(uint64_t hash, size_t mask) noexcept:
    return <size_t>(hash ^ hash >> 32) & mask


cdef inline uint32_t small(uint32_t char) noexcept:
    return char | 0x20 if c"A" <= char <= c"Z" else char


cdef Entry entry_in(str paragraph) noexcept:
    """Tell whether a paragraph is the entry of a menu: a few words in ASCII."""
    cdef Py_ssize_t size = len(paragraph), place, words = 0
    cdef const uint8_t* text
    cdef bint is_in_word = False, has_letters = False
    if size > ENTRY_CHARS_MAX or not PyUnicode_IS_ASCII(paragraph):
        return NO_ENTRY
    text = <const uint8_t*>PyUnicode_DATA(paragraph)
    for place in range(size):
        if text[place] == c" " or 9 <= text[place] <= 13 or 0x1C <= text[place] <= 0x1F:
            is_in_word = False
            continue
        words += not is_in_word
        is_in_word = True
        has_letters = has_letters or c"a" <= (text[place] | 0x20) <= c"z"
    if words >= WORDS_MIN:
        return NO_ENTRY
    return WITH_LETTERS if has_letters else WITHOUT_LETTERS
