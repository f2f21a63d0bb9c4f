"""At which address does a host live?

Addresses are numbered. The first are in the range reserved for benchmarks
(198.18.0.0/15), or in its counterpart on loopback (127.18.0.0/15) when real servers
run; the last quarter of that range belongs to hosts that refuse connections, so no
server listens there. A web with uneven addresses may need more than fit: these
continue after the counterpart, from 127.20.0.0 to the end of loopback.
"""

from typing import Final

from tiptoe.testing.chance import Trait, fraction
from tiptoe.testing.shape import WebShape

__all__ = ["address_at", "dead_number", "living_number", "networks_of"]

LIVE_ADDRESSES: Final = 3 << 15
DEAD_ADDRESSES: Final = 1 << 15
NEAR_ADDRESSES: Final = LIVE_ADDRESSES + DEAD_ADDRESSES
FAR_ADDRESSES: Final = 235 << 16
SHARED_POWER: Final = 2.0  # how unevenly shared addresses fill: the n-th has hosts like n^-1/2


def address_at(number: int, *, loopback: bool) -> str:
    """Return the address with this number as text."""
    first = 127 if loopback or number >= NEAR_ADDRESSES else 198
    return f"{first}.{18 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"


def networks_of(shape: WebShape) -> tuple[str, ...]:
    """Return the networks in which the hosts of a web live when they are not all on loopback."""
    is_far = shape.shared_address_share and _shared_addresses(shape) + shape.hosts >= LIVE_ADDRESSES
    return ("198.18.0.0/15", "127.0.0.0/8") if is_far else ("198.18.0.0/15",)


def dead_number(index: int) -> int:
    """Return the address number of a host that refuses connections."""
    return LIVE_ADDRESSES + index % (DEAD_ADDRESSES - 1)


def living_number(shape: WebShape, index: int, salt: int) -> int:
    """Return the address number of a living host: by its index or, with uneven addresses, by draw."""
    # Number 0 would be the network's own address.
    if not shape.shared_address_share:
        return 1 + index // shape.hosts_per_address % (LIVE_ADDRESSES - 1)
    shared = _shared_addresses(shape)
    if fraction(salt, Trait.SHARED) < shape.shared_address_share:
        place = int(shared * fraction(salt, Trait.ADDRESS) ** SHARED_POWER)
    else:
        place = shared + index
    if place < LIVE_ADDRESSES - 1:
        return 1 + place
    return NEAR_ADDRESSES + (place - LIVE_ADDRESSES + 1) % FAR_ADDRESSES


def _shared_addresses(shape: WebShape) -> int:
    return max(1, round(shape.hosts * shape.shared_address_share / shape.hosts_per_address))
