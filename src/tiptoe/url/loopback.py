"""Can nobody from outside of this machine connect there?"""

import ipaddress

__all__ = ["is_loopback"]


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine alone, by its address; of names only `localhost` is believed."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
