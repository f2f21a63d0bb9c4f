"""Which paragraphs of a page enter the corpus?

A page is divided into its main text and the boilerplate around it, which is labelled and
kept or, if so configured, left out. When all text is wanted, this module is not used.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from tiptoe.parse.html import Page
from tiptoe.text.outline import Outline
from tiptoe.write.corpus import BOILERPLATE

if TYPE_CHECKING:
    from tiptoe.text.trees import Trees

__all__ = ["BALANCED", "BOILERPLATE", "CHARS_MAX", "MAIN", "UNLABELLED", "Chosen", "Extraction"]

MAIN: Final = "main"
UNLABELLED: Final = ""
"""Label of paragraphs that were not judged, in pages with too many of them or too much text."""

BALANCED: Final = 0.5
"""Default strictness: missing text and including boilerplate count about equally as errors."""

CHARS_MAX: Final = 4_000_000
"""Maximum characters of a page; above it all its text is taken, as measuring needs 30 bytes per character."""


class Chosen(NamedTuple):
    """The paragraphs that enter the corpus."""

    paragraphs: list[str]
    labels: list[str] | None  # one for each of them; None when labels are not kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Tells main text from boilerplate, using a trained model."""

    trees: "Trees"
    keeps_boilerplate: bool  # and labels every paragraph
    strictness: float = BALANCED

    @classmethod
    def load(cls, *, keeps_boilerplate: bool, strictness: float = BALANCED) -> "Extraction":
        """Return an extraction with the shipped model."""
        # Imported here: numpy costs a process 20 MB and a thread, and many processes never read a page.
        from tiptoe.parse.trained import load_trees

        return cls(trees=load_trees(), keeps_boilerplate=keeps_boilerplate, strictness=strictness)

    def choose(self, page: Page, outline: Outline) -> Chosen:
        """Choose among the paragraphs of a page, given its outline."""
        if sum(map(len, outline.text)) > CHARS_MAX:
            labels = [UNLABELLED] * len(page.paragraphs)
            return Chosen(page.paragraphs, labels if self.keeps_boilerplate else None)
        labels = self._labels(outline)
        if self.keeps_boilerplate:
            return Chosen(page.paragraphs, _labels_of(page.paragraphs, outline.text, labels))
        pairs = zip(outline.text, labels, strict=True)
        return Chosen([text for text, label in pairs if label == MAIN], None)

    def _labels(self, outline: Outline) -> list[str]:
        from tiptoe.text.main_content import are_main

        taken = are_main(outline, self.trees, strictness=self.strictness)
        return [MAIN if is_main else BOILERPLATE for is_main in taken]


def _labels_of(paragraphs: list[str], outlined: list[str], labels: list[str]) -> list[str]:
    """Return the labels of a page's paragraphs, which are nearly always the same as those of its outline."""
    if paragraphs == outlined:
        return labels
    # Pages beyond the bounds of an outline, or written so that two parsers read them differently.
    known = dict(zip(outlined, labels, strict=True))
    return [known.get(paragraph, UNLABELLED) for paragraph in paragraphs]
