"""Which links of a page are worth telling the keeper about."""

import re
from itertools import takewhile

import pytest

import tiptoe.harvest.outlinks as outlinks_module
from tiptoe.decide.scheduling import schedule_point
from tiptoe.harvest.outlinks import Outlinks
from tiptoe.url.address import page_key
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.url.scope import Scope
from tiptoe.url.suspects import LinkingAnswer

BASE = "http://a.example/dir/page"


def make(scope: Scope | None = None, *, hops_max: int = 100, **limits: int) -> Outlinks:
    return Outlinks(Canonicalizer(CanonicalRules()), schedule_point(scope, hops_max=hops_max), **limits)


def urls(outlinks: Outlinks, *hrefs: str, depth: int = 1) -> list[str]:
    return [url for links in outlinks.find(BASE, hrefs, depth) for url in links.urls]


def test_links_are_resolved_and_grouped_by_host_with_their_keys() -> None:
    """The keeper looks all of a page's links up in one read."""
    found = make().find(BASE, ["x", "/y#top", "//b.example/z"], 1)
    assert [(links.host, links.urls) for links in found] == [
        ("a.example", ["http://a.example/dir/x", "http://a.example/y"]),
        ("b.example", ["http://b.example/z"]),
    ]
    assert [links.keys for links in found] == [
        page_key("http://a.example/dir/x") + page_key("http://a.example/y"),
        page_key("http://b.example/z"),
    ]


def test_a_link_is_told_once() -> None:
    """Most links of a page stand on every page of its site."""
    outlinks = make()
    assert urls(outlinks, "/x", "/x", "http://a.example/x#part") == ["http://a.example/x"]
    assert urls(outlinks, "/x", "HTTP://A.example/x") == []
    assert urls(outlinks, "/x", "/y") == ["http://a.example/y"]


def test_a_host_is_not_taken_for_one_whose_name_it_begins_with() -> None:
    """Every host has a queue of its own; ports of one host share it."""
    hrefs = ["/x", "http://a.example.test/", "http://a.example:81/", "http://a.example/y"]
    assert [(links.host, links.urls) for links in make().find(BASE, hrefs, 1)] == [
        ("a.example", ["http://a.example/x", "http://a.example:81/", "http://a.example/y"]),
        ("a.example.test", ["http://a.example.test/"]),
    ]


def test_the_same_relative_link_on_another_page_is_another_link() -> None:
    """It reads like a part of the menu and is none."""
    outlinks = make()
    assert urls(outlinks, "next", "/menu") == ["http://a.example/dir/next", "http://a.example/menu"]
    (found,) = outlinks.find("http://a.example/other/page", ["next", "/menu"], 1)
    assert found.urls == ["http://a.example/other/next"]


def test_memory_is_bounded_and_a_forgotten_link_is_only_told_again() -> None:
    """The keeper's seen test is the one that counts."""
    outlinks = make(remembered_max=20)
    for number in range(500):
        urls(outlinks, f"/{number}")
    again = urls(outlinks, *[f"/{number}" for number in range(500)])
    assert again[:478] == [f"http://a.example/{number}" for number in range(478)]
    assert "http://a.example/499" not in again


def with_files() -> Outlinks:
    rules = CanonicalRules(schemes=frozenset({"http", "https", "ftp", "file"}))
    return Outlinks(Canonicalizer(rules), schedule_point())


@pytest.mark.parametrize("base", [BASE, "https://a.example/", "ftp://a.example/"])
def test_the_web_does_not_lead_to_files_of_this_machine(base: str) -> None:
    """A stranger's page must not choose what of our disk is read and archived."""
    outlinks = with_files()
    found = outlinks.find(base, ["file:///etc/passwd", "FILE:/etc/shadow", "http://b.example/"], 1)
    assert [links.urls for links in found] == [["http://b.example/"]]
    assert outlinks.resolve(base, "file:///etc/passwd") == ""
    assert outlinks.take_discards() == {"out_of_scope": 3}


def test_files_lead_to_files_and_to_the_web() -> None:
    """Also to one that a page of the web named in vain before."""
    outlinks, base = with_files(), "file:///srv/pages/"
    outlinks.find(BASE, ["file:///srv/pages/a"], 1)
    found = outlinks.find(base, ["a", "http://b.example/"], 1)
    assert [links.urls for links in found] == [["file:///srv/pages/a"], ["http://b.example/"]]
    assert outlinks.resolve(base, "b") == "file:///srv/pages/b"


def test_links_out_of_scope_are_counted_and_go_no_further() -> None:
    """Every drop has a reason."""
    outlinks = make(Scope(include_hosts=(re.compile(r"^a\."),)))
    assert urls(outlinks, "/in", "http://b.example/1", "http://b.example/2") == ["http://a.example/in"]
    assert outlinks.take_discards() == {"out_of_scope": 2}
    assert outlinks.take_discards() == {}


def test_traps_are_counted_by_their_kind() -> None:
    """An endless path must not be walked to its end."""
    outlinks = make()
    assert urls(outlinks, "/a/" * 9, "/" + "x" * 1500) == []
    assert sum(outlinks.discards.values()) == 2
    assert all(reason.startswith("trap_") for reason in outlinks.discards)


def test_links_beyond_the_depth_are_not_even_parsed() -> None:
    """Depth 0 is no limit; hops are bounded anyway."""
    outlinks = make(Scope(depth_max=2), hops_max=5)
    assert urls(outlinks, "/1", depth=2) == ["http://a.example/1"]
    assert urls(outlinks, "/2", "/3", depth=3) == []
    unlimited = make(hops_max=5)
    assert urls(unlimited, "/1", depth=5) == ["http://a.example/1"]
    assert urls(unlimited, "/2", depth=6) == []
    assert (outlinks.discards, unlimited.discards) == ({"too_deep": 2}, {"trap_depth": 1})


def test_what_leads_nowhere_is_no_link() -> None:
    """mailto:, javascript: and broken addresses."""
    outlinks = make()
    assert urls(outlinks, "mailto:a@a.example", "javascript:void(0)", "http://", "data:,x") == []
    assert outlinks.resolve(BASE, "mailto:a@a.example") == ""
    assert outlinks.resolve(BASE, "../up") == "http://a.example/up"


def test_links_that_are_no_address_are_counted() -> None:
    """Each drop has a reason; those that stood on the last page too are counted once."""
    outlinks = make()
    hrefs = ["/a", "http://", "gopher://a.example/", "//", "/" + "x" * 3000]
    outlinks.find("http://a.example/", hrefs, 1)
    assert outlinks.take_discards() == {"bad_href": 4}


def test_menus_of_a_hostile_web_are_forgotten_before_they_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some pages have ten thousand links, and each host may have such a page."""
    monkeypatch.setattr(outlinks_module, "MENU_CHARS_MAX", 1000)
    outlinks = make(remembered_max=2)
    menus = {f"http://h{n}.example/": [f"/{n}-{link}" for link in range(10, 30)] for n in range(10, 60)}
    for base, menu in menus.items():
        assert outlinks.find(base, menu, 1)
    # Those of the last pages are still known, and each has 120 characters.
    known = [*takewhile(lambda base: not outlinks.find(base, menus[base], 1), reversed(menus))]
    assert len(known) == 1000 // 120


FIRST, SECOND = "0123456789abcdef0123456789abcdef", "fedcba98765432100123456789abcdef"


def test_what_the_last_page_said_of_a_session_does_not_hold_for_this_one() -> None:
    """A harvester decides nothing by its memory: what is a session here chooses the page there."""
    outlinks = make()
    visitor = [f"http://a.example/{path}?sid={FIRST}" for path in ("story", "menu", "list")]
    pages = [f"http://a.example/story?sid={value}" for value in (FIRST, SECOND)]
    for hrefs, expected in (
        (visitor, ["http://a.example/story", "http://a.example/menu", "http://a.example/list"]),
        (pages, pages),
    ):
        (found,) = outlinks.find(BASE, hrefs, 1, LinkingAnswer(BASE, hrefs))
        assert found.urls == expected


def test_links_that_were_told_still_bear_a_session_out() -> None:
    """The page is judged as it stands, not by the part of it that is new to us."""
    known = [f"/known/{number}" for number in range(9)]
    outlinks = make()
    urls(outlinks, *known)
    hrefs = [*known, f"/x?sid={FIRST}", f"/y?sid={FIRST}"]
    (found,) = outlinks.find(BASE, hrefs, 1, LinkingAnswer(BASE, hrefs))
    assert found.urls == [f"http://a.example/x?sid={FIRST}", f"http://a.example/y?sid={FIRST}"]


def test_menus_of_sites_with_sessions_are_forgotten_as_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is taken out of a menu must not count on for ever: other menus would have to make room for it."""
    monkeypatch.setattr(outlinks_module, "MENU_CHARS_MAX", 200)
    outlinks = make(remembered_max=2)
    other = "http://b.example/", ["/b"], 1
    assert outlinks.find(*other)
    for number in range(20):
        hrefs = ["/a", f"/{number}?sid={FIRST}", f"/{number}?sid={SECOND}"]
        outlinks.find(BASE, hrefs, 1, LinkingAnswer(BASE, hrefs))
    assert outlinks.find(*other) == []
