# cython: language_level=3, boundscheck=True, wraparound=False, cdivision=True
"""The measurements of `features.py`, compiled: the same rows to the last bit.

A page has about a hundred paragraphs. For such short arrays numpy takes longer to start than to compute, and
there are two hundred features; here each is a loop. Bounds are checked: columns that do not fit together are
an `IndexError`, never a read from elsewhere.
"""

from libc.math cimport ceil
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

import os

import numpy as np

cdef extern from "Python.h":
    uint32_t PyUnicode_READ_CHAR(object text, Py_ssize_t at)
    bint Py_UNICODE_ISALNUM(Py_UCS4 char)
    bint Py_UNICODE_ISSPACE(Py_UCS4 char)

__all__ = ["OutlineMeasurer", "find_quoted"]

# As in `characters.py`.
cdef enum:
    SPACE = 0
    DIGIT = 1
    LETTER = 2
    STOP = 3
    COMMA = 4
    MONEY = 5
    OTHER = 6
    IDEOGRAPH = 7
    UNSPACED = 8

# As in `surroundings.AMOUNTS`.
cdef enum:
    PARAGRAPHS = 0
    WORDS = 1
    LINKED = 2
    PROSE = 3
    PRICED = 4
    SHORT = 5
    QUOTED = 6
    AMOUNTS = 7

# The number of `surroundings.RATIOS`.
cdef enum:
    RATIOS = 9


# Hashes differ from process to process, so that no page can be crafted to cause collisions.
cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")


cdef class OutlineMeasurer:
    """Measures the paragraphs of pages, by the constants of `features.py` and the modules it uses."""

    cdef Py_ssize_t rows, tagged, signs, first_heading, last_heading, nowhere
    cdef const uint8_t[::1] kinds
    cdef double ideograph_words, unspaced_words, prose_words_min
    cdef tuple ancestors, shares, windows
    cdef list nearby

    def __init__(self, *, rows, kinds, ideograph_words, unspaced_words, prose_words_min, ancestors, tagged_ancestors,
                 container_shares, signs, nearby_signs, first_heading, last_heading, windows, nowhere):
        self.rows, self.kinds = rows, kinds
        self.ideograph_words, self.unspaced_words = ideograph_words, unspaced_words
        self.prose_words_min = prose_words_min
        self.ancestors, self.tagged, self.shares = ancestors, max(tagged_ancestors), container_shares
        self.signs, self.nearby = signs, nearby_signs
        self.first_heading, self.last_heading = first_heading, last_heading
        self.windows, self.nowhere = windows, nowhere

    def measure(self, outline, is_quoted, signs_of_name, tag_of_name):
        """Return a row for each feature, a column for each paragraph of a page that has at least one."""
        cdef Page page = Page(outline, tag_of_name, self.rows)
        cdef list texts = outline.text
        page.count_characters(texts, self.kinds, self.ideograph_words, self.unspaced_words)
        page.sum_up(outline.linked_chars, is_quoted, self.prose_words_min)
        page.look_around(signs_of_name)
        page.count_twins()
        page.put_paragraphs(texts, is_quoted)
        page.put_ancestors(self.ancestors, self.tagged)
        page.put_containers(self.shares)
        page.put_signs(self.signs, self.nearby)
        page.put_positions(self.nowhere)
        page.put_headings(self.first_heading, self.last_heading, self.nowhere)
        page.put_windows(self.windows)
        page.put_page()
        assert page.row == self.rows
        return np.asarray(page.measured)


cdef class Page:
    """One page, while it is measured."""

    cdef Py_ssize_t count, elements, row
    cdef int64_t[::1] place, name, parent, depth, shape, first, end, tag_of_name, twins, shape_size
    cdef uint64_t[::1] signs, signs_above
    cdef double[:, ::1] single, before, subtree, shaped, sums
    cdef double[::1] chars, words, digits, stops, commas, money, linked_share
    cdef float[:, ::1] measured

    def __init__(self, outline, tag_of_name, rows):
        cdef Py_ssize_t count = len(outline.text), elements = len(outline.name)
        self.count, self.elements, self.row = count, elements, 0
        columns = outline.name, outline.parent, outline.depth, outline.shape, outline.first, outline.end
        self.place = np.fromiter(outline.place, np.int64, count)
        self.name, self.parent, self.depth, self.shape, self.first, self.end = (
            np.fromiter(column, np.int64, elements) for column in columns
        )
        self.tag_of_name = tag_of_name
        self.twins, self.shape_size = np.empty(elements, np.int64), np.zeros(elements + 1, np.int64)
        self.signs, self.signs_above = np.empty((2, elements), np.uint64)
        self.chars, self.words, self.digits, self.stops, self.commas, self.money, self.linked_share = (
            np.empty((7, count))
        )
        self.single, self.before = np.empty((AMOUNTS, count)), np.empty((AMOUNTS, count + 1))
        self.subtree, self.shaped = np.empty((2, AMOUNTS, elements))
        self.sums = np.empty((AMOUNTS, 1))
        self.measured = np.empty((rows, count), np.float32)

    cdef int count_characters(self, list texts, const uint8_t[::1] kinds, double per_ideograph,
                              double per_unspaced) except -1:
        """Count kinds of characters in each paragraph; see `characters.count_characters`."""
        cdef Py_ssize_t number, at, length
        cdef Py_UCS4 char
        cdef str text
        cdef int kind, last
        cdef double begun, begun_dense, ideographs, unspaced, digits, stops, commas, money
        for number in range(self.count):
            text = texts[number]
            length = len(text)
            last = SPACE
            begun = begun_dense = ideographs = unspaced = digits = stops = commas = money = 0
            for at in range(length):
                char = text[at]
                kind = kinds[char] if char < 0x10000 else LETTER
                if kind != SPACE and last == SPACE:
                    begun += 1
                    if kind >= IDEOGRAPH:
                        begun_dense += 1
                last = kind
                if kind == DIGIT:
                    digits += 1
                elif kind == STOP:
                    stops += 1
                elif kind == COMMA:
                    commas += 1
                elif kind == MONEY:
                    money += 1
                elif kind == IDEOGRAPH:
                    ideographs += 1
                elif kind == UNSPACED:
                    unspaced += 1
            if ideographs or unspaced:
                begun += ceil(per_ideograph * ideographs + per_unspaced * unspaced) - begun_dense
            self.chars[number] = length
            self.words[number] = begun
            self.digits[number] = digits
            self.stops[number] = stops
            self.commas[number] = commas
            self.money[number] = money
        return 0

    cdef int sum_up(self, list linked_chars, const double[::1] is_quoted, double prose_min) except -1:
        """Fill in the amounts of each paragraph, and of all before it; see `surroundings.Amounts`."""
        cdef Py_ssize_t number, amount
        cdef double words
        cdef bint is_prose
        for number in range(self.count):
            words = self.words[number]
            self.linked_share[number] = <double>linked_chars[number] / self.chars[number]
            is_prose = (
                self.linked_share[number] < 0.5 and words >= prose_min
                and (self.stops[number] > 0 or self.commas[number] > 0)
            )
            self.single[PARAGRAPHS, number] = 1
            self.single[WORDS, number] = words
            self.single[LINKED, number] = words * self.linked_share[number]
            self.single[PROSE, number] = words if is_prose else 0
            self.single[PRICED, number] = 1 if self.money[number] > 0 else 0
            self.single[SHORT, number] = 1 if words <= 3 else 0
            self.single[QUOTED, number] = words * is_quoted[number]
        for amount in range(AMOUNTS):
            self.before[amount, 0] = 0
            for number in range(self.count):
                self.before[amount, number + 1] = self.before[amount, number] + self.single[amount, number]
        return 0

    cdef int look_around(self, const uint64_t[::1] signs_of_name) except -1:
        """Fill in the amounts of elements, alone and with those of their shape, and what they inherit."""
        cdef Py_ssize_t element, amount, parent, shape
        cdef double[:, ::1] together = np.zeros((AMOUNTS, self.elements + 1))
        for element in range(self.elements):
            parent, shape = self.parent[element], self.shape[element]
            self.signs[element] = signs_of_name[self.name[element]]
            self.signs_above[element] = self.signs[element] | (self.signs_above[parent] if element else 0)
            self.shape_size[shape] += 1
            for amount in range(AMOUNTS):
                self.subtree[amount, element] = (
                    self.before[amount, self.end[element]] - self.before[amount, self.first[element]]
                )
                together[amount, shape] += self.subtree[amount, element]
        for amount in range(AMOUNTS):
            for element in range(self.elements):
                self.shaped[amount, element] = together[amount, self.shape[element]]
        return 0

    cdef int count_twins(self) except -1:
        """Count for each element the children of its parent that have its name."""
        cdef Py_ssize_t element, size = 16, at, mask
        cdef int64_t names = self.tag_of_name.shape[0], key
        while size < 2 * self.elements:
            size *= 2
        mask = size - 1
        cdef int64_t[::1] keys = np.full(size, -1, dtype=np.int64)
        cdef int64_t[::1] counts = np.zeros(size, dtype=np.int64)
        cdef int64_t[::1] slots = np.empty(self.elements, dtype=np.int64)
        for element in range(self.elements):
            key = self.parent[element] * names + self.name[element]
            at = <Py_ssize_t>(((<uint64_t>key ^ SEED) * 0x9E3779B97F4A7C15ULL) >> 32) & mask
            while keys[at] != key and keys[at] != -1:
                at = (at + 1) & mask
            keys[at] = key
            counts[at] += 1
            slots[element] = at
        for element in range(self.elements):
            self.twins[element] = counts[slots[element]]
        return 0

    # -- rows, in the order of `features.FEATURES` ---------------------------

    cdef int put_paragraphs(self, list texts, const double[::1] is_quoted) except -1:
        """Put the measurements of each paragraph by itself: nine rows."""
        cdef Py_ssize_t number
        cdef dict altogether = {}, so_far = {}
        cdef str text
        for text in texts:
            altogether[text] = altogether.get(text, 0) + 1
        cdef bint is_repetitive = len(altogether) < self.count
        for number in range(self.count):
            self.measured[0, number] = <float>self.words[number]
            self.measured[1, number] = <float>self.linked_share[number]
            self.measured[2, number] = <float>(self.digits[number] / self.chars[number])
            self.measured[3, number] = <float>self.stops[number]
            self.measured[4, number] = <float>(self.commas[number] / max(self.words[number], 1.0))
            self.measured[5, number] = <float>self.depth[self.place[number]]
            self.measured[6, number] = self.measured[7, number] = 1
            self.measured[8, number] = <float>is_quoted[number]
            if is_repetitive and altogether[texts[number]] > 1:
                text = texts[number]
                so_far[text] = so_far.get(text, 0) + 1
                self.measured[6, number] = altogether[text]
                self.measured[7, number] = so_far[text]
        self.row = 9
        return 0

    cdef int put_ratios(self, Py_ssize_t row, Py_ssize_t number, double[:, ::1] amounts, Py_ssize_t of) except -1:
        """Put the ratios of amounts, nine rows, for one paragraph; see `Amounts.ratios`."""
        cdef double paragraphs = max(amounts[PARAGRAPHS, of], 1.0), words = amounts[WORDS, of]
        cdef double some_words = max(words, 1.0), prose = amounts[PROSE, of]
        self.measured[row, number] = <float>words
        self.measured[row + 1, number] = <float>(words / max(self.before[WORDS, self.count], 1.0))
        self.measured[row + 2, number] = <float>(prose / max(self.before[PROSE, self.count], 1.0))
        self.measured[row + 3, number] = <float>(words / paragraphs)
        self.measured[row + 4, number] = <float>(amounts[LINKED, of] / some_words)
        self.measured[row + 5, number] = <float>(prose / some_words)
        self.measured[row + 6, number] = <float>(amounts[PRICED, of] / paragraphs)
        self.measured[row + 7, number] = <float>(amounts[SHORT, of] / paragraphs)
        self.measured[row + 8, number] = <float>(amounts[QUOTED, of] / some_words)
        return 0

    cdef int put_ancestors(self, tuple levels, Py_ssize_t tagged) except -1:
        """Put the amounts of the elements around each paragraph, how many twins they have, and their tags."""
        cdef Py_ssize_t number, element, level, place, looked_at = len(levels), row = self.row
        cdef Py_ssize_t after_ratios = row + 2 * RATIOS * looked_at
        cdef Py_ssize_t after_twins = after_ratios + 2 * looked_at
        cdef Py_ssize_t deepest = max(max(levels), tagged)
        for number in range(self.count):
            element, place = self.place[number], 0
            for level in range(1, deepest + 1):
                if place < looked_at and <Py_ssize_t>levels[place] == level:
                    self.put_ratios(row + 2 * RATIOS * place, number, self.subtree, element)
                    self.put_ratios(row + 2 * RATIOS * place + RATIOS, number, self.shaped, element)
                    self.measured[after_ratios + place, number] = self.twins[element]
                    self.measured[after_ratios + looked_at + place, number] = self.shape_size[self.shape[element]]
                    place += 1
                if level <= tagged:
                    self.measured[after_twins + level - 1, number] = self.tag_of_name[self.name[element]]
                element = self.parent[element]
        self.row = after_twins + tagged
        return 0

    cdef Py_ssize_t deepest(self, double share, bint by_prose) except -1:
        """Return the deepest element that contains a share of the page, the first among equals."""
        cdef Py_ssize_t element, found = 0
        cdef int64_t depth = -1
        cdef double wanted = self.held(0, by_prose) * share
        for element in range(self.elements):
            if self.depth[element] > depth and self.held(element, by_prose) >= wanted:
                found, depth = element, self.depth[element]
        return found

    cdef double held(self, Py_ssize_t element, bint by_prose) except? -1:
        if by_prose:
            return self.subtree[PROSE, element]
        return self.subtree[WORDS, element] - self.subtree[LINKED, element]

    cdef int put_containers(self, tuple shares) except -1:
        """Put the position of each paragraph relative to the elements that contain most of the page."""
        cdef Py_ssize_t number, container, free
        cdef double share, linked
        for each in shares:
            container, free = self.deepest(each, True), self.deepest(each, False)
            share = self.subtree[WORDS, container] / max(self.subtree[WORDS, 0], 1.0)
            linked = self.subtree[LINKED, container] / max(self.subtree[WORDS, container], 1.0)
            for number in range(self.count):
                self.measured[self.row, number] = self.side(number, container)
                self.measured[self.row + 1, number] = (
                    self.depth[self.place[number]] - self.depth[container]
                )
                self.measured[self.row + 2, number] = <float>share
                self.measured[self.row + 3, number] = <float>linked
                self.measured[self.row + 4, number] = self.side(number, free)
            self.row += 5
        return 0

    cdef int side(self, Py_ssize_t number, Py_ssize_t container) except? -9:
        cdef int before = number < self.first[container], after = number >= self.end[container]
        return 1 - 2 * before - 3 * after

    cdef int put_signs(self, Py_ssize_t signs, list nearby) except -1:
        """Put a row of zeros and ones for each sign above a paragraph, then for some signs nearby."""
        cdef Py_ssize_t number, bit, element, parent, place
        cdef uint64_t near
        for bit in range(signs):
            for number in range(self.count):
                self.measured[self.row + bit, number] = self.signs_above[self.place[number]] >> bit & 1
        for place in range(len(nearby)):
            bit = nearby[place]
            for number in range(self.count):
                element = self.place[number]
                parent = self.parent[element]
                near = self.signs[element] | self.signs[parent] | self.signs[self.parent[parent]]
                self.measured[self.row + signs + place, number] = near >> bit & 1
        self.row += signs + len(nearby)
        return 0

    cdef int put_positions(self, Py_ssize_t nowhere) except -1:
        """Put the position of each paragraph on the page, and its distance from prose: eight rows."""
        cdef Py_ssize_t number, last
        cdef double words = max(self.before[WORDS, self.count], 1.0), prose = self.before[PROSE, self.count]
        cdef double quoted = max(self.before[QUOTED, self.count], 1.0)
        last = -nowhere
        for number in range(self.count):
            if self.single[PROSE, number] > 0:
                last = number
            self.measured[self.row, number] = <float>(<double>number / self.count)
            self.measured[self.row + 1, number] = <float>(self.before[WORDS, number] / words)
            self.measured[self.row + 2, number] = <float>self.before[PROSE, number]
            self.measured[self.row + 3, number] = <float>(self.before[PROSE, number] / max(prose, 1.0))
            self.measured[self.row + 4, number] = <float>(prose - self.before[PROSE, number + 1])
            self.measured[self.row + 5, number] = min(number - last, nowhere)
            self.measured[self.row + 7, number] = <float>(self.before[QUOTED, number] / quoted)
        last = self.count - 1 + nowhere
        for number in range(self.count - 1, -1, -1):
            if self.single[PROSE, number] > 0:
                last = number
            self.measured[self.row + 6, number] = min(last - number, nowhere)
        self.row += 8
        return 0

    cdef int64_t heading_level(self, Py_ssize_t number, int64_t first, int64_t last) except -1:
        cdef int64_t tag = self.tag_of_name[self.name[self.place[number]]]
        return tag - first + 1 if first <= tag <= last else 0

    cdef int put_headings(self, int64_t first, int64_t last, Py_ssize_t nowhere) except -1:
        """Put the relation of each paragraph to headings, six rows, and the amounts of its section."""
        cdef Py_ssize_t number, begin = 0, last_heading = -nowhere, first_title = -1, last_title = -1, headings = 0
        cdef Py_ssize_t row = self.row, section
        cdef int64_t level, begin_level = self.heading_level(0, first, last)
        for number in range(self.count):
            level = self.heading_level(number, first, last)
            if level > 0:
                begin, begin_level, last_heading = number, level, number
                headings += 1
            if level == 1:
                first_title = number if first_title < 0 else first_title
                last_title = number
            self.measured[row, number] = level
            self.measured[row + 1, number] = min(number - last_heading, nowhere)
            self.measured[row + 2, number] = begin_level
        if first_title < 0:
            first_title = last_title = -nowhere
        for number in range(self.count):
            self.measured[row + 3, number] = number - first_title
            self.measured[row + 4, number] = number - last_title
            self.measured[row + 5, number] = headings
        self.row += 6
        begin = 0
        while begin < self.count:
            section = begin + 1
            while section < self.count and self.measured[row, section] == 0:
                section += 1
            self.put_stretch(begin, section, begin, section)
            begin = section
        self.row += RATIOS
        return 0

    cdef int put_stretch(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t first, Py_ssize_t last) except -1:
        """Put the amounts of the paragraphs from `begin` to `end` for those from `first` to `last`."""
        cdef Py_ssize_t amount, number
        for amount in range(AMOUNTS):
            self.sums[amount, 0] = self.before[amount, end] - self.before[amount, begin]
        for number in range(first, last):
            self.put_ratios(self.row, number, self.sums, 0)
        return 0

    cdef int put_windows(self, tuple radii) except -1:
        """Put the amounts of the paragraphs around each."""
        cdef Py_ssize_t number, radius
        for radius in radii:
            for number in range(self.count):
                self.put_stretch(
                    max(number - radius, 0), min(number + radius + 1, self.count), number, number + 1
                )
            self.row += RATIOS
        return 0

    cdef int put_page(self) except -1:
        """Put the measurements of the whole page."""
        cdef Py_ssize_t number, element
        cdef double longest = 0
        cdef int64_t twins = 0
        self.put_stretch(0, self.count, 0, self.count)
        self.row += RATIOS
        for number in range(self.count):
            longest = max(longest, self.single[PROSE, number])
        for element in range(self.elements):
            twins = max(twins, self.twins[element])
        for number in range(self.count):
            self.measured[self.row, number] = <float>self.before[PROSE, self.count]
            self.measured[self.row + 1, number] = <float>longest
            self.measured[self.row + 2, number] = twins
        self.row += 3
        return 0


def find_quoted(list texts not None, str abstract not None, Py_ssize_t beginning):
    """Tell for each paragraph whether the abstract quotes it, with 1 or 0; see `quoted.py`.

    `beginning` is how many of its first characters must occur there.
    """
    quoted = np.zeros(len(texts))
    cdef double[::1] is_quoted = quoted
    cdef Py_ssize_t number, at, slot, mask = 63
    cdef str text
    while mask < 4 * len(texts):
        mask = 2 * mask + 1
    cdef int64_t[::1] kept = np.full(mask + 1, -1, dtype=np.int64)  # the first paragraph of each beginning
    cdef uint8_t[::1] is_found = np.zeros(mask + 1, dtype=np.uint8)
    cdef uint8_t[::1] begins = np.zeros(4096, dtype=np.uint8)  # by the first characters: most differ there
    cdef int64_t[::1] slots = np.full(len(texts), -1, dtype=np.int64)
    for number in range(len(texts)):
        text = texts[number]
        if len(text) >= beginning:
            slot = slot_of(texts, kept, text, 0, beginning, mask)
            if kept[slot] < 0:
                kept[slot] = number
            slots[number] = slot
            begins[first_of(text, 0)] = 1
    cdef bint may_begin = True  # this is not in the middle of a word
    cdef uint32_t char
    for at in range(len(abstract) - beginning + 1):
        char = PyUnicode_READ_CHAR(abstract, at)
        if may_begin and begins[first_of(abstract, at)] and not Py_UNICODE_ISSPACE(char):
            slot = slot_of(texts, kept, abstract, at, beginning, mask)
            if kept[slot] >= 0:
                is_found[slot] = 1
        may_begin = not (char == c"_" or Py_UNICODE_ISALNUM(char))
    for number in range(len(texts)):
        if slots[number] >= 0:
            is_quoted[number] = is_found[slots[number]]
    return quoted


cdef inline Py_ssize_t first_of(str text, Py_ssize_t at):
    """Return a number of twelve bits for two characters of a text, which must exist."""
    return (PyUnicode_READ_CHAR(text, at) * 67 + PyUnicode_READ_CHAR(text, at + 1)) & 4095


cdef Py_ssize_t slot_of(list texts, int64_t[::1] kept, str text, Py_ssize_t at, Py_ssize_t count,
                        Py_ssize_t mask) except -1:
    """Return the slot of `count` characters at a place of a text, or the free slot for them."""
    cdef uint64_t number = SEED
    cdef Py_ssize_t each, slot
    for each in range(at, at + count):
        number = (number ^ PyUnicode_READ_CHAR(text, each)) * 0x9E3779B97F4A7C15ULL
        number ^= number >> 29
    slot = <Py_ssize_t>(number >> 20) & mask
    while kept[slot] >= 0 and not are_same(texts[kept[slot]], text, at, count):
        slot = (slot + 1) & mask
    return slot


cdef bint are_same(str beginning, str text, Py_ssize_t at, Py_ssize_t count):
    cdef Py_ssize_t each
    for each in range(count):
        if PyUnicode_READ_CHAR(beginning, each) != PyUnicode_READ_CHAR(text, at + each):
            return False
    return True
