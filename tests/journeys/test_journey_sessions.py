"""FRO-1, FRO-5: sites that number their visitors, and one that numbers its pages by the same name."""

import contextlib
import itertools
import uuid
from pathlib import Path

import pytest
from journey_servers import Talk, html, scripted_server
from test_journey_hostile import crawl_of

pytestmark = pytest.mark.journey

PAGES = ("/", "/news", "/people", "/history", "/contact")
STORIES = tuple(uuid.uuid5(uuid.NAMESPACE_URL, str(number)).hex for number in range(6))


class Numbered(dict[str, Talk]):
    """Each answer opens a session: its id stands in all links."""

    def __init__(self, name: str, *, is_strict: bool = False) -> None:
        super().__init__()
        self._name = name
        self._is_strict = is_strict  # without an id there is a redirect instead of a page
        self._ids = itertools.count()

    def get(self, path: str, default: object = None) -> Talk:
        page, _, query = path.partition("?")
        if page not in PAGES:
            return lambda visitor: visitor.say(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        session = f"?{self._name}={uuid.uuid5(uuid.NAMESPACE_DNS, str(next(self._ids))).hex}"
        if self._is_strict and not query:
            head = f"HTTP/1.1 302 Found\r\nLocation: {page}{session}\r\nContent-Length: 0\r\n\r\n"
            return lambda visitor: visitor.say(head.encode())
        links = "".join(f"<li><a href='{other}{session}'>{other}</a>" for other in PAGES)
        return html(f"<title>{page}</title><p>This is the page {page} and nothing else.</p>{links}".encode())


def stories() -> dict[str, Talk]:
    """Stories with an id each; one leads to the next, and to its own comments."""

    def links(*paths: str) -> str:
        return "".join(f"<li><a href='{path}'>{path}</a>" for path in paths)

    site = {"/": html(links(f"/story?sid={STORIES[0]}", f"/story?sid={STORIES[1]}", "/about").encode())}
    for number, (own, following) in enumerate(itertools.pairwise((*STORIES, STORIES[0]))):
        text = f"<title>{number}</title><p>Story {number} is not like any of the others.</p>"
        onward = links(f"/story?sid={own}", f"/comments?sid={own}", f"/story?sid={following}")
        site[f"/story?sid={own}"] = html((text + onward).encode())
        site[f"/comments?sid={own}"] = html(f"<p>Of story {number} nobody has said anything.</p>".encode())
    return site


def test_sessions_make_no_new_pages_and_hide_none(tmp_path: Path) -> None:
    """What is numbered, visitors or pages, shows in the links; each page is asked for once."""
    with contextlib.ExitStack() as stack:
        sites = (
            Numbered("sid"),
            Numbered("PHPSESSID", is_strict=True),
            Numbered("s", is_strict=True),
            stories(),
        )
        servers = [
            stack.enter_context(scripted_server(site, address=f"127.77.0.{number}"))
            for number, site in enumerate(sites, 1)
        ]
        crawl = stack.enter_context(crawl_of(tmp_path, *(server.origin + "/" for server in servers)))
        crawl.run()
    plain, strict, stricter, numbered = (
        sorted(path for path in server.asked if path not in ("/robots.txt", "/.well-known/tdmrep.json"))
        for server in servers
    )
    assert plain == sorted(PAGES)
    for asked in (strict, stricter):
        assert sorted(path.partition("?")[0] for path in asked) == sorted(PAGES * 2)
        assert {path for path in asked if "?" not in path} == {*PAGES}
    expected = [f"/{view}?sid={story}" for view in ("story", "comments") for story in STORIES]
    assert numbered == sorted(["/", "/about", *expected])
