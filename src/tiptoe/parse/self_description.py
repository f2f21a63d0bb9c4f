"""What does a page say about itself, besides its text?

Read from a tree that already has marks but still has all its elements: scripts contain structured data, and
are removed from the tree before its text is read.
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
"""Takes a tree, the findings of the pass over it, and the title."""


@dataclass(frozen=True, slots=True)
class SelfDescription:
    """Links, directives, and metadata such as authors and dates."""

    links: Links
    metadata: Metadata
    described: PageMetadata


def describe_tree(
    search: TreeSearch, findings: TreeFindings, title: str | None, *, agent: str,
    structured: StructuredData | None = None, marks: re.Pattern[str] | None = None,
) -> SelfDescription:  # fmt: skip
    """Return what a page says about itself.

    `structured` is its structured data, if already read; `marks` matches marks in the tree, to be removed.
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
