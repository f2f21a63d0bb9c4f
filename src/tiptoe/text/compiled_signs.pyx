# cython: language_level=3, boundscheck=True, wraparound=False
"""`signs.read_signs`, compiled, for all names of a page at once.

Words are looked up by their letters, five bits each, so that no string has to be cut out of a name.
"""

from libc.stdint cimport uint64_t

import numpy as np

__all__ = ["SignReader"]

cdef enum:
    LETTERS_MAX = 24  # of a word: two numbers of twelve letters each


cdef inline void add_letter(uint64_t* front, uint64_t* back, uint64_t number) noexcept:
    back[0] = back[0] << 5 | front[0] >> 55
    front[0] = (front[0] << 5 | number) & 0xFFFFFFFFFFFFFFF


cdef class SignReader:
    """Knows which signs each word and each tag stands for.

    Words are in lower case and consist of Latin letters only.
    """

    cdef uint64_t[::1] front, back, bits  # of words: their letters, and their signs
    cdef uint64_t mask
    cdef dict tag_bits

    def __init__(self, dict word_bits, dict tag_bits):
        cdef uint64_t size = 16, front, back, at
        cdef str word
        cdef Py_UCS4 letter
        while size < 4 * len(word_bits):
            size *= 2
        self.mask, self.tag_bits = size - 1, tag_bits
        self.front, self.back, self.bits = (np.zeros(size, dtype=np.uint64) for _ in range(3))
        for word, signs in word_bits.items():
            if len(word) > LETTERS_MAX:
                raise ValueError(f"{word!r} has more than {LETTERS_MAX} letters")
            front = back = 0
            for letter in word:
                add_letter(&front, &back, <uint64_t>letter - 96)
            at = self.slot(front, back)
            self.front[at], self.back[at], self.bits[at] = front, back, signs

    cdef uint64_t slot(self, uint64_t front, uint64_t back) except? 0xFFFFFFFFFFFFFFFF:
        """Return the slot of a word, or the free slot for it."""
        cdef uint64_t at = (front * 0x9E3779B97F4A7C15ULL ^ back * 0xC2B2AE3D27D4EB4FULL) >> 40 & self.mask
        while self.front[at] and (self.front[at] != front or self.back[at] != back):
            at = (at + 1) & self.mask
        return at

    def read(self, list names):
        """Return the signs of each name, a pair of a tag and words, as bits."""
        read = np.zeros(len(names), dtype=np.uint64)
        cdef uint64_t[::1] signs = read
        cdef Py_ssize_t number
        cdef str tag, words
        for number in range(len(names)):
            tag, words = names[number]
            signs[number] = <uint64_t>self.tag_bits.get(tag, 0) | self.read_words(words)
            if "-" in tag:
                signs[number] |= self.read_words(tag)
        return read

    cdef uint64_t read_words(self, str words) except? 0xFFFFFFFFFFFFFFFF:
        """Find words as `signs._WORD` does: `postBody` and `POST_body` have two."""
        cdef uint64_t signs = 0, front = 0, back = 0, number
        cdef Py_ssize_t letters = 0
        cdef bint is_upper = False  # the last letter
        cdef Py_UCS4 char
        for char in words:
            if c"a" <= char <= c"z":
                if letters > 1 and is_upper:  # a run of capitals ends where lower case begins
                    signs |= self.found(front, back, letters)
                    letters = 0
                is_upper, number = False, <uint64_t>char - 96
            elif c"A" <= char <= c"Z":
                if letters and not is_upper:
                    signs |= self.found(front, back, letters)
                    letters = 0
                is_upper, number = True, <uint64_t>char - 64
            else:
                signs |= self.found(front, back, letters)
                letters = 0
                continue
            if not letters:
                front = back = 0
            letters += 1
            add_letter(&front, &back, number)
        return signs | self.found(front, back, letters)

    cdef uint64_t found(self, uint64_t front, uint64_t back, Py_ssize_t letters) except? 0xFFFFFFFFFFFFFFFF:
        if not 0 < letters <= LETTERS_MAX:
            return 0
        return self.bits[self.slot(front, back)]
