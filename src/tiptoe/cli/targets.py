"""Which host, or which page, does a command line mean?"""

from tiptoe.errors import SettingsError
from tiptoe.url.bare import address_meant
from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.hostnames import canonical_host

__all__ = ["host_meant", "url_meant"]

ADDRESS_SHOWN = 60


def host_meant(given: str) -> str:
    """Return the canonical name of a host, or an IP address, from what was typed."""
    try:
        return canonical_host(given)
    except ValueError as problem:
        raise SettingsError(f"{given!r} is {problem}") from None


def url_meant(given: str, canonicalizer: Canonicalizer) -> str:
    """Return the canonical URL of a page from what was typed, with or without a scheme."""
    whole = given if "://" in given else address_meant(given, canonicalizer.rules.schemes) or ""
    url = canonicalizer.canonical(whole)
    if url is None:
        raise SettingsError(
            f"{given[:ADDRESS_SHOWN]!r} is no address that could be requested with these settings; "
            "one looks like https://www.example.org/"
        )
    return url
