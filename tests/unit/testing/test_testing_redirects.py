"""Redirects end at a page, sooner or later."""

from collections import Counter

from tiptoe.testing.graph import PageKind
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import Conduct, WebHost

STATUSES = (301, 302, 303, 307, 308)
SHAPE = WebShape(
    hosts=40, pages_per_host=400, pages_spread=0.0, redirect_share=0.3, redirect_chain_share=1.0,
    redirect_statuses=STATUSES, moved_host_share=0.2,
)  # fmt: skip
WEB = SimulatedWeb(SHAPE)
HOSTS = [WEB.hosts.at(index) for index in range(40)]


def follow(host: WebHost, number: int) -> list[str]:
    """Return the places a redirect leads over, the last of them no redirect."""
    places: list[str] = []
    owner: WebHost | None = host
    page: int | None = number
    while owner and page is not None and WEB.graph.kind_of(owner, page) is PageKind.REDIRECT:
        answer = WEB.respond(owner.name, WEB.graph.path_of(owner, page).decode())
        assert answer.status in STATUSES
        places.append(dict(answer.headers)["Location"])
        owner, page = WEB.find(places[-1])
    return places


def test_chains_are_long_enough_to_matter_and_short_enough_to_follow() -> None:
    """Crawlers give up after some redirects in a row, ten by default."""
    lengths = Counter(
        len(follow(host, number))
        for host in HOSTS
        for number in range(400)
        if WEB.graph.kind_of(host, number) is PageKind.REDIRECT
    )
    assert {1, 2, 3} <= set(lengths)
    assert max(lengths) < 10


def test_every_status_of_the_shape_is_used() -> None:
    host = next(host for host in HOSTS if host.conduct is Conduct.NORMAL)
    redirects = [n for n in range(400) if WEB.graph.kind_of(host, n) is PageKind.REDIRECT]
    assert {WEB.redirects.status_of(host, number) for number in redirects} == set(STATUSES)


def test_a_host_that_moved_sends_everybody_to_one_other_host() -> None:
    moved = [host for host in HOSTS if host.conduct is Conduct.MOVED]
    assert moved
    for host in moved:
        heirs = {WEB.redirects.target_of(host, number).split("/")[2] for number in range(20)}
        assert len(heirs) == 1
        assert heirs != {host.name}


def test_a_target_is_a_page_or_another_redirect() -> None:
    for host in HOSTS[:10]:
        for number in range(400):
            if WEB.graph.kind_of(host, number) is PageKind.REDIRECT:
                owner, page = WEB.find(follow(host, number)[-1])
                assert owner is not None
                assert page is not None
