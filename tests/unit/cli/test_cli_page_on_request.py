"""`tiptoe filters explain --fetch`: one page is asked for, politely, and the audit can tell."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tiptoe.audit.auditor import audit
from tiptoe.cli.main import app
from tiptoe.control.crawl_launch import to_toml_file
from tiptoe.errors import SettingsError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.lone_requests import clear_requests, read_requests

Printed = pytest.CaptureFixture[str]

SETTINGS: dict[str, object] = {
    "crawl.contact": "https://corpus.example/bot", "crawl.name": "trier", "crawl.rehearsal": "true",
    "fetch.allow_networks": ["127.0.0.0/8"], "politeness.req_delay": "10ms", "text.respect_tdm": "false",
}  # fmt: skip
FILTERS = """\
<Filter name="enumeration-default">
    MetaData fn=filter-by-regex src=url deny=zip$
    Enumerate fn=enumerate-urls
</Filter>
<Filter name="generation-default">
    MetaData fn=filter-by-regex src=url deny=zip$
    Data fn=filter-by-exact src=content-type deny=text/html
</Filter>
"""
PAGES = {
    "/robots.txt": (200, "text/plain", b"User-agent: *\nDisallow: /private"),
    "/page": (200, "text/html", b"<title>One</title><p>Text <a href='/next'>on</a>"),
    "/moved": (302, "text/html", b""),
}


@dataclass
class Site:
    """A server on loopback that remembers what it was asked, and by whom."""

    url: str
    asked: list[tuple[str, str]] = field(default_factory=list)


@pytest.fixture
def site() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append((self.path, self.headers["User-Agent"]))
            status, kind, body = PAGES.get(self.path, (404, "text/plain", b""))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if status == 302:
                self.send_header("Location", "/page")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Site(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield found
        server.shutdown()
        thread.join()


def give_settings(crawl: Path, settings: dict[str, object]) -> None:
    crawl.with_suffix(".toml").write_text(to_toml_file(settings))


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A crawl that is planned: nothing but filters are there, and settings beside it."""
    directory = tmp_path / "crawl"
    (directory / "filters").mkdir(parents=True)
    give_settings(directory, SETTINGS)
    (directory / "filters" / "filter.conf").write_text(FILTERS)
    return directory


def run(*words: object) -> int:
    code: int = app(list(map(str, words)), exit_on_error=False, result_action="return_value")
    return code


def named(crawl: Path) -> tuple[object, ...]:
    return "--crawl", crawl, "--config", crawl.with_suffix(".toml")


def explained(
    crawl: Path, url: str, capsys: Printed
) -> tuple[int, dict[str, object], list[dict[str, object]]]:
    code = run("filters", "explain", crawl / "filters", url, "--fetch", *named(crawl), "--json")
    said = json.loads(capsys.readouterr().out)
    return code, said["fetched"], said["explained"]


def test_the_answer_of_the_server_goes_through_the_filters(site: Site, crawl: Path, capsys: Printed) -> None:
    code, fetched, (enumeration, generation) = explained(crawl, f"{site.url}/page", capsys)
    assert code == 0
    assert (fetched["status"], fetched["type"], fetched["is_archived"]) == (200, "text/html", False)
    assert enumeration["links"] == ["/next"]
    assert generation["denied_in"] == "Data"
    assert str(fetched["markup"]).startswith("<title>One</title>")
    assert [path for path, _ in site.asked] == ["/robots.txt", "/page"]
    assert all(agent.startswith("trier/") and "corpus.example" in agent for _, agent in site.asked)


def test_what_was_asked_is_logged_and_the_crawl_can_begin_afterwards(
    site: Site, crawl: Path, capsys: Printed
) -> None:
    """A directory with somebody else's files in it is refused; a log of single pages is none of those."""
    explained(crawl, f"{site.url}/page", capsys)
    found = audit(crawl)
    assert found.findings.count == 0
    assert sum(found.figures.purposes.values()) == 2
    (asked,) = read_requests(crawl)
    assert (asked.address, asked.rest_seconds) == ("127.0.0.1", 300.0)
    started = CrawlDirectory(crawl)
    assert started.claim(["http://a.example/"]) == ["http://a.example/"]
    started.release()


@pytest.mark.parametrize(
    ("path", "said", "asked"),
    [("/private/x", "robots.txt forbids it", ["/robots.txt"]), ("/a.zip", "", [])],
)
def test_what_may_not_or_need_not_be_asked_for_is_not(
    site: Site, crawl: Path, capsys: Printed, path: str, said: str, asked: list[str]
) -> None:
    _, fetched, _ = explained(crawl, site.url + path, capsys)
    assert said in str(fetched["hindrance"] if fetched else "")
    assert [path for path, _ in site.asked] == asked


def test_an_address_that_rests_is_not_asked_again(site: Site, crawl: Path, capsys: Printed) -> None:
    explained(crawl, f"{site.url}/page", capsys)
    code, fetched, _ = explained(crawl, f"{site.url}/moved", capsys)
    assert code == 1
    assert "127.0.0.1 rests for another" in str(fetched["hindrance"])
    assert len(list((crawl / "log").iterdir())) == 1  # nobody was asked, so there is nothing to log
    clear_requests(crawl)
    _, fetched, (enumeration, _) = explained(crawl, f"{site.url}/moved", capsys)
    assert fetched["location"] == f"{site.url}/page"  # where it leads is for somebody to ask about
    assert enumeration["links"] is None
    assert [path for path, _ in site.asked] == ["/robots.txt", "/page", "/robots.txt", "/moved"]


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("fetch.allow_networks", [], "private network"),
        ("politeness.blocked_hosts", ["127.0.0.1"], "is blocked"),
        ("crawl.contact", "", "no contact given"),
        ("crawl.schedule", ["mon 00:00-00:01", "tue 00:00-00:01"], "at this hour"),
    ],
)
def test_nobody_is_asked_against_the_settings_of_the_crawl(
    site: Site, crawl: Path, capsys: Printed, setting: str, value: object, said: str
) -> None:
    give_settings(
        crawl, {**SETTINGS, "crawl.rehearsal": "false", "politeness.req_delay": "5s", setting: value}
    )
    words = "filters", "explain", crawl / "filters", f"{site.url}/page", "--fetch", *named(crawl)
    if setting == "crawl.contact":
        with pytest.raises(SettingsError, match=said):
            run(*words)
    else:
        assert run(*words) == 1
        assert said in capsys.readouterr().out
    assert site.asked == []


def test_while_the_crawl_runs_nobody_else_asks(site: Site, crawl: Path, capsys: Printed) -> None:
    running = CrawlDirectory(crawl)
    running.take_lock()
    _, fetched, _ = explained(crawl, f"{site.url}/page", capsys)
    running.release()
    assert "the crawl runs" in str(fetched["hindrance"])
    assert site.asked == []


def test_a_crawl_is_needed_in_whose_name_to_ask(site: Site, crawl: Path) -> None:
    with pytest.raises(SettingsError, match="--crawl DIR"):
        run("filters", "explain", crawl / "filters", f"{site.url}/page", "--fetch")
    assert site.asked == []
