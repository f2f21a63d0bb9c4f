"""`tiptoe control crawls|status|start|…`: commands to a control server, over its API."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from tiptoe.cli.arguments import AsJson, Delay, print_changes, seconds_meant, settings_meant
from tiptoe.cli.printer import Printer
from tiptoe.control.api_client import DEFAULT_URL, ApiClient
from tiptoe.errors import SettingsError
from tiptoe.observe.amounts import human_count
from tiptoe.observe.printable import printable

__all__ = [
    "DEFAULT_SERVER", "ControlServer", "OnServer", "block_command", "call_command", "crawls_command",
    "pause_command", "resume_command", "set_command", "show_command", "slow_command", "start_command",
    "stop_command", "unblock_command",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ControlServer:
    """Which control server to use, and how to authenticate."""

    server: Annotated[str, Parameter(help="Address of the control server.")] = DEFAULT_URL
    token_file: Annotated[
        Path | None, Parameter(help="File with a token; by default the token is in TIPTOE_CONTROL_TOKEN.")
    ] = None
    certificate: Annotated[
        Path | None, Parameter(help="Certificate of the server, if it is self-signed.")
    ] = None

    def client(self) -> ApiClient:
        """Return a client for its API."""
        return ApiClient.found(self.server, self.token_file, self.certificate)


OnServer = Annotated[ControlServer, Parameter(name="*")]
DEFAULT_SERVER: Final = ControlServer()
Crawl = Annotated[str, Parameter(help="Name of the crawl on the server.")]
Host = Annotated[str, Parameter(help="Host name or IP address.")]


def crawls_command(*, on: OnServer = DEFAULT_SERVER, as_json: AsJson = False) -> int:
    """List all crawls of a control server."""
    crawls = on.client().call("GET", "crawls")
    if as_json:
        print(json.dumps(crawls, indent=1))
        return 0
    table = Table(box=None, header_style="dim")
    for name in ("crawl", "state", "pages/s", "pages", "documents", "hosts", "waiting", "attention"):
        table.add_column(name, justify="left" if name in ("crawl", "state", "attention") else "right")
    for one in crawls:
        figures = [human_count(one[name]) for name in ("pages", "documents", "hosts", "queued")]
        notes = "; ".join(printable(note["message"]) for note in one["attention"])
        cells = [one["name"], one["state"], f"{one['pace']:.1f}" if one["is_alive"] else "-", *figures, notes]
        table.add_row(*map(Text, cells))
    Printer().print(table if crawls else "no crawl is looked after there")
    return 0


def show_command(crawl: Crawl, *, on: OnServer = DEFAULT_SERVER, as_json: AsJson = False) -> int:
    """Show the state of a crawl on a control server."""
    facts = on.client().call("GET", "crawls", crawl)
    if as_json:
        print(json.dumps(facts, indent=1))
        return 0
    summary = facts["summary"]
    print(f"{summary['name']}: {summary['state']}, {human_count(summary['pages'])} pages")
    for note in summary["attention"]:
        print(f"{note['urgency']}: {printable(note['said'])}")
    for line in facts["waits"]:
        print(f"waits: {printable(line)}")
    return 0


def start_command(crawl: Crawl, *, on: OnServer = DEFAULT_SERVER) -> int:
    """Start or continue a crawl on a control server."""
    return _tell(on, crawl, "start")


def stop_command(crawl: Crawl, *, on: OnServer = DEFAULT_SERVER) -> int:
    """Stop a crawl on a control server cleanly."""
    return _tell(on, crawl, "stop")


def pause_command(crawl: Crawl, *, on: OnServer = DEFAULT_SERVER) -> int:
    """Pause a crawl on a control server."""
    return _tell(on, crawl, "pause")


def resume_command(crawl: Crawl, *, on: OnServer = DEFAULT_SERVER) -> int:
    """Let a crawl on a control server continue after a pause."""
    return _tell(on, crawl, "resume")


def block_command(crawl: Crawl, host: Host, *, on: OnServer = DEFAULT_SERVER) -> int:
    """Make a crawl send no more requests to a host or address."""
    return _tell(on, crawl, "block", {"host": host})


def unblock_command(crawl: Crawl, host: Host, *, on: OnServer = DEFAULT_SERVER) -> int:
    """Let a crawl send requests to a blocked host or address again."""
    return _tell(on, crawl, "unblock", {"host": host})


def slow_command(
    crawl: Crawl, host: Host, *,
    delay: Delay = "60s",
    on: OnServer = DEFAULT_SERVER,
) -> int:  # fmt: skip
    """Make a crawl send requests to a host or address less often."""
    seconds = seconds_meant("--delay", delay)
    return _tell(on, crawl, "slow", {"host": host, "delay_seconds": seconds})


def set_command(
    crawl: Crawl,
    *assignments: Annotated[str, Parameter(help="Settings that are live, as section.key=value.")],
    on: OnServer = DEFAULT_SERVER,
) -> int:
    """Change live settings of a running crawl on a control server."""
    body = {"settings": settings_meant(assignments)}
    return print_changes(on.client().call("PATCH", "crawls", crawl, "settings", body=body)["changes"])


def call_command(
    method: Annotated[str, Parameter(help="GET, POST, PUT, PATCH or DELETE.")],
    path: Annotated[
        str,
        Parameter(help="Path below /api/v1, such as crawls/czech/hosts or 'crawls/czech/search?query=voda'."),
    ],
    body: Annotated[str, Parameter(help="Body as JSON.")] = "",
    *,
    on: OnServer = DEFAULT_SERVER,
) -> int:
    """Call any operation of the API, and print the answer."""
    if method.upper() not in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        raise SettingsError(f"{method}: GET, POST, PUT, PATCH or DELETE")
    try:
        content = json.loads(body) if body else None
    except ValueError as error:
        raise SettingsError(f"the body is not JSON: {error}") from error
    where, _, asked = path.partition("?")
    query = parse_qsl(asked, keep_blank_values=True)
    reply = on.client().call(method.upper(), *where.strip("/").split("/"), body=content, query=query)
    print(json.dumps(reply, indent=1))
    return 0


def _tell(on: ControlServer, crawl: str, word: str, body: Any = None) -> int:
    print(printable(on.client().call("POST", "crawls", crawl, word, body=body)["message"], " "))
    return 0
