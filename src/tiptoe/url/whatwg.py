"""What does a browser make of this address?

The WHATWG URL standard and nothing else: fragment, user name and odd schemes
come through as they do in a browser. Policy is laid on top in `canonical.py`.
One engine serves absolute and relative addresses alike, so that two spellings
of a page cannot be told apart by the version of the standard that read them.
"""

import ada_url

__all__ = ["whatwg_join"]


def whatwg_join(base: str | None, href: str) -> str | None:
    """Return `href` as seen from `base`, serialised; None when no browser could follow it."""
    try:
        return str(ada_url.normalize_url(href) if base is None else ada_url.join_url(base, href))
    except ValueError:
        return _join_repaired(base, href)


def _join_repaired(base: str | None, href: str) -> str | None:
    """Try again with halves of surrogate pairs as U+FFFD, which is how the standard reads them."""
    repaired_base, repaired_href = _without_surrogates(base or ""), _without_surrogates(href)
    if (repaired_base, repaired_href) == (base or "", href):
        return None
    return whatwg_join(base and repaired_base, repaired_href)


def _without_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
