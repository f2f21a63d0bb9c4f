"""Who can connect to a server at such a host?"""

import pytest

from tiptoe.url.loopback import is_loopback


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.8.7", "::1"])
def test_nobody_from_outside_reaches_this_machine_by_its_own_addresses(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["127.evil.example", "localhost.example", "0.0.0.0", "::", "10.0.0.1", ""])
def test_names_and_other_addresses_are_not_believed(host: str) -> None:
    """Whoever owns a name chooses where it leads: without TLS, passwords would go there in the open."""
    assert not is_loopback(host)
