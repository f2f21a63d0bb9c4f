"""FRO-1: a parameter is the id of a session only where the page around it bears that out."""

import pytest

from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.url.suspects import LinkingAnswer

CANONICALIZER = Canonicalizer()
HOME = "https://a.example/"
FIRST, SECOND, THIRD = (
    "0123456789abcdef0123456789abcdef",
    "fedcba98765432100123456789abcdef",
    "3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b",
)
NAMES = ("sid", "s", "sess", "session", "ssid", "s_id", "sessionid", "session_id", "sess_id", "sessid")


def links(
    *hrefs: str, url: str = HOME, cookies: tuple[str, ...] = (), redirected_from: str = ""
) -> list[str]:
    """Return the forms of a page's links, each without the origin of the page."""
    around = LinkingAnswer(url, hrefs, cookies, redirected_from)
    return [found.removeprefix("https://a.example") for found in CANONICALIZER.join(url, hrefs, None, around)]


# -- what the links of a page say together -------------------------------


@pytest.mark.parametrize("name", [*NAMES, "SID"])
def test_one_value_in_the_links_of_a_page_is_a_session(name: str) -> None:
    """Who numbers visitors writes the number into every link."""
    hrefs = (f"/?{name}={FIRST}", f"/x?a=1&{name}={FIRST}&b=2", f"y?{name}={FIRST}#top")
    assert links(*hrefs) == ["/", "/x?a=1&b=2", "/y"]


@pytest.mark.parametrize("name", [*NAMES, "PHPSESSID", "jsessionid"])
def test_values_that_tell_the_links_of_a_page_apart_choose_pages(name: str) -> None:
    """Two pages taken for one are lost: a list of stories names each of them."""
    hrefs = tuple(f"/story?{name}={value}" for value in (FIRST, SECOND, THIRD))
    assert links(*hrefs) == [*hrefs]


def test_values_that_tell_apart_do_so_in_paths_too() -> None:
    hrefs = (f"/x;jsessionid={FIRST}", f"/x;jsessionid={SECOND}", f"/y;sid={FIRST}", f"/y;sid={SECOND}")
    assert links(*hrefs) == [*hrefs]
    folders = (f"/(S({FIRST}))/x.aspx", f"/(S({SECOND}))/x.aspx")
    assert links(*folders) == [*folders]


def test_one_value_in_the_paths_of_a_page_is_a_session() -> None:
    assert links(f"/x;sid={FIRST}", f"/y;sid={FIRST}?a=1") == ["/x", "/y?a=1"]


def test_a_name_that_tells_some_links_apart_is_believed_in_the_others() -> None:
    """The first story has three links, most of the page; it is a story all the same."""
    views = [f"/{view}?sid={FIRST}" for view in ("story", "print", "comments")]
    hrefs = (*views, f"/story?sid={SECOND}")
    assert links(*hrefs) == [*hrefs]


def test_what_few_links_carry_chooses_a_page() -> None:
    """A home page that tells of one story, with links to read, print and discuss it."""
    menu = tuple(f"/menu/{number}" for number in range(6))
    story = tuple(f"/{view}?sid={FIRST}" for view in ("story", "print", "comments"))
    assert links(*menu, *story) == [*menu, *story]


def test_some_links_may_lack_a_session() -> None:
    """Of a menu that was written by hand, and a page's links to itself and to others."""
    hrefs = ("/by-hand", "#top", "https://b.example/1", "https://b.example/2", "mailto:a@a.example")
    session = tuple(f"/{number}?sid={FIRST}" for number in range(3))
    assert links(*hrefs, *session)[-3:] == ["/0", "/1", "/2"]


def test_a_foreign_id_among_those_of_a_session_stays() -> None:
    """People paste what they see; what is not borne out costs a request, and hides no page."""
    session = tuple(f"/topic?t={number}&sid={FIRST}" for number in range(5))
    assert links(*session, f"/topic?t=77&sid={SECOND}") == [
        *(f"/topic?t={number}" for number in range(5)),
        f"/topic?t=77&sid={SECOND}",
    ]


def test_one_link_alone_proves_nothing() -> None:
    href = f"/story?sid={FIRST}"
    assert links(href) == [href]
    assert links(href, href + "#part", f"/story?utm_source=x&sid={FIRST}") == [href]


def test_an_id_that_we_asked_for_chooses_the_page() -> None:
    """All links of a shop name the shop, and all of a story its story."""
    hrefs = (f"/shop?s={FIRST}", f"/basket?s={FIRST}", f"/print?s={FIRST}")
    assert links(*hrefs, url=f"https://a.example/shop?s={FIRST}") == [*hrefs]
    assert links(*hrefs, url=f"https://a.example/shops/{FIRST}/") == [*hrefs]


def test_an_id_that_the_server_has_exchanged_is_a_session() -> None:
    """Somebody has linked to a page with the id of an old session; it is not honoured."""
    asked = f"https://a.example/topic?t=1&sid={SECOND}"
    assert links(f"/?sid={FIRST}", f"/topic?t=1&sid={FIRST}", url=asked) == ["/", "/topic?t=1"]


def test_only_a_host_itself_bears_out_its_sessions() -> None:
    """Two links to one shop at another host are all that a page knows of that host."""
    hrefs = (f"https://b.example/shop?s={FIRST}", f"https://b.example/basket?s={FIRST}")
    assert links(*hrefs) == [*hrefs]
    same_name = tuple(href.replace("b.example", "a.example:8443") for href in hrefs)
    assert CANONICALIZER.join(HOME, same_name, None, LinkingAnswer(HOME, same_name)) == [*same_name]


# -- what the rest of the answer says ------------------------------------


def test_a_value_that_is_set_as_a_cookie_is_a_session() -> None:
    """Then one link is enough."""
    cookies = ("lang=cs; Path=/", f'forum_sid="{FIRST}"; Path=/; HttpOnly')
    assert links(f"/x?sid={FIRST}", "/menu", "/more", cookies=cookies) == ["/x", "/menu", "/more"]
    assert links(f"/x?sid={SECOND}", cookies=cookies) == [f"/x?sid={SECOND}"]


def test_a_cookie_that_repeats_what_was_asked_for_proves_nothing() -> None:
    """Shops remember what was looked at last."""
    href, cookies = f"/item?s={FIRST}&view=print", (f"last={FIRST}",)
    assert links(href, url=f"https://a.example/item?s={FIRST}", cookies=cookies) == [href]


def test_an_id_that_a_redirect_has_added_is_a_session() -> None:
    """/x led to /x?sid=…: it was not we who asked for that."""
    url, hrefs = f"https://a.example/x?sid={FIRST}", (f"/y?sid={FIRST}", f"/z?sid={FIRST}")
    assert links(*hrefs, url=url, redirected_from="https://a.example/x") == ["/y", "/z"]
    assert links(*hrefs, url=url, redirected_from=f"https://a.example/x?sid={SECOND}") == ["/y", "/z"]
    assert links(*hrefs, url=url, redirected_from="https://a.example/short") == [*hrefs]


# -- names that nothing but a session has --------------------------------


@pytest.mark.parametrize("mark", [f"?PHPSESSID={FIRST}", f"?oscsid={FIRST}", f";jsessionid={FIRST}"])
def test_names_that_only_sessions_have_need_no_further_evidence(mark: str) -> None:
    assert links(f"/x{mark}", "/y") == ["/x", "/y"]
    assert CANONICALIZER.canonical(f"https://a.example/x{mark}") == "https://a.example/x"


def test_of_two_ids_only_the_one_that_is_borne_out_goes() -> None:
    hrefs = (f"/story?sid={FIRST}&PHPSESSID={THIRD}", f"/story?PHPSESSID={THIRD}&sid={SECOND}")
    assert links(*hrefs) == [f"/story?sid={FIRST}", f"/story?sid={SECOND}"]


# -- where nothing is seen -----------------------------------------------


@pytest.mark.parametrize("query", [f"{name}={value}" for name in NAMES for value in (FIRST, THIRD)])
def test_an_address_by_itself_keeps_what_only_may_be_a_session(query: str) -> None:
    """Seeds, and links in lists that are made for machines: whoever wrote them meant them."""
    url = f"https://a.example/t?{query}&t=7"
    assert CANONICALIZER.canonical(url) == url
    assert CANONICALIZER.join(HOME, [url, url + "1"]) == [url, url + "1"]


def test_the_form_of_a_link_depends_on_its_page_alone() -> None:
    """Whoever has told other links before, and forgotten some, comes to the same."""
    hrefs = [f"/{number}?sid={FIRST}" for number in range(3)] + ["/a", "/b"]
    around = LinkingAnswer(HOME, hrefs)
    whole = CANONICALIZER.join(HOME, hrefs, None, around)
    assert whole == [url for href in hrefs for url in CANONICALIZER.join(HOME, [href], None, around)]
    assert whole == [CANONICALIZER.canonical(url) for url in whole]


def test_names_are_those_of_the_rules() -> None:
    own = Canonicalizer(CanonicalRules(session_parameters=("visitor",)))
    hrefs = (f"/x?visitor={FIRST}&sid={FIRST}", f"/y?visitor={FIRST}")
    assert own.join(HOME, hrefs, None, LinkingAnswer(HOME, hrefs)) == [
        f"https://a.example/x?sid={FIRST}",
        "https://a.example/y",
    ]


# -- redirects -----------------------------------------------------------


def redirect(url: str, location: str, *cookies: str) -> str | None:
    return CANONICALIZER.redirect(LinkingAnswer(url, cookies=cookies), location)


@pytest.mark.parametrize("mark", [f"?PHPSESSID={FIRST}", f"?sid={FIRST}", f";jsessionid={FIRST}"])
def test_a_server_that_insists_on_a_session_is_given_one(mark: str) -> None:
    """Without it the redirect would lead to itself, and the page be lost."""
    url = "https://a.example/x"
    assert redirect(url, f"/x{mark}", f"id={FIRST}") == url + mark
    assert redirect(url, "/x#top") == url


def test_redirects_to_elsewhere_lose_ids_that_are_borne_out() -> None:
    """Every page that wants a password leads to the same form, with a new session each time."""
    url = "https://a.example/x"
    assert redirect(url, f"/login;jsessionid={FIRST}") == "https://a.example/login"
    assert redirect(url, f"/login?sid={FIRST}", f"sid={FIRST}; Path=/") == "https://a.example/login"
    assert redirect(url, f"/view?sid={FIRST}") == f"https://a.example/view?sid={FIRST}"
    assert redirect(url, "mailto:me@a.example") is None
