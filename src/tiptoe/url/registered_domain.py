"""Which hosts belong to one site?

Those of one registered domain: the name that somebody can register, as the Public Suffix List has it. It
counts `github.io` and the like, under which strangers have their sites, as suffixes too.
"""

import ipaddress

from publicsuffixlist import PublicSuffixList

__all__ = ["RegisteredDomains"]


class RegisteredDomains:
    """The Public Suffix List; reading it takes a tenth of a second."""

    def __init__(self) -> None:
        self._list = PublicSuffixList()

    def of(self, host: str) -> str:
        """Return the registered domain of a canonical host; the host itself where there is none."""
        if "." not in host or _is_address(host):
            return host
        return self._list.privatesuffix(host) or host


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
