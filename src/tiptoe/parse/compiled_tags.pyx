# cython: language_level=3
"""`nesting._is_crowded`, compiled: the same walk over what looks like tags, in a fraction of the time.

A string has one, two or four bytes a character; there is a walk for each. Every place is compared with the end
before it is read.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    bint Py_UNICODE_ISSPACE(Py_UCS4 char)

__all__ = ["is_crowded"]

ctypedef fused Char:
    uint8_t
    uint16_t
    uint32_t

cdef struct Limits:
    Py_ssize_t name, crowded_from, attributes, crowded, seen

cdef enum:
    PLAIN_ATTRIBUTES_MAX = 20


def is_crowded(str html not None, *, Py_ssize_t name_max, Py_ssize_t crowded_from, Py_ssize_t attributes_max,
               Py_ssize_t crowded_max, Py_ssize_t seen_max):
    """Tell whether there are so many attributes on some tags that comparing or counting them takes long."""
    cdef Limits limits = Limits(name_max, crowded_from, attributes_max, crowded_max, seen_max)
    cdef void* text = PyUnicode_DATA(html)
    cdef int kind = PyUnicode_KIND(html)
    if kind == 1:
        return walk(<const uint8_t*>text, <const uint8_t*>text + len(html), limits)
    if kind == 2:
        return walk(<const uint16_t*>text, <const uint16_t*>text + len(html), limits)
    return walk(<const uint32_t*>text, <const uint32_t*>text + len(html), limits)


cdef bint walk(const Char* at, const Char* end, Limits limits) noexcept:
    cdef Py_ssize_t attributes, crowded = 0
    cdef const Char* begin
    while True:
        while at < end and at[0] != c"<":
            at += 1
        if end - at < 2:
            return False
        at += 1
        if not is_letter(at[0]):
            continue
        at += 1
        if is_plain(at, end):
            continue
        begin = at
        while at < end and at[0] != c"/" and at[0] != c">" and not Py_UNICODE_ISSPACE(at[0]):
            at += 1
            if at - begin > limits.name:
                return True
        attributes = 0
        limits.seen -= skip_attributes(at, end, limits.attributes, &attributes) - at
        crowded += attributes >= limits.crowded_from
        if attributes >= limits.attributes or crowded > limits.crowded or limits.seen < 0:
            return True
        # Not behind the attributes: what seems to be one may be the tag.


cdef bint is_plain(const Char* at, const Char* end) noexcept:
    """Tell whether the rest of a tag is as most are written, see `nesting._PLAIN`."""
    cdef const Char* begin
    cdef const Char* name
    while at < end and (is_letter(at[0]) or is_digit(at[0]) or at[0] == c"-"):
        at += 1
    for _ in range(PLAIN_ATTRIBUTES_MAX):
        begin = at
        while at < end and (at[0] == c" " or at[0] == c"\n"):
            at += 1
        name = at
        while at < end and is_plain_in_name(at[0]):
            at += 1
        if name == begin or at == name:
            at = begin
            break
        if end - at > 1 and at[0] == c"=" and at[1] == c'"':
            at += 2
            while at < end and at[0] != c'"':
                at += 1
            if at == end:
                return False
            at += 1
    while at < end and (at[0] == c" " or at[0] == c"\n"):
        at += 1
    if at < end and at[0] == c"/":
        at += 1
    return at < end and at[0] == c">"


cdef const Char* skip_attributes(const Char* at, const Char* end, Py_ssize_t most,
                                 Py_ssize_t* attributes) noexcept:
    """Return the place behind at most so many attributes, read as `nesting.attribute_pattern` has it."""
    cdef const Char* value
    cdef Char quote
    while True:
        while at < end and (at[0] == c"/" or Py_UNICODE_ISSPACE(at[0])):
            at += 1
        if at == end or at[0] == c">" or attributes[0] == most:
            return at
        at += at[0] == c"="  # a name may begin with it
        while at < end and not (at[0] == c"/" or at[0] == c">" or at[0] == c"=" or Py_UNICODE_ISSPACE(at[0])):
            at += 1
        attributes[0] += 1
        value = at
        while value < end and Py_UNICODE_ISSPACE(value[0]):
            value += 1
        if value == end or value[0] != c"=":
            continue
        at = value + 1
        while at < end and Py_UNICODE_ISSPACE(at[0]):
            at += 1
        if at == end or at[0] == c">":
            continue
        quote = at[0]
        if quote == c'"' or quote == c"'":
            at += 1
            while at < end and at[0] != quote:
                at += 1
            at += at < end
        else:
            while at < end and at[0] != c">" and not Py_UNICODE_ISSPACE(at[0]):
                at += 1


cdef inline bint is_letter(Py_UCS4 char) noexcept:
    return c"a" <= char <= c"z" or c"A" <= char <= c"Z"


cdef inline bint is_digit(Py_UCS4 char) noexcept:
    return c"0" <= char <= c"9"


cdef inline bint is_plain_in_name(Py_UCS4 char) noexcept:
    return is_letter(char) or is_digit(char) or char == c"-" or char == c"_" or char == c":" or char == c"." or char == c"@"
