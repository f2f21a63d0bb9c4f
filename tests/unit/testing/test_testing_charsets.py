"""Pages lie about their charset, or say nothing; what they mean is known all the same."""

import re
from collections import Counter

from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import WebHost

SHAPE = WebShape(
    hosts=600, pages_per_host=5, legacy_charset_share=0.6, charset_undeclared_share=0.2,
    charset_wrong_header_share=0.2, charset_wrong_meta_share=0.2,
)  # fmt: skip
WEB = SimulatedWeb(SHAPE)
HOSTS = [WEB.hosts.at(index) for index in range(600)]
META = re.compile(rb'<meta charset="([^"]*)">')


def declared(host: WebHost) -> tuple[str, str]:
    """Return what header and page say, read from the answer."""
    answer = WEB.respond(host.name, "/")
    header = dict(answer.headers)["Content-Type"].partition("charset=")[2]
    meta = META.search(answer.body)
    return header, meta[1].decode() if meta else ""


def kind_of(host: WebHost) -> str:
    header, meta = declared(host)
    if not (header or meta):
        return "none"
    if header and header != host.charset:
        return "wrong header"
    return "wrong meta" if meta and meta != host.charset else "right"


def test_every_charset_comes_with_every_declaration() -> None:
    kinds = Counter((host.charset, kind_of(host)) for host in HOSTS)
    assert len(kinds) == 3 * 4
    assert min(kinds.values()) > 10


def test_a_wrong_header_stands_beside_a_right_page_and_a_wrong_page_alone() -> None:
    for host in HOSTS:
        header, meta = declared(host)
        if kind_of(host) == "wrong header":
            assert meta == host.charset
        if kind_of(host) == "wrong meta":
            assert header == ""


def test_the_true_text_is_known_whatever_is_declared() -> None:
    """Without the truth nobody could say how well a wrong declaration was seen through."""
    for host in HOSTS[:200]:
        text = WEB.respond(host.name, "/").body.decode(host.charset)
        heading, *paragraphs = WEB.true_paragraphs(WEB.graph.url_of(host, 0))
        assert f"<h1>{heading}</h1>" in text
        assert all(paragraph.partition(" ")[0] in text for paragraph in paragraphs)


def test_who_believes_a_wrong_declaration_reads_something_else() -> None:
    """A lie that changes nothing would test nothing."""
    accented = ("cs", "sk", "pl")  # German is the same in windows-1250 and ISO-8859-2
    liars = [host for host in HOSTS if kind_of(host).startswith("wrong") and host.language in accented]
    misread = 0
    for host in liars:
        header, meta = declared(host)
        believed = header or meta
        body = WEB.respond(host.name, "/").body
        misread += body.decode(believed, "replace") != body.decode(host.charset)
    assert misread == len(liars) > 50
