"""How do the operator's filters describe a page of the corpus?

One JSON line per page and version, written and committed together with its text, if a generation filter
makes descriptions.
"""

import msgspec

__all__ = ["Description"]


class Description(msgspec.Struct, frozen=True):
    """The resource description of one version of a page."""

    url: str
    fetched_at: str  # ISO 8601, UTC; as in the corpus
    version: int  # of the text in the corpus
    fields: dict[str, list[str]]  # by names in lower case; some have several values
