"""What is the address of a host, and may we contact it?

Queries name servers through c-ares, which caches answers for their time to live and
reads the hosts file. Every address of a name is checked by the guard: a name
with any address in a private network is refused as a whole, because it cannot be
known which of its addresses the next lookup would put first.

Rule: one place has one address. An IPv4-mapped IPv6 address is returned as
the IPv4 address, because that is what the kernel connects to.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import aiodns
import pycares
from pycares import errno

from tiptoe.fetch.guard import AddressGuard
from tiptoe.fetch.outcome import Failure
from tiptoe.url.hostnames import usual_address

__all__ = ["Resolution", "Resolver"]

HOST_CHARACTERS_MAX: Final = 253
# The machine's search domains must not turn a foreign name into one of ours.
FLAGS: Final = pycares.ARES_FLAG_NOSEARCH | pycares.ARES_FLAG_EDNS
# A name that cannot be written in a query cannot exist either.
NO_SUCH_NAME: Final = frozenset((errno.ARES_ENOTFOUND, errno.ARES_EBADNAME))


@dataclass(frozen=True, slots=True)
class Resolution:
    """Either the checked address of a host, or the reason why there is none."""

    address: str | None
    failure: Failure | None


class Resolver:
    """Looks up hosts. Must be created on the running event loop."""

    def __init__(
        self,
        guard: AddressGuard,
        nameservers: tuple[str, ...] = (),
        timeout_seconds: float = 10.0,
        tries: int = 2,
    ) -> None:
        self._guard = guard
        self._timeout_seconds = timeout_seconds
        self._dns = aiodns.DNSResolver(
            nameservers or None,
            loop=asyncio.get_running_loop(),
            # c-ares doubles its wait with each further try.
            timeout=timeout_seconds / (2**tries - 1),
            tries=tries,
            flags=FLAGS,
        )

    async def resolve(self, host: str, last_address: str = "") -> Resolution:
        """Return the address to connect to: the last one if the host still has it, else preferably IPv4.

        Name servers with several addresses change their order from answer to answer, so taking the first one
        would change the address each time.
        """
        name = host.removeprefix("[").removesuffix("]")
        if literal := usual_address(name):
            return self._choose([literal])
        if not name or not name.isascii() or len(name.rstrip(".")) > HOST_CHARACTERS_MAX:
            return Resolution(None, Failure.BAD_URL)
        try:
            async with asyncio.timeout(self._timeout_seconds):
                found = await self._dns.getaddrinfo(name)
        except TimeoutError:
            return Resolution(None, Failure.DNS_FAILED)
        except aiodns.error.DNSError as error:
            is_unknown = error.args[0] in NO_SUCH_NAME
            return Resolution(None, Failure.NO_SUCH_HOST if is_unknown else Failure.DNS_FAILED)
        return self._choose((node.addr[0].decode("ascii") for node in found.nodes), last_address)

    async def close(self) -> None:
        """Abort lookups under way and close the sockets."""
        await self._dns.close()

    def _choose(self, candidates: Iterable[str], last_address: str = "") -> Resolution:
        addresses = [usual_address(candidate) or candidate for candidate in candidates]
        if not addresses:
            return Resolution(None, Failure.DNS_FAILED)
        if not all(map(self._guard.permits, addresses)):
            return Resolution(None, Failure.PRIVATE_ADDRESS)
        if last_address in addresses:
            return Resolution(last_address, None)
        first_ipv4 = next((address for address in addresses if ":" not in address), None)
        return Resolution(first_ipv4 or addresses[0], None)
