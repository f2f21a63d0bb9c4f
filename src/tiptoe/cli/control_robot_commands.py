"""`tiptoe control robots|command`: robots of a control server, over its API."""

import json
import time
from typing import Annotated, Any

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from tiptoe.cli.arguments import AsJson, seconds_meant, settings_meant
from tiptoe.cli.control_client_commands import DEFAULT_SERVER, OnServer
from tiptoe.cli.exits import Exit
from tiptoe.cli.printer import Printer
from tiptoe.control.api_client import ApiClient
from tiptoe.errors import SettingsError
from tiptoe.observe.amounts import human_count, human_seconds
from tiptoe.observe.printable import printable
from tiptoe.protocol.robot_messages import VERBS

__all__ = ["command_command", "robots_command"]

FATE_SECONDS = 20.0
LOOK_SECONDS = 0.3
SETTLED = ("done", "failed", "withdrawn")
ABOUT_HOSTS = ("block", "unblock", "slow")
COLUMNS = ("robot", "state", "pages/s", "pages", "documents", "here", "last heard", "where")


def robots_command(*, on: OnServer = DEFAULT_SERVER, as_json: AsJson = False) -> int:
    """List the robots of a control server."""
    robots = on.client().call("GET", "robots")
    if as_json:
        print(json.dumps(robots, indent=1))
        return Exit.DONE
    table = Table(*COLUMNS, box=None, header_style="dim")
    for one in robots:
        figures = one["figures"]
        heard = f"{human_seconds(max(time.time() - one['heard_at'], 0))} ago" if one["heard_at"] else "never"
        cells = [
            one["name"], one["state"], f"{figures['pace']:.1f}", human_count(figures["pages"]),
            human_count(figures["documents"]), human_count(one["received"]["pages"]), heard,
            printable(f"{one['machine']} {one['address']}".strip()),
        ]  # fmt: skip
        table.add_row(*map(Text, cells))
    Printer().print(table if robots else "no robot yet; one is made in the browser, under Robots")
    return Exit.DONE


def command_command(
    robot: Annotated[str, Parameter(help="Id of a robot, or all.")],
    verb: Annotated[str, Parameter(help=f"One of {', '.join(VERBS)}.")],
    *words: Annotated[str, Parameter(help="The host; for set: settings as section.key=value.")],
    delay: Annotated[
        str, Parameter(help="For slow: pause between two requests; 0s means as configured.")
    ] = "60s",
    on: OnServer = DEFAULT_SERVER,
) -> int:
    """Give a command to a robot, or to all, and wait a while for its result."""
    client = on.client()
    reply = client.call("POST", "robots", robot, "commands", body=_command_body(verb, words, delay))
    waiting = {one["command"]["number"]: one["robot"] for one in reply}
    until = time.monotonic() + FATE_SECONDS
    is_fine = True
    while True:
        for fate in _fates(client, waiting):
            print(f"{fate['robot']}: {printable(fate['said'] or fate['state'], ' ')}")
            is_fine = is_fine and fate["state"] == "done"
            del waiting[fate["command"]["number"]]
        if not waiting or time.monotonic() > until:
            break
        time.sleep(LOOK_SECONDS)
    for number, name in waiting.items():
        print(f"{name}: command {number} waits; the robot does it when it is back")
    return Exit.DONE if is_fine else Exit.FAULT


def _fates(client: ApiClient, waiting: dict[int, str]) -> list[dict[str, Any]]:
    """Return those of these commands that were carried out or have failed."""
    found = [one for name in set(waiting.values()) for one in client.call("GET", "robots", name, "commands")]
    return [one for one in found if one["command"]["number"] in waiting and one["state"] in SETTLED]


def _command_body(verb: str, words: tuple[str, ...], delay: str) -> dict[str, object]:
    if verb == "set":
        return {"verb": verb, "settings": settings_meant(words)}
    if len(words) != (verb in ABOUT_HOSTS):
        raise SettingsError(f"{verb}: expected {'one host' if verb in ABOUT_HOSTS else 'no further word'}")
    seconds = seconds_meant("--delay", delay) if verb == "slow" else 0.0
    return {"verb": verb, "host": "".join(words), "delay_seconds": seconds}
