"""The resolver against a name server of our own."""

import asyncio
import ipaddress
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import cast

import pytest

from tiptoe.fetch.guard import AddressGuard
from tiptoe.fetch.outcome import Failure
from tiptoe.fetch.resolve import Resolution, Resolver

A, AAAA = 1, 28
NAME_ERROR, SERVER_FAILURE = 3, 2

ZONE: Mapping[str, tuple[str, ...]] = {
    "four.example": ("198.51.101.7",),
    "six.example": ("2606:2800::7",),
    "rotating.example": ("198.51.101.8", "198.51.101.7", "2606:2800::7"),
    "both.example": ("2606:2800::7", "198.51.101.7"),
    "inside.example": ("127.0.0.1",),
    "rebind.example": ("198.51.101.7", "10.0.0.1"),
    "rebind6.example": ("198.51.101.7", "::ffff:10.0.0.1"),
    "mapped.example": ("::ffff:198.51.101.7",),
    "empty.example": (),
}


class NameServer(asyncio.DatagramProtocol):
    """Answers A and AAAA from the zone; `broken.` fails, `silent.` says nothing."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, peer: tuple[str, int]) -> None:
        end = data.index(b"\0", 12)
        labels, at = [], 12
        while at < end:
            labels.append(data[at + 1 : at + 1 + data[at]].decode())
            at += 1 + data[at]
        name = ".".join(labels).lower()
        self.asked.append(name)
        if name == "silent.example":
            return
        (kind,) = struct.unpack_from("!H", data, end + 1)
        code = SERVER_FAILURE if name == "broken.example" else 0 if name in ZONE else NAME_ERROR
        found = [ipaddress.ip_address(text) for text in ZONE.get(name, ())]
        records = [ip.packed for ip in found if (ip.version == 6) == (kind == AAAA)]
        head = data[:2] + struct.pack("!5H", 0x8180 | code, 1, len(records), 0, 0)
        answers = b"".join(struct.pack("!3HIH", 0xC00C, kind, 1, 60, len(r)) + r for r in records)
        self._transport.sendto(head + data[12 : end + 5] + answers, peer)


@asynccontextmanager
async def resolving(
    guard: AddressGuard, timeout_seconds: float = 5.0
) -> AsyncIterator[tuple[Resolver, NameServer]]:
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(NameServer, local_addr=("127.0.0.1", 0))
    port = transport.get_extra_info("sockname")[1]
    resolver = Resolver(guard, (f"127.0.0.1:{port}",), timeout_seconds)
    try:
        yield resolver, server
    finally:
        await resolver.close()
        transport.close()


def resolve(
    host: str, guard: AddressGuard | None = None, timeout_seconds: float = 5.0, last_address: str = ""
) -> Resolution:
    async def scenario() -> Resolution:
        async with resolving(guard or AddressGuard(), timeout_seconds) as (resolver, _):
            return await resolver.resolve(host, last_address)

    return asyncio.run(scenario())


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("four.example", "198.51.101.7"),
        ("FOUR.example.", "198.51.101.7"),
        ("six.example", "2606:2800::7"),
        ("both.example", "198.51.101.7"),
        ("8.8.8.8", "8.8.8.8"),
        ("[2606:2800:0:0::7]", "2606:2800::7"),
    ],
)
def test_a_host_is_found_and_ipv4_preferred(host: str, address: str) -> None:
    assert resolve(host) == Resolution(address, None)


@pytest.mark.parametrize("address", ["198.51.101.7", "198.51.101.8", "2606:2800::7"])
def test_an_address_that_a_host_still_has_is_kept(address: str) -> None:
    """Else whoever has several addresses would move with every answer of its name server."""
    assert resolve("rotating.example", last_address=address) == Resolution(address, None)


def test_an_address_that_a_host_had_once_is_given_up() -> None:
    assert resolve("four.example", last_address="198.51.101.9") == Resolution("198.51.101.7", None)


def test_an_address_is_not_kept_beside_a_forbidden_one() -> None:
    found = resolve("rebind.example", last_address="198.51.101.7")
    assert found == Resolution(None, Failure.PRIVATE_ADDRESS)


@pytest.mark.parametrize(
    ("host", "failure"),
    [
        ("missing.example", Failure.NO_SUCH_HOST),
        ("broken.example", Failure.DNS_FAILED),
        ("empty.example", Failure.DNS_FAILED),
        ("inside.example", Failure.PRIVATE_ADDRESS),
        ("rebind.example", Failure.PRIVATE_ADDRESS),
        ("rebind6.example", Failure.PRIVATE_ADDRESS),
        ("localhost", Failure.PRIVATE_ADDRESS),
        ("127.0.0.1", Failure.PRIVATE_ADDRESS),
        ("[::1]", Failure.PRIVATE_ADDRESS),
        ("", Failure.BAD_URL),
        ("č.example", Failure.BAD_URL),
        ("a" * 64 + ".example", Failure.NO_SUCH_HOST),
        ("a." * 127 + "example", Failure.BAD_URL),
    ],
)
def test_a_host_without_a_usable_address_has_its_reason(host: str, failure: Failure) -> None:
    """A name that points anywhere private is refused as a whole: it may be rebinding."""
    assert resolve(host) == Resolution(None, failure)


@pytest.mark.parametrize(
    "host", ["[::ffff:198.51.101.7]", "[::ffff:c633:6507]", "::ffff:198.51.101.7", "mapped.example"]
)
def test_an_ipv4_address_in_the_clothes_of_ipv6_is_itself(host: str) -> None:
    """The kernel connects to the one inside: under two names its server would get two visits at once."""
    assert resolve(host) == resolve("four.example") == Resolution("198.51.101.7", None)


def test_a_named_network_may_be_entered() -> None:
    guard = AddressGuard((ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128")))
    assert resolve("inside.example", guard) == Resolution("127.0.0.1", None)
    assert resolve("localhost", guard) == Resolution("127.0.0.1", None)


def test_a_silent_name_server_costs_no_more_than_the_timeout() -> None:
    assert resolve("silent.example", timeout_seconds=0.3) == Resolution(None, Failure.DNS_FAILED)


def test_many_hosts_are_looked_up_at_once_and_remembered() -> None:
    """c-ares keeps answers for their time to live; a name server is a server too."""

    async def scenario() -> None:
        async with resolving(AddressGuard()) as (resolver, server):
            await asyncio.gather(*(resolver.resolve(f"h{n}.example") for n in range(50)))
            await resolver.resolve("four.example")
            asked = server.asked.count("four.example")
            assert await resolver.resolve("four.example") == Resolution("198.51.101.7", None)
            assert server.asked.count("four.example") == asked

    asyncio.run(scenario())
