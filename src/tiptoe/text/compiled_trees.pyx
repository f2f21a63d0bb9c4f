# cython: language_level=3, boundscheck=False, wraparound=False
"""`Trees._scores`, compiled.

Bounds are not checked at each step, since that would take longer than the step: `score` checks once that every
index it is given is valid.
"""

from libc.stdint cimport int64_t, uint8_t

import numpy as np

__all__ = ["score"]


def score(const float[:, ::1] measured, const int64_t[::1] asked, const float[::1] borders,
          const int64_t[:, ::1] questions, const float[::1] leaves):
    """Return the sum of the leaves that each column of measurements leads to, one in each tree."""
    cdef Py_ssize_t levels = questions.shape[0], trees = questions.shape[1], columns = measured.shape[1]
    cdef Py_ssize_t question, level, tree, column
    _check(asked, measured.shape[0])
    for level in range(levels):
        _check(questions[level], asked.shape[0])
    if borders.shape[0] != asked.shape[0] or not 1 <= levels <= 8 or leaves.shape[0] != trees << levels:
        raise ValueError("the parts of a model do not fit together")
    scores = np.zeros(columns)
    cdef uint8_t[:, ::1] answers = np.empty((asked.shape[0], columns), dtype=np.uint8)
    cdef uint8_t[::1] leaf = np.empty(columns, dtype=np.uint8)
    cdef double[::1] total = scores
    cdef const float[::1] row
    cdef float border
    with nogil:
        for question in range(asked.shape[0]):
            row, border = measured[asked[question]], borders[question]
            for column in range(columns):
                answers[question, column] = row[column] > border
        for tree in range(trees):
            question = questions[levels - 1, tree]
            for column in range(columns):
                leaf[column] = answers[question, column]
            for level in range(levels - 2, -1, -1):
                question = questions[level, tree]
                for column in range(columns):
                    leaf[column] = leaf[column] + leaf[column] + answers[question, column]
            for column in range(columns):
                total[column] += leaves[(tree << levels) + leaf[column]]
    return scores


cdef int _check(const int64_t[::1] numbers, Py_ssize_t limit) except -1:
    """Raise if an index is out of range."""
    cdef Py_ssize_t each
    for each in range(numbers.shape[0]):
        if not 0 <= numbers[each] < limit:
            raise ValueError(f"{numbers[each]} is not a number below {limit}")
    return 0
