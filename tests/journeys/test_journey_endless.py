"""A server that answers everything with links to more: the crawl comes to an end, and says why."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from journey_servers import Talk, html, scripted_server
from test_journey_hostile import crawl_of

pytestmark = pytest.mark.journey

WORDS = ("river", "mill", "stone", "bridge", "garden", "window", "letter", "summer", "winter", "forest")
TEXTLESS_MAX = 60


class Endless(dict[str, Talk]):
    """Every path leads to a page; what stands on it beside the links, `say` tells."""

    def __init__(self, say: Callable[[random.Random], str]) -> None:
        super().__init__()
        self._say = say

    def get(self, path: str, default: object = None) -> Talk:
        if path in ("/robots.txt", "/.well-known/tdmrep.json"):
            return lambda visitor: visitor.say(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        rng = random.Random(path)
        links = "".join(f'<li><a href="/{_invent(rng)}">{_invent(rng)}</a>' for _ in range(8))
        return html(f"<title>{_invent(rng)}</title>{self._say(rng)}<ul>{links}</ul>".encode())


def _invent(rng: random.Random) -> str:
    return "/".join("-".join(rng.choices(WORDS, k=3)) for _ in range(rng.randint(1, 4)))


def nothing(rng: random.Random) -> str:
    return ""


def the_same(rng: random.Random) -> str:
    return "<p>Welcome to our site, where everything that you have ever been looking for is to be found.</p>"


def a_number(rng: random.Random) -> str:
    return f"<p>You are visitor {rng.randrange(10**6)}, and {rng.randrange(10**4)} pages are left to see.</p>"


@pytest.mark.parametrize("say", [nothing, the_same, a_number])
@pytest.mark.parametrize("is_rated", [False, True], ids=["unrated", "rated"])
def test_a_site_of_ever_new_links_is_left(
    tmp_path: Path, say: Callable[[random.Random], str], is_rated: bool
) -> None:
    """FRO-5: random words at random depth, no query; with a segmenter and without one."""
    settings: dict[str, object] = {
        "scope__textless_pages_max": TEXTLESS_MAX,
        "segmenter__off": str(not is_rated).lower(),
        "crawl__max_pages": 5 * TEXTLESS_MAX,  # where it would end if it were not left
    }
    with (
        scripted_server(Endless(say)) as server,
        crawl_of(tmp_path, server.origin + "/", **settings) as crawl,
    ):
        printed = crawl.run()
    assert 20 <= len(server.asked) <= 3 * TEXTLESS_MAX
    assert "trap_textless" in printed or "zero_usability" in printed
