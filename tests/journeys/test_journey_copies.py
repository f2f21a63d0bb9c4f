"""A site is crawled with all it needs, politely, and its copy opens without a server."""

import http.server
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from journey_crawl import tiptoe

pytestmark = pytest.mark.journey

FIRST = "<p>" + "A sentence of a page that says something worth keeping. " * 12 + "</p>"
SECOND = "<p>" + "Quite another sentence, which nobody has read anywhere else so far. " * 12 + "</p>"
FILES = {
    "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /secret\n"),
    "/": ("text/html", f"<link rel=stylesheet href=s.css><img src=/1.png><a href=/two>two</a>{FIRST}"),
    "/two": (
        "text/html",
        f'<img src="/1.png"><img src=/secret/2.png><a href="/">home</a>{SECOND}',
    ),
    "/s.css": ("text/css", "body { background: url(bg.png) }"),
    "/1.png": ("image/png", "PNG one"),
    "/bg.png": ("image/png", "PNG background"),
    "/secret/2.png": ("image/png", "PNG secret"),
}


class Site(http.server.BaseHTTPRequestHandler):
    """A site that notes what it is asked for."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        kind, text = FILES.get(self.path, ("text/plain", ""))
        self.send_response(200 if self.path in FILES else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nobody listens."""


@pytest.fixture
def site() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Noting", (Site,), {"asked": asked}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_copy_of_a_site_is_complete_and_leads_nowhere_else(
    tmp_path: Path, site: tuple[str, list[str]]
) -> None:
    home, asked = site
    out, copy = tmp_path / "crawl", tmp_path / "copy"
    settings = {
        "crawl.rehearsal": "true", "fetch.allow_networks": "127.0.0.0/8", "politeness.req_delay": "50ms",
        "politeness.general_pause": "50ms", "harvest.harvesters": "1", "fetch.requisites": "all",
    }  # fmt: skip
    options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    crawled = tiptoe("crawl", f"{home}/", "--contact", "me@example.org", "--out", str(out), *options)
    assert crawled.returncode == 0, crawled.stdout + crawled.stderr

    done = tiptoe("export", str(out), "--format", "site", "--out", str(copy), "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] == 2
    pages = {"/robots.txt", "/", "/two", "/s.css", "/1.png", "/bg.png"}
    assert {path for path in asked if path in FILES} == pages, "what robots.txt forbids is not asked for"
    assert len([path for path in asked if path in pages]) == len(pages), "each of them once"
    texts = [json.loads(line) for path in out.glob("corpus/*") for line in path.read_text().splitlines()]
    assert sorted(text["url"].removeprefix(home) for text in texts) == ["/", "/two"]
    folder = copy / f"127.0.0.1_{home.rpartition(':')[2]}"
    first = (folder / "index.html").read_text(encoding="utf-8-sig")
    for link in re.findall(r'(?:href|src)="([^"]*)"', first):
        assert (folder / link).is_file(), link
    assert "url(bg.png)" in (folder / "s.css").read_text(encoding="utf-8-sig")
    assert (folder / "bg.png").read_bytes() == b"PNG background"
    assert f'src="{home}/secret/2.png"' in (folder / "two.html").read_text(encoding="utf-8-sig")
    assert "0 violations" in tiptoe("audit", str(out)).stdout
