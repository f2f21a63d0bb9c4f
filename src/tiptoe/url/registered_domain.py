"""Which hosts belong to one site?

Those of one registered domain: the name that a person can register, according to the Public Suffix List. The
list also includes suffixes such as `github.io`, under which unrelated people have their sites.
"""

import ipaddress

from publicsuffixlist import PublicSuffixList

__all__ = ["RegisteredDomains"]


class RegisteredDomains:
    """Registered domains by the Public Suffix List; loading it takes a tenth of a second."""

    def __init__(self) -> None:
        self._list = PublicSuffixList()

    def of(self, host: str) -> str:
        """Return the registered domain of a canonical host; the host itself if there is none."""
        if "." not in host or _is_address(host):
            return host
        return self._list.privatesuffix(host) or host


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
