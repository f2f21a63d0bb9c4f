"""Sites on loopback that do not let everybody in, each at an address of its own; they note who came when.

127.0.0.1   a form; its sessions end after three pages
127.0.0.2   no door at all: nobody's secret has any business here; a proxy to 127.0.0.6, where nobody listens
127.0.0.3   HTTP Basic, also for its robots.txt, which forbids /private
127.0.0.4   the same, with another password
127.0.0.5   a cookie that somebody got with a browser
"""

import base64
import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Final
from urllib.parse import parse_qsl, urlsplit

FORM, OPEN, BASIC, OTHER, COOKIE, FAR = (f"127.0.0.{number}" for number in range(1, 7))
PASSWORD, TICKET, CSRF, COOKIE_VALUE = "p4ss-w0rd-of-ours", "t1cket-", "csrf-t0ken", "c00kie-of-ours"
BASIC_WORD = base64.b64encode(f"robot:{PASSWORD}".encode()).decode()
SECRETS: Final = (PASSWORD, TICKET, CSRF, COOKIE_VALUE, BASIC_WORD)

FIELDS = "<input name=user><input name=word type=password></form>"
PAGES = 8
PAGES_PER_TICKET = 3
TEXT = "This is page {} of {}, for members alone, and it says something that no other page of theirs says. "


@dataclass(slots=True)
class Arrival:
    """One request, as the server saw it."""

    host: str
    method: str
    path: str
    said: str  # head and body
    sender: str  # the address it came from
    began: float
    ended: float = 0.0


@dataclass
class Doors:
    """All five sites, and what they saw."""

    port: int = 0
    arrivals: list[Arrival] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    tickets: int = 0
    served: int = 0  # pages, on the last ticket

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def paths(self, host: str) -> list[str]:
        """Return what was asked of a host, in order; what was posted has a star."""
        return [one.path + "*" * (one.method == "POST") for one in self.arrivals if one.host == host]

    def shortest_pause(self) -> float:
        """Return the shortest time between the end of an answer and the next request to the same host."""
        pauses = []
        for host in {one.host for one in self.arrivals}:
            ours = sorted((one for one in self.arrivals if one.host == host), key=lambda one: one.began)
            pauses += [later.began - earlier.ended for earlier, later in pairwise(ours)]
        return min(pauses)

    def answer(self, arrival: Arrival, cookies: str, authorization: str) -> tuple[int, dict[str, str], str]:
        """Return status, fields and body."""
        if arrival.host == FORM:
            return self._at_the_form(arrival, cookies)
        if arrival.host == FAR:
            return 200, {}, page(FAR, PAGES) if arrival.path.endswith("/") else ""
        if arrival.host == OPEN:
            return 200, {}, TEXT.format(0, OPEN)
        if arrival.host == COOKIE:
            is_in = f"sid={COOKIE_VALUE}" in cookies
            return (
                (200, {}, page(arrival.host, 0))
                if is_in or arrival.path == "/robots.txt"
                else (403, {}, "no")
            )
        word = BASIC_WORD if arrival.host == BASIC else "c29tZWJvZHk6ZWxzZQ=="
        if authorization != f"Basic {word}":
            return 401, {"WWW-Authenticate": 'Basic realm="members"'}, "no"
        if arrival.path == "/robots.txt":
            return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private\n"
        return 200, {}, page(arrival.host, 0) + "<a href=/private>for nobody</a>"

    def _at_the_form(self, arrival: Arrival, cookies: str) -> tuple[int, dict[str, str], str]:
        path = arrival.path.partition("?")[0]
        if path == "/robots.txt":
            return 404, {}, ""
        if path == "/login" and arrival.method == "GET":
            hidden = f"<input type=hidden name=csrf value={CSRF}>"
            return (
                200,
                {},
                f"<form method=post>{hidden}<input name=user><input name=word type=password></form>",
            )
        if path == "/login":
            sent = dict(parse_qsl(arrival.said.rpartition("\r\n")[2]))
            if sent != {"csrf": CSRF, "user": "robot", "word": PASSWORD}:
                return 200, {}, f"<form method=post>{FIELDS}"
            self.tickets, self.served = self.tickets + 1, 0
            return 303, {"Location": "/", "Set-Cookie": f"sid={TICKET}{self.tickets}; Path=/; HttpOnly"}, ""
        if f"sid={TICKET}{self.tickets}" not in cookies or self.served >= PAGES_PER_TICKET:
            return 302, {"Location": f"/login?next={path}"}, ""
        self.served += 1
        if path == "/away":
            return 302, {"Location": self.url(OPEN, "/landing")}, ""
        return 200, {"Set-Cookie": f"sid={TICKET}{self.tickets}; Path=/"}, page(FORM, int(path[1:] or 0))


def page(host: str, number: int) -> str:
    """Return a page that leads to the next one."""
    on = f"<a href=/{number + 1}>on</a>" if number < PAGES else "<a href=/away>away</a>"
    return f"<title>Members</title><p>{TEXT.format(number, host) * 4}</p>{on}"


@contextlib.contextmanager
def doors_open() -> Iterator[Doors]:
    """Serve as long as the block lasts."""
    doors = Doors()

    class Visitor(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._meet("GET")

        def do_POST(self) -> None:
            self._meet("POST")

        def _meet(self, method: str) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            host = urlsplit(self.path).hostname or self.connection.getsockname()[0]
            said = f"{self.headers}\r\n{body}"
            arrival = Arrival(host, method, self.path, said, self.client_address[0], time.monotonic())
            with doors.lock:
                doors.arrivals.append(arrival)
                answer = doors.answer(
                    arrival, self.headers.get("Cookie", ""), self.headers.get("Authorization", "")
                )
            self._say(*answer, arrival)

        def _say(self, status: int, fields: dict[str, str], body: str, arrival: Arrival) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "text/html", **fields}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            arrival.ended = time.monotonic()  # before it: afterwards a busy machine may let us wait
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    servers = []
    try:
        for host in (FORM, OPEN, BASIC, OTHER, COOKIE):
            server = ThreadingHTTPServer((host, doors.port), Visitor)
            doors.port = server.server_address[1]
            servers.append(server)
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}).start()
        yield doors
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
