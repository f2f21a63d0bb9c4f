# cython: language_level=3
"""`word_weights.UncompiledWeights`, compiled: the same sums, in less time and a third of the memory.

The keys are in one array, one after the other, and found by a table of their hashes. Nothing is added to it after
it was made, so no text can slow it down. The weights of a sum are added field by field; only the sum becomes one
integer, with the same carries as if integers had been added.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ_CHAR(object text, Py_ssize_t at)

__all__ = ["Weights"]

ctypedef fused Char:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    FIELDS_MAX = 200
    WORD_CHARS_MAX = 64
    SPACE = 0x20
    BEGIN = 0x5E  # before the first letter of a word
    END = 0x24  # after the last one

cdef uint64_t START = 0xCBF29CE484222325u
cdef uint64_t FACTOR = 0x100000001B3u

cdef struct Slot:
    uint32_t hash, begin, size
    uint32_t group  # from 1; 0: the slot is free

cdef struct Sums:
    uint64_t[FIELDS_MAX] fields


cdef class Weights:
    """The weights of keys, a field for each class."""

    cdef Slot* slots
    cdef uint16_t* keys
    cdef uint16_t* weights  # of each group, one field after the other
    cdef size_t mask, used
    cdef Py_ssize_t fields

    def __cinit__(self):
        self.slots = NULL
        self.keys = self.weights = NULL

    def __init__(self, list groups not None, Py_ssize_t fields):
        cdef size_t size = 16, count = 0, chars = 0
        cdef Py_ssize_t group = 0, field
        cdef bytes packed
        cdef str keys
        if self.slots is not NULL or not 0 < fields <= FIELDS_MAX:
            raise ValueError("weights are made once, and of a few classes")
        for _, keys in groups:
            count += keys.count(" ") + 1
            chars += len(keys)
        while size < count + count // 2:
            size *= 2
        self.fields, self.mask, self.used = fields, size - 1, 0
        self.slots = <Slot*>calloc(size, sizeof(Slot))
        self.keys = <uint16_t*>malloc(chars * sizeof(uint16_t) + 1)
        self.weights = <uint16_t*>calloc(len(groups) * fields + 1, sizeof(uint16_t))
        if self.slots is NULL or self.keys is NULL or self.weights is NULL:
            raise MemoryError
        for packed, keys in groups:
            if len(packed) > 2 * fields:
                raise ValueError("there are more weights than classes")
            for field in range(len(packed)):
                self.weights[group * fields + field // 2] |= <uint16_t><uint8_t>packed[field] << (8 * (field & 1))
            group += 1
            self.enter(keys, group)

    def __dealloc__(self):
        free(self.slots)
        free(self.keys)
        free(self.weights)

    cdef int enter(self, str keys, Py_ssize_t group) except -1:
        """Enter the keys of a group."""
        cdef size_t begin = self.used
        cdef Py_ssize_t at
        cdef uint32_t char
        for at in range(len(keys)):
            char = PyUnicode_READ_CHAR(keys, at)
            if char > 0xFFFF:
                raise ValueError("keys are of characters in the first plane")
            if char == SPACE:
                self.put(begin, group)
                begin = self.used
            else:
                self.keys[self.used] = char
                self.used += 1
        self.put(begin, group)
        return 0

    cdef void put(self, size_t begin, Py_ssize_t group) noexcept:
        """Enter the key that was written last."""
        cdef uint64_t hash = START
        cdef size_t at
        for at in range(begin, self.used):
            hash = (hash ^ self.keys[at]) * FACTOR
        cdef Slot* slot = self.find(self.keys + begin, self.used - begin, hash)
        slot[0] = Slot(<uint32_t>(hash >> 32), begin, self.used - begin, group)

    cdef Slot* find(self, const Char* text, size_t size, uint64_t hash) noexcept:
        """Return the slot of a key, or the free one where it would be."""
        cdef size_t place = <size_t>(hash ^ hash >> 29) & self.mask, at
        cdef uint32_t upper = hash >> 32
        cdef Slot* slot
        cdef const uint16_t* key
        while True:
            slot = self.slots + place
            if not slot.group:
                return slot
            if slot.hash == upper and slot.size == size:
                key, at = self.keys + slot.begin, 0
                while at < size and key[at] == text[at]:
                    at += 1
                if at == size:
                    return slot
            place = (place + 1) & self.mask

    cdef Slot* slot_of(self, str key) noexcept:
        cdef int kind = PyUnicode_KIND(key)
        cdef const void* text = PyUnicode_DATA(key)
        if kind == 1:
            return self.find(<const uint8_t*>text, len(key), hash_of(<const uint8_t*>text, len(key)))
        if kind == 2:
            return self.find(<const uint16_t*>text, len(key), hash_of(<const uint16_t*>text, len(key)))
        return self.find(<const uint32_t*>text, len(key), hash_of(<const uint32_t*>text, len(key)))

    cdef void add(self, Sums* sums, const Slot* slot) noexcept:
        cdef const uint16_t* weights = self.weights + (slot.group - 1) * self.fields
        cdef Py_ssize_t field
        for field in range(self.fields):
            sums.fields[field] += weights[field]

    def __contains__(self, str key not None):
        return self.slot_of(key).group != 0

    def total(self, list keys not None):
        """Return the sum of the weights of keys, as one integer; unknown ones weigh nothing."""
        cdef Sums sums
        cdef Slot* slot
        cdef str key
        memset(&sums, 0, sizeof(Sums))
        for key in keys:
            slot = self.slot_of(key)
            if slot.group:
                self.add(&sums, slot)
        return self.packed(&sums)

    def total_of_grams(self, list words not None):
        """Return the same for the groups of three and four letters of words."""
        cdef Sums sums
        cdef Slot* slot
        cdef str word
        cdef uint32_t[WORD_CHARS_MAX + 2] edged
        cdef size_t size, begin
        memset(&sums, 0, sizeof(Sums))
        for word in words:
            size = len(word)
            if size > WORD_CHARS_MAX:
                raise ValueError("words are read up to a maximum length")
            edged[0] = BEGIN
            for begin in range(size):
                edged[begin + 1] = PyUnicode_READ_CHAR(word, begin)
            edged[size + 1] = END
            for begin in range(size):
                slot = self.find(edged + begin, 3, hash_of(edged + begin, 3))
                if slot.group:
                    self.add(&sums, slot)
            for begin in range(1, size - 1 if size > 2 else 1):
                slot = self.find(edged + begin, 4, hash_of(edged + begin, 4))
                if slot.group:
                    self.add(&sums, slot)
        return self.packed(&sums)

    cdef object packed(self, Sums* sums):
        """Return sums as the fields of one integer."""
        cdef uint8_t[2 * FIELDS_MAX + 8] raw
        cdef uint64_t rest = 0
        cdef Py_ssize_t field
        for field in range(self.fields + 4):
            rest += sums.fields[field] if field < self.fields else 0
            raw[2 * field] = rest & 0xFF
            raw[2 * field + 1] = rest >> 8 & 0xFF
            rest >>= 16
        return int.from_bytes((<const char*>raw)[: 2 * self.fields + 8], "little")


cdef inline uint64_t hash_of(const Char* text, size_t size) noexcept:
    cdef uint64_t hash = START
    cdef size_t at
    for at in range(size):
        hash = (hash ^ <uint32_t>text[at]) * FACTOR
    return hash
