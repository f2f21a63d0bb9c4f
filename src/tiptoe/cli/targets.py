"""Which host does a command line mean?"""

from tiptoe.errors import SettingsError
from tiptoe.settings.hostnames import canonical_host

__all__ = ["host_meant"]


def host_meant(given: str) -> str:
    """Return the canonical name of a host, or an IP address, from what was typed."""
    try:
        return canonical_host(given)
    except ValueError as problem:
        raise SettingsError(f"{given!r} is {problem}") from None
