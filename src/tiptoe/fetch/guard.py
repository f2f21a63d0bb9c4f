"""Which addresses may be contacted?

Only globally reachable unicast addresses: a page, or a name server, must not lead us
into our own network. An IPv6 address that contains an IPv4 address
(mapped, 6to4, NAT64) is judged by the latter.
"""

import ipaddress
from typing import Final

__all__ = ["AddressGuard"]

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

GLOBAL_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
# Special ranges that Python 3.11 still considers public.
UNUSABLE: Final[tuple[IPNetwork, ...]] = (
    ipaddress.IPv4Network("192.88.99.0/24"),  # 6to4 relays, withdrawn
    ipaddress.IPv6Network("3fff::/20"),  # documentation
)


class AddressGuard:
    """Decides whether we may connect to an address.

    A closed guard permits only the named networks, so that a rehearsal reaches no other host.
    """

    def __init__(self, allowed: tuple[IPNetwork, ...] = (), *, is_closed: bool = False) -> None:
        self._allowed = allowed
        self._is_closed = is_closed

    def permits(self, address: str) -> bool:
        """Whether `address` is public, or in a network that the operator named."""
        try:
            ip = ipaddress.ip_address(address)
        except ValueError:
            return False
        return self._permits(ip)

    def _permits(self, ip: IPAddress) -> bool:
        if any(ip in network for network in self._allowed):
            return True
        if self._is_closed:
            return False
        carried = _carried(ip)
        return _is_public(ip) if carried is None else self._permits(carried)


def _carried(ip: IPAddress) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address contained in an IPv6 one, if any."""
    if isinstance(ip, ipaddress.IPv4Address):
        return None
    if ip in NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour


def _is_public(ip: IPAddress) -> bool:
    if isinstance(ip, ipaddress.IPv6Address) and ip not in GLOBAL_UNICAST:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in UNUSABLE)
