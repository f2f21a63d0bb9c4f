"""Which addresses are ours to contact."""

import ipaddress

import pytest

from tiptoe.fetch.guard import AddressGuard


@pytest.mark.parametrize(
    "address",
    [
        "93.184.215.14",
        "8.8.8.8",
        "100.63.255.255",
        "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
        "::ffff:8.8.8.8",
        "2002:808:808::1",
        "64:ff9b::808:808",
    ],
)
def test_public_addresses_are_permitted(address: str) -> None:
    assert AddressGuard().permits(address)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.255.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "224.0.1.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::10.0.0.1",
        "::8.8.8.8",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "2002:7f00:1::1",
        "2002:a00:1::",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808",
        "2001::1",
        "2001:db8::1",
        "3fff::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
        "100::1",
        "a.example",
        "",
        "127.1",
        "0x7f000001",
    ],
)
def test_everything_else_is_not(address: str) -> None:
    """A page must not steer us into our own network, by whatever spelling."""
    assert not AddressGuard().permits(address)


def test_a_named_network_is_permitted_and_nothing_beside_it() -> None:
    """A rehearsal on loopback names its network; that must open no other."""
    guard = AddressGuard((ipaddress.ip_network("127.0.0.0/24"), ipaddress.ip_network("::1/128")))
    assert [guard.permits(a) for a in ("127.0.0.1", "::1", "::ffff:127.0.0.9")] == [True] * 3
    assert [guard.permits(a) for a in ("127.0.1.1", "::2", "10.0.0.1")] == [False] * 3
