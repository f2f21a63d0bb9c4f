"""How does a browser read this URL?

By the WHATWG URL standard and nothing else: fragment, user name and odd schemes
are kept as in a browser. Our own rules are applied on top, in `canonical.py`.
One engine handles absolute and relative URLs alike, so that no two spellings
of a page differ only because they were read by different versions of the standard.
"""

import ada_url

__all__ = ["whatwg_join"]


def whatwg_join(base: str | None, href: str) -> str | None:
    """Return `href` resolved against `base` and serialised; None if no browser could follow it."""
    try:
        return str(ada_url.normalize_url(href) if base is None else ada_url.join_url(base, href))
    except ValueError:
        return _join_repaired(base, href)


def _join_repaired(base: str | None, href: str) -> str | None:
    """Try again with lone surrogates as U+FFFD, as the standard reads them."""
    repaired_base, repaired_href = _without_surrogates(base or ""), _without_surrogates(href)
    if (repaired_base, repaired_href) == (base or "", href):
        return None
    return whatwg_join(base and repaired_base, repaired_href)


def _without_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
