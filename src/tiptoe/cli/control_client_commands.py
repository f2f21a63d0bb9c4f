"""`tiptoe control crawls|status|start|…`: a word with a control server, over its API."""

import json
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from tiptoe.cli.arguments import AsJson
from tiptoe.cli.printer import Printer
from tiptoe.control.api_client import DEFAULT_URL, ApiClient
from tiptoe.errors import SettingsError
from tiptoe.observe.amounts import human_count
from tiptoe.observe.printable import printable
from tiptoe.settings.units import parse_duration

__all__ = [
    "block_command", "call_command", "crawls_command", "pause_command", "resume_command", "set_command",
    "show_command", "slow_command", "start_command", "stop_command", "unblock_command",
]  # fmt: skip

Server = Annotated[str, Parameter(name="--server", help="Address of the control server.")]
TokenFile = Annotated[
    Path | None, Parameter(help="File with a token; by default the token is in TIPTOE_CONTROL_TOKEN.")
]
Certificate = Annotated[Path | None, Parameter(help="Certificate of the server, if it is self-signed.")]
Crawl = Annotated[str, Parameter(help="Name of the crawl on the server.")]
Host = Annotated[str, Parameter(help="Host name or IP address.")]


def crawls_command(
    *, server: Server = DEFAULT_URL, token_file: TokenFile = None, certificate: Certificate = None,
    as_json: AsJson = False,
) -> int:  # fmt: skip
    """List all crawls of a control server."""
    crawls = ApiClient.found(server, token_file, certificate).call("GET", "crawls")
    if as_json:
        print(json.dumps(crawls, indent=1))
        return 0
    table = Table(box=None, header_style="dim")
    for name in ("crawl", "state", "pages/s", "pages", "documents", "hosts", "waiting", "attention"):
        table.add_column(name, justify="left" if name in ("crawl", "state", "attention") else "right")
    for one in crawls:
        figures = [human_count(one[name]) for name in ("pages", "documents", "hosts", "queued")]
        notes = "; ".join(printable(note["said"]) for note in one["attention"])
        cells = [one["name"], one["state"], f"{one['pace']:.1f}" if one["is_alive"] else "-", *figures, notes]
        table.add_row(*map(Text, cells))
    Printer().print(table if crawls else "no crawl is looked after there")
    return 0


def show_command(
    crawl: Crawl, *, server: Server = DEFAULT_URL, token_file: TokenFile = None,
    certificate: Certificate = None, as_json: AsJson = False,
) -> int:  # fmt: skip
    """Show the state of a crawl on a control server."""
    facts = ApiClient.found(server, token_file, certificate).call("GET", "crawls", crawl)
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


def start_command(
    crawl: Crawl,
    *,
    server: Server = DEFAULT_URL,
    token_file: TokenFile = None,
    certificate: Certificate = None,
) -> int:
    """Start or continue a crawl on a control server."""
    return _tell(ApiClient.found(server, token_file, certificate), crawl, "start")


def stop_command(
    crawl: Crawl,
    *,
    server: Server = DEFAULT_URL,
    token_file: TokenFile = None,
    certificate: Certificate = None,
) -> int:
    """Stop a crawl on a control server cleanly."""
    return _tell(ApiClient.found(server, token_file, certificate), crawl, "stop")


def pause_command(
    crawl: Crawl,
    *,
    server: Server = DEFAULT_URL,
    token_file: TokenFile = None,
    certificate: Certificate = None,
) -> int:
    """Pause a crawl on a control server."""
    return _tell(ApiClient.found(server, token_file, certificate), crawl, "pause")


def resume_command(
    crawl: Crawl,
    *,
    server: Server = DEFAULT_URL,
    token_file: TokenFile = None,
    certificate: Certificate = None,
) -> int:
    """Let a crawl on a control server go on after a pause."""
    return _tell(ApiClient.found(server, token_file, certificate), crawl, "resume")


def block_command(
    crawl: Crawl, host: Host, *, server: Server = DEFAULT_URL, token_file: TokenFile = None,
    certificate: Certificate = None,
) -> int:  # fmt: skip
    """Make a crawl send no more requests to a host or address."""
    return _tell(ApiClient.found(server, token_file, certificate), crawl, "block", {"host": host})


def unblock_command(
    crawl: Crawl, host: Host, *, server: Server = DEFAULT_URL, token_file: TokenFile = None,
    certificate: Certificate = None,
) -> int:  # fmt: skip
    """Let a crawl send requests to a blocked host or address again."""
    return _tell(ApiClient.found(server, token_file, certificate), crawl, "unblock", {"host": host})


def slow_command(
    crawl: Crawl, host: Host, *,
    delay: Annotated[str, Parameter(help="Pause between two requests; 0s means as configured.")] = "60s",
    server: Server = DEFAULT_URL, token_file: TokenFile = None, certificate: Certificate = None,
) -> int:  # fmt: skip
    """Make a crawl send requests to a host or address less often."""
    try:
        seconds = parse_duration(delay)
    except ValueError as error:
        raise SettingsError(f'--delay {delay!r}: expected a duration such as "30s" or "5m"') from error
    body = {"host": host, "delay_seconds": seconds}
    return _tell(ApiClient.found(server, token_file, certificate), crawl, "slow", body)


def set_command(
    crawl: Crawl,
    *assignments: Annotated[str, Parameter(help="Settings that are live, as section.key=value.")],
    server: Server = DEFAULT_URL,
    token_file: TokenFile = None,
    certificate: Certificate = None,
) -> int:
    """Change live settings of a running crawl on a control server."""
    given = dict(word.split("=", 1) for word in assignments if "=" in word)
    if not given or len(given) < len(assignments):
        raise SettingsError("expected section.key=value, each once, as politeness.req_delay=10s")
    client = ApiClient.found(server, token_file, certificate)
    changes = client.call("PATCH", "crawls", crawl, "settings", body={"settings": given})["changes"]
    for name, (before, after) in changes.items():
        print(f"{name} {before} -> {after}")
    if not changes:
        print("nothing has changed: so it was before")
    return 0


def call_command(
    method: Annotated[str, Parameter(help="GET, POST, PUT, PATCH or DELETE.")],
    path: Annotated[
        str,
        Parameter(help="Path below /api/v1, such as crawls/czech/hosts or 'crawls/czech/search?query=voda'."),
    ],
    body: Annotated[str, Parameter(help="Body as JSON.")] = "",
    *,
    server: Server = DEFAULT_URL,
    token_file: TokenFile = None,
    certificate: Certificate = None,
) -> int:
    """Call any operation of the API, and print the answer."""
    if method.upper() not in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        raise SettingsError(f"{method}: GET, POST, PUT, PATCH or DELETE")
    try:
        content = json.loads(body) if body else None
    except ValueError as error:
        raise SettingsError(f"the body is not JSON: {error}") from error
    client = ApiClient.found(server, token_file, certificate)
    where, _, asked = path.partition("?")
    query = parse_qsl(asked, keep_blank_values=True)
    reply = client.call(method.upper(), *where.strip("/").split("/"), body=content, query=query)
    print(json.dumps(reply, indent=1))
    return 0


def _tell(client: ApiClient, crawl: str, word: str, body: Any = None) -> int:
    print(printable(client.call("POST", "crawls", crawl, word, body=body)["said"], " "))
    return 0
