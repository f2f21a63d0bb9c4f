"""Pages for robots: their state, configurations and commands."""

from collections.abc import Mapping
from typing import Any, Final

from tiptoe.control.notices import Undo
from tiptoe.control.page_route import Elsewhere, PageReply, PageRoute, PageVisit, ShownPage
from tiptoe.control.pages.crawl_pages import typed_delay
from tiptoe.control.robot_actions import ALL, RobotActions, robot_command_line
from tiptoe.control.robot_commands import QueuedCommand
from tiptoe.control.setting_fields import form_sections, load_settings, parse_toml, shown_toml, typed_settings
from tiptoe.control.setting_guard import setting_refusal
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.observe.amounts import counted
from tiptoe.protocol.robot_messages import FILTER_FILES, RobotConfiguration
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS

__all__ = ["ROUTES"]

COMMANDS_SHOWN: Final = 50
COMMANDS_SEARCHED: Final = 1000
OPPOSITE: Final = {
    "pause": "resume", "resume": "pause", "block": "unblock", "unblock": "block", "start": "stop",
    "stop": "start",
}  # fmt: skip


def show_robots(visit: PageVisit) -> PageReply:
    """Show all robots."""
    robots = visit.parts.robots.presence.see_all(visit.now)
    live = [seen for seen in robots if seen.word not in ("new", "silent", "revoked")]
    values = {
        "here": "robots",
        "robots": robots,
        "live": len(live),
        "pace": sum(seen.report.figures.pace for seen in live),
        "pages": sum(seen.report.figures.pages for seen in robots),
        "received": sum(visit.parts.robots.spool.amounts(seen.name).pages for seen in robots),
        "attention": [(seen, one) for seen in robots for one in seen.attention],
        "commands": visit.parts.robots.commands.list_of(count=10),
        "rounds": visit.parts.robots.rounds.facts(),
    }
    return ShownPage("robot_rows.html" if visit.is_partial else "robots.html", values)


def add(visit: PageVisit) -> PageReply:
    """Add a robot; its secret is shown once."""
    name = visit.field("name").strip()
    secret = _actions(visit).add(name, visit.field("note").strip())
    return _secret_page(visit, name, secret, f"Robot {name}")


def renew(visit: PageVisit) -> PageReply:
    """Make a new secret for a robot."""
    name = visit.path["robot"]
    return _secret_page(visit, name, _actions(visit).renew(name), f"A new secret for {name}")


def revoke(visit: PageVisit) -> PageReply:
    """Revoke the access of a robot."""
    name = visit.path["robot"]
    is_revoked = _actions(visit).revoke(name)
    text = (
        f"{name} is let in no longer; what it crawls goes on where it is"
        if is_revoked
        else f"{name} had no secret"
    )
    return Elsewhere(url=f"/robots/{name}", message=text)


def remove(visit: PageVisit) -> PageReply:
    """Remove a robot."""
    name = visit.path["robot"]
    _actions(visit).remove(name)
    return Elsewhere(url="/robots", message=f"{name} was removed; what it has sent stays on disk")


def set_rounds(visit: PageVisit) -> PageReply:
    """Set how often robots exchange lists of what they have downloaded."""
    every = typed_delay(visit.field("every"))
    before = _actions(visit).set_rounds(every)
    text = f"robots exchange their lists every {every:g} s" if every else "robots exchange no lists"
    return Elsewhere(url="/robots", message=text, undo=Undo("/robots/rounds", {"every": f"{before:g}s"}))


def show_robot(visit: PageVisit) -> PageReply:
    """Show the state of one robot."""
    values = _robot_values(visit, "live")
    name = visit.path["robot"]
    robots = visit.parts.robots
    before = visit.query.get("before", "0")
    number = int(before) if before.isascii() and before.isdigit() and len(before) < 18 else 0
    commands = robots.commands.list_of(name, before=number, count=COMMANDS_SHOWN + 1)
    values |= {
        "received": robots.spool.amounts(name),
        "commands": commands[:COMMANDS_SHOWN],
        "more": len(commands) > COMMANDS_SHOWN,
        "before": number,
        "trail": visit.parts.trail.read(target=f"robot/{name}", count=20),
    }
    return ShownPage("robot_body.html" if visit.is_partial else "robot.html", values)


def command(visit: PageVisit) -> PageReply:
    """Send a command to a robot, or to all."""
    name, verb = visit.path["robot"], visit.field("verb")
    delay = typed_delay(visit.field("delay")) if verb == "slow" else 0.0
    queued = _actions(visit).command(
        name, verb, host=visit.field("host"), delay=delay, settings=_typed_set(visit) if verb == "set" else {}
    )
    url = "/robots" if name == ALL else f"/robots/{name}"
    return Elsewhere(url=url, message=_said(name, queued), undo=_undo(visit, name, queued))


def withdraw(visit: PageVisit) -> PageReply:
    """Withdraw a waiting command."""
    number = visit.field("number")
    known = int(number) if number.isascii() and number.isdigit() and len(number) < 18 else 0
    is_withdrawn = _actions(visit).withdraw(known)
    text = f"command {known} was withdrawn" if is_withdrawn else "too late: its robot has got it"
    return Elsewhere(url=f"/robots/{visit.path['robot']}", message=text, is_fault=not is_withdrawn)


def show_configuration(visit: PageVisit) -> PageReply:
    """Show the current and earlier configurations of a robot."""
    return ShownPage("robot_configuration.html", _configuration_values(visit))


def configure(visit: PageVisit) -> PageReply:
    """Give a robot another configuration."""
    name = visit.path["robot"]
    typed = {key: visit.field(key) for key in SETTINGS if key in visit.form}
    before = visit.parts.robots.configurations.current(name).settings
    # A field that is missing, because the page was only half loaded, was not emptied by the user.
    stay = {key: value for key, value in before.items() if key not in typed}
    from_file, problems = parse_toml(visit.field("toml"))
    filters = {file: visit.field(f"filters/{file}") for file in FILTER_FILES}
    try:
        if problems:
            raise WebProblem(422, "the file of settings cannot be read", errors={"toml": "; ".join(problems)})
        made = _actions(visit).configure(
            name,
            settings={**stay, **from_file, **typed_settings(typed, SETTINGS)},
            seeds=visit.field("seeds"),
            filters={file: content for file, content in filters.items() if content.strip()},
        )
    except WebProblem as problem:
        values = _configuration_values(visit, typed, problem.errors) | {
            "fault": problem.detail, "seeds": visit.field("seeds"), "toml": visit.field("toml"),
            "filters": filters,
        }  # fmt: skip
        return ShownPage("robot_configuration.html", values, status=problem.status)
    undo = Undo(f"/robots/{name}/go-back", {"version": str(made.version - 1)}) if made.version > 1 else None
    text = f"configuration {made.version} goes out to {name}; it holds from the next start of its crawl on"
    return Elsewhere(url=f"/robots/{name}/configuration", message=text, undo=undo)


def go_back(visit: PageVisit) -> PageReply:
    """Restore an earlier configuration of a robot."""
    name, typed = visit.path["robot"], visit.field("version")
    version = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 10 else 0
    made = _actions(visit).go_back(name, version)
    undo = Undo(f"/robots/{name}/go-back", {"version": str(made.version - 1)})
    text = f"{name} gets the configuration of version {version} again, as version {made.version}"
    return Elsewhere(url=f"/robots/{name}/configuration", message=text, undo=undo)


# -- shared by these pages ---------------------------------------------------------


def _robot_values(visit: PageVisit, tab: str) -> dict[str, Any]:
    seen = _actions(visit).see(visit.path["robot"])
    line = robot_command_line(_own_url(visit), seen.name, visit.parts.place.pin)
    return {"here": "robots", "tab": tab, "seen": seen, "robot": seen.robot, "command_line": line}


def _configuration_values(
    visit: PageVisit, typed: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None
) -> dict[str, Any]:
    values = _robot_values(visit, "configuration")
    robots, name = visit.parts.robots, visit.path["robot"]
    history = robots.configurations.history(name)
    wanted = visit.query.get("version", "")
    chosen = next((one for one in history if str(one.configuration.version) == wanted), None)
    shown = (chosen or history[0]).configuration if history else RobotConfiguration()
    settings = load_settings(shown.settings)[0] or Settings()
    sections = form_sections(
        settings, lambda key: setting_refusal(key, visit.who), typed=typed, errors=errors, common=True
    )
    return values | {
        "sections": sections, "errors": errors or {}, "fault": "", "seeds": shown.seeds, "toml": "",
        "filters": {file: shown.filters.get(file, "") for file in FILTER_FILES}, "shown": shown,
        "history": history, "as_toml": shown_toml(settings),
        "is_old": chosen is not None and chosen != history[0],
    }  # fmt: skip


def _secret_page(visit: PageVisit, name: str, secret: str, title: str) -> PageReply:
    line = robot_command_line(_own_url(visit), name, visit.parts.place.pin)
    values = {
        "here": "robots",
        "title": title,
        "name": name,
        "secret": secret,
        "script": f"(umask 077; echo {secret} > {name}.secret)\n{line}",
    }
    return ShownPage("robot_secret.html", values)


def _own_url(visit: PageVisit) -> str:
    """Return the URL of this server as seen by the visitor."""
    scheme = "https" if visit.parts.place.is_secure else "http"
    host = visit.headers.get("host", "")
    return f"{scheme}://{host}" if host else visit.parts.place.url


def _typed_set(visit: PageVisit) -> dict[str, str]:
    name, equals, value = visit.field("setting").partition("=")
    if not equals:
        raise WebProblem(
            422, "expected a setting as politeness.req_delay=10s", errors={"setting": "name=value"}
        )
    return {name.strip(): value.strip()}


def _said(name: str, queued: list[QueuedCommand]) -> str:
    verb, target = queued[0].command.verb, queued[0].command.target
    what = f"{verb} {target}".strip()
    if name == ALL:
        return f"{what}: told to {counted(len(queued), 'robot', 'robots')}"
    return f"{what}: told to {name}, as command {queued[0].command.number}"


def _undo(visit: PageVisit, name: str, queued: list[QueuedCommand]) -> Undo | None:
    """Return what undoes a command, if the previous state is known; it never makes a host faster."""
    command, url = queued[0].command, f"/robots/{name}/command"
    if not command.target:
        return Undo(url, {"verb": OPPOSITE[command.verb]}) if command.verb in OPPOSITE else None
    if name == ALL:
        return None  # each robot may have had its own delay for this host
    verbs = ("slow",) if command.verb == "slow" else ("block", "unblock")
    earlier = visit.parts.robots.commands.list_of(name, before=command.number, count=COMMANDS_SEARCHED)
    lines = (one.command for one in earlier if one.state != "withdrawn")
    last = next((one for one in lines if one.verb in verbs and one.target == command.target), None)
    fields = {"host": command.target}
    if command.verb == "slow":
        delay = last.delay if last is not None else 0.0
        return (
            Undo(url, {"verb": "slow", **fields, "delay": f"{delay:g}s"}) if delay != command.delay else None
        )
    if last is not None and last.verb == command.verb:
        return None  # so it was before
    return Undo(url, {"verb": OPPOSITE[command.verb], **fields})


def _actions(visit: PageVisit) -> RobotActions:
    return RobotActions(visit.parts, visit.who, visit.now)


OPERATOR: Final = UserRole.OPERATOR
ADMINISTRATOR: Final = UserRole.ADMINISTRATOR
ROUTES: Final = (
    PageRoute("/robots", show_robots),
    PageRoute("/robots", add, role=ADMINISTRATOR, method="POST"),
    PageRoute("/robots/rounds", set_rounds, role=OPERATOR, method="POST"),
    PageRoute("/robots/{robot}", show_robot),
    PageRoute("/robots/{robot}/command", command, role=OPERATOR, method="POST"),
    PageRoute("/robots/{robot}/withdraw", withdraw, role=OPERATOR, method="POST"),
    PageRoute("/robots/{robot}/configuration", show_configuration),
    PageRoute("/robots/{robot}/configuration", configure, role=OPERATOR, method="POST"),
    PageRoute("/robots/{robot}/go-back", go_back, role=OPERATOR, method="POST"),
    PageRoute("/robots/{robot}/secret", renew, role=ADMINISTRATOR, method="POST"),
    PageRoute("/robots/{robot}/revoke", revoke, role=ADMINISTRATOR, method="POST"),
    PageRoute("/robots/{robot}/remove", remove, role=ADMINISTRATOR, method="POST"),
)
