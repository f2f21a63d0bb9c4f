"""Within which elements is each paragraph of a page?

An outline is a page without its markup: its paragraphs in order, and the
elements around them. Both are columns, not objects: a page may have thousands.
The parser fills it (`tiptoe.parse.tree_blocks`), the search for the main content
reads it (`tiptoe.text.features`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Name", "Outline"]


class Name(NamedTuple):
    """The name of an element: its tag, and the words of its class, id and role."""

    tag: str
    words: str


@dataclass(slots=True)
class Outline:
    """One page: its paragraphs, and the elements around them.

    Only structural elements are listed, not bold words or links. Element 0 is
    the body, and a parent comes before its children. Elements of one `shape`
    have the same path of names, such as the posts of a thread or the cells of
    a grid.

    Invariants, see `check()`:
        - the paragraphs of an element are those from `first` up to, not
          including, `end`, and lie within those of its parent;
        - `place` is an element whose paragraphs include the paragraph.
    """

    abstract: str = ""  # what the page says about itself to machines
    is_cut: bool = False  # the page has more paragraphs than are kept
    names: list[Name] = field(default_factory=list)

    # of each paragraph
    text: list[str] = field(default_factory=list)
    place: list[int] = field(default_factory=list)  # the innermost element where it begins
    linked_chars: list[int] = field(default_factory=list)

    # of each element
    name: Sequence[int] = ()  # index of `names`
    parent: Sequence[int] = ()
    depth: Sequence[int] = ()
    shape: Sequence[int] = ()
    first: Sequence[int] = ()
    end: Sequence[int] = ()

    def check(self) -> None:
        """Assert the invariants."""
        assert len(self.text) == len(self.place) == len(self.linked_chars)
        for number, place in enumerate(self.place):
            assert self.first[place] <= number < self.end[place]
        for element, parent in enumerate(self.parent):
            assert parent < element or element == parent == 0
            assert self.first[parent] <= self.first[element] <= self.end[element] <= self.end[parent]
