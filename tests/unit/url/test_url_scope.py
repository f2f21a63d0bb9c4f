"""FRO-4: what belongs to the crawl."""

import re

from tiptoe.url.scope import Scope


def test_without_patterns_every_host_is_wanted() -> None:
    """A crawl of the open web needs no list."""
    assert Scope().admits_host("a.example")


def test_exclusion_wins_over_inclusion() -> None:
    """A webmaster who asked to be left out stays out."""
    scope = Scope(include_hosts=(re.compile(r"\.cz$"),), exclude_hosts=(re.compile(r"^shop\."),))

    assert scope.admits_host("www.a.cz")
    assert not scope.admits_host("shop.a.cz")
    assert not scope.admits_host("www.a.example")
