"""Every host has an address nobody else on this planet uses."""

import ipaddress
from dataclasses import replace

from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_addresses import address_at, networks_of
from tiptoe.testing.web_hosts import Life


def all_inside(web: SimulatedWeb, step: int) -> bool:
    networks = [ipaddress.ip_network(network) for network in networks_of(web.shape)]
    hosts = (web.hosts.at(index) for index in range(0, web.shape.hosts, step))
    addresses = [web.address_of(host.name) for host in hosts if host.life is not Life.NO_SUCH_HOST]
    return all(any(ipaddress.ip_address(a or "") in network for network in networks) for a in addresses)


def test_a_web_lives_in_the_networks_it_names() -> None:
    """A rehearsal opens these networks and no other."""
    realistic = WebShape.realistic()
    assert networks_of(WebShape.demo()) == networks_of(replace(realistic, hosts=50_000)) == ("198.18.0.0/15",)
    assert networks_of(realistic) == ("198.18.0.0/15", "127.0.0.0/8")
    assert all_inside(SimulatedWeb(WebShape.demo()), 1)
    assert all_inside(SimulatedWeb(replace(realistic, hosts=80_000)), 37)
    assert all_inside(SimulatedWeb(realistic), 997)
    assert all_inside(SimulatedWeb(replace(realistic, hosts=100_000_000)), 99_991)


def test_numbers_and_addresses_are_one_to_one() -> None:
    numbers = [1, 255, 256, 65_536, 98_303, 98_304, 131_071, 131_072, 200_000, 15_000_000]
    for loopback in (False, True):
        addresses = [address_at(number, loopback=loopback) for number in numbers]
        assert len(set(addresses)) == len(numbers)
        assert all(ipaddress.ip_address(address) for address in addresses)


def test_hosts_that_live_alone_share_with_nobody() -> None:
    web = SimulatedWeb(WebShape(hosts=3_000, hosts_per_address=10, shared_address_share=0.3))
    addresses = [web.address_of(web.hosts.at(index).name) for index in range(3_000)]
    shared = {f"198.18.0.{number}" for number in range(1, 91)}
    alone = [address for address in addresses if address not in shared]
    assert len(set(alone)) == len(alone)
    assert 0.65 < len(alone) / 3_000 < 0.75
