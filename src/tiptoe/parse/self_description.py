"""What does a page say of itself, beside its text?

Read from a tree that has marks in it and all its elements: scripts hold structured data, and leave the tree
before its text is read.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tiptoe.parse.jsonld import StructuredData
from tiptoe.parse.links import Links, find_links
from tiptoe.parse.metadata import Metadata, read_metadata
from tiptoe.parse.page_evidence import PageEvidence
from tiptoe.parse.page_metadata import PageMetadata, describe_page
from tiptoe.parse.tree_findings import TreeFindings
from tiptoe.parse.tree_search import TreeSearch

__all__ = ["SelfDescriber", "SelfDescription", "describe_tree"]

SelfDescriber: TypeAlias = Callable[[TreeSearch, TreeFindings, str | None], "SelfDescription"]
"""Takes a tree, what the pass over it came upon, and the title."""


@dataclass(frozen=True, slots=True)
class SelfDescription:
    """Links, directives, and who wrote the page when and where."""

    links: Links
    metadata: Metadata
    described: PageMetadata


def describe_tree(
    search: TreeSearch, findings: TreeFindings, title: str | None, *, agent: str,
    structured: StructuredData | None = None, marks: re.Pattern[str] | None = None,
) -> SelfDescription:  # fmt: skip
    """Return what a page says.

    `structured` is its structured data, if that has been read, `marks` those that would be taken for text.
    """
    links, metadata = find_links(findings.elements), read_metadata(findings.elements, agent=agent)
    evidence = PageEvidence(
        search, headings=findings.headings, times=findings.times, scripts=findings.scripts,
        structured=structured, marks=marks,
    )  # fmt: skip
    described = describe_page(
        title, metadata.named, evidence, language=metadata.language, license=links.license
    )
    return SelfDescription(links, metadata, described)
