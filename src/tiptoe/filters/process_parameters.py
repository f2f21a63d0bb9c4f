"""What does each parameter of process.conf mean here?

It is *honoured*: it determines one of our settings, or the filters use it; or it is *not honoured*, for a
reason that is reported with its line: as an error if it would be impolite or unsafe, otherwise as a warning.

Rule: politeness takes precedence. A parameter may make a crawl slower, never less polite.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from tiptoe.filters.conf_lines import read_bool, read_depth
from tiptoe.filters.definition import ProcessParameter, RobotDefinition
from tiptoe.filters.filter_problem import FilterFindings

__all__ = ["ALIASES", "PARAMETERS", "ParameterRule", "WantedSetting", "check_parameters"]

DEPTH_DEFAULT: Final = 10
"""How many links deep that robot follows from a starting point unless its file says otherwise."""

NUMBER: Final = re.compile(r"\d{1,9}")
PAC: Final = re.compile(r"\.(?:pac|js|dat)(?:[?#]|$)", re.IGNORECASE)
TOKEN: Final = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
NO_SECRETS: Final = (
    "a secret does not belong into files that go to every harvester, and nobody logs in anywhere"
)


@dataclass(frozen=True, slots=True)
class WantedSetting:
    """A value for one of our settings, wanted by a parameter."""

    name: str
    value: str
    place: str
    is_floor: bool = False  # applies only if it is more than the value otherwise in force


Verdict = tuple[dict[str, str], str, bool]
"""The settings that a parameter wants; which part is not honoured, in words; whether that is an error."""

HONOURED: Final[Verdict] = ({}, "", False)


@dataclass(frozen=True, slots=True)
class ParameterRule:
    """One parameter, and how it is treated."""

    becomes: str  # for the reference: what it sets, or why it is not honoured
    judge: Callable[[str], Verdict]


def _sets(name: str, unit: str = "", *, least: int = 1, factor: int = 1) -> Callable[[str], Verdict]:
    """Return a function that turns a number into the value of a setting."""

    def judge(value: str) -> Verdict:
        if not NUMBER.fullmatch(value) or int(value) < least:
            return {}, f"a number, at least {least}", True
        return {name: f"{int(value) * factor}{unit}"}, "", False

    return judge


def _left_out(why: str) -> Callable[[str], Verdict]:
    return lambda value: ({}, f"not honoured: {why}", False)


def _refused(why: str) -> Callable[[str], Verdict]:
    return lambda value: ({}, f"refused: {why}", True)


def _flag(*, on: Verdict = HONOURED, off: Verdict = HONOURED) -> Callable[[str], Verdict]:
    def judge(value: str) -> Verdict:
        said = read_bool(value)
        if said is None:
            return {}, "true, false, yes or no", True
        return on if said else off

    return judge


def _number(least: int) -> Callable[[str], Verdict]:
    return lambda value: (
        HONOURED if NUMBER.fullmatch(value) and int(value) >= least else ({}, f"at least {least}", True)
    )


def _anything(value: str) -> Verdict:
    return HONOURED if value else ({}, "is empty", True)


def _depth(value: str) -> Verdict:
    return HONOURED if read_depth(value) is not None else ({}, "a number of links, or -1 for no limit", True)


def _proxy(value: str) -> Verdict:
    if PAC.search(value):
        return {}, "refused: a PAC file is a program, which nobody runs here; name the proxy itself", True
    return {"fetch.proxy": value}, "", False


def _proxy_type(value: str) -> Verdict:
    if value == "none":
        return {"fetch.proxy": ""}, "", False
    return HONOURED if value in ("auto", "manual") else ({}, "none, auto or manual", True)


def _proxy_place(value: str) -> Verdict:
    if value == "server":
        return HONOURED
    return {}, "refused: a proxy that a local file computes is not known here; name it in auto-proxy", True


def _email(value: str) -> Verdict:
    if value == "user@domain":
        return {}, "refused: user@domain is nobody; webmasters must be able to turn to somebody", True
    return {"crawl.contact": value}, "", False


def _user_agent(value: str) -> Verdict:
    token = TOKEN.match(value)
    if token is None:
        return {}, "begins with a name such as HarbourRobot/1.0", True
    values = {"crawl.name": token[0]}
    if token[0] == value:
        return values, "", False
    return (
        values,
        f"only the name {token[0]} is honoured: tiptoe adds version and contact itself",
        False,
    )


def _completion(value: str) -> Verdict:
    known: dict[str, Verdict] = {
        "quit": ({"crawl.on_end": "quit"}, "", False),
        "shutdown": ({"crawl.on_end": "quit"}, "", False),
        "loop": ({"crawl.on_end": "again"}, "", False),
        "idle": ({"crawl.on_end": "idle"}, "", False),
    }  # fmt: skip
    return known.get(value, ({}, "idle, loop or quit", True))


def _delay(value: str) -> Verdict:
    if not NUMBER.fullmatch(value):
        return {}, "a number of seconds", True
    return {"politeness.req_delay": f"{int(value)}s"}, "", False


def _user(value: str) -> Verdict:
    return HONOURED if value in ("", "anonymous") else ({}, f"refused: {NO_SECRETS}", True)


_ROBOTS: Final = "refused: robots.txt is always obeyed; politeness yields to nothing"
_RDM: Final = "not honoured: no server speaks RDM any more; every server is crawled"
_HEURISTICS: Final = "not honoured: hosts that repeat another one are found by their texts, not by name"
_REMOTE: Final = (
    "not honoured: commands are taken from this machine alone, over the socket in the directory of the crawl"
)

# fmt: off
PARAMETERS: Final[Mapping[str, ParameterRule]] = {
    "csid": ParameterRule("the source `csid`; nothing is sent there", _anything),
    "auto-proxy": ParameterRule("`fetch.proxy`; a PAC file is refused, since it is a program", _proxy),
    "auto_serv": ParameterRule("must name the same as auto-proxy", _anything),
    "proxy-type": ParameterRule("`none` switches auto-proxy off; `auto`, `manual` leave it on", _proxy_type),
    "proxy-loc": ParameterRule("`server` only: a local file that computes a proxy is refused", _proxy_place),
    "bindir": ParameterRule(
        "not honoured: programs are named by their whole path",
        _left_out("programs are named by their whole path")),
    "cmd-hook": ParameterRule(
        "`crawl.on_end_command`", lambda value: ({"crawl.on_end_command": value}, "", False)),
    "command-port": ParameterRule(
        "not honoured: commands come over the socket in the directory of the crawl",
        _left_out("commands come over the socket in the directory of the crawl (`tiptoe status` …)")),
    "connect-timeout": ParameterRule("`fetch.connect_timeout`", _sets("fetch.connect_timeout", "s")),
    "convert-timeout": ParameterRule("`documents.timeout`", _sets("documents.timeout", "s")),
    "depth": ParameterRule("most links from a starting point; 10 unless given, -1 is unlimited", _depth),
    "email": ParameterRule("`crawl.contact`", _email),
    "enable-ip": ParameterRule("descriptions have the field `ip`, unless it is `no`", _flag()),
    "enable-rdm-probe": ParameterRule(
        "`no` only: no server speaks RDM any more", _flag(on=({}, _RDM, False))),
    "enable-robots-txt": ParameterRule(
        "`yes` only: robots.txt is always obeyed, `no` is refused", _flag(off=({}, _ROBOTS, True))),
    "engine-concurrent": ParameterRule(
        "not honoured: there are no worker threads; see `harvest.harvesters`",
        _left_out("there are no worker threads; harvest.harvesters says how many processes work")),
    "enumeration-filter": ParameterRule("the filter that decides what is read for links", _anything),
    "generation-filter": ParameterRule("the filter that decides what enters the corpus", _anything),
    "index-after-ngenerated": ParameterRule(
        "not honoured: descriptions are written together with their pages",
        _left_out("descriptions are written together with their pages")),
    "loglevel": ParameterRule(
        "not honoured: every request is logged, always",
        _left_out("every request is logged, always; see log/ in the directory of the crawl")),
    "max-concurrent": ParameterRule("`harvest.transfers`", _sets("harvest.transfers")),
    "max-filesize-kb": ParameterRule("`fetch.body_max`", _sets("fetch.body_max", factor=1024)),
    "max-memory-per-url": ParameterRule(
        "not honoured: memory is bounded by `fetch.body_max` and `harvest.transfers`",
        _left_out("memory is bounded by fetch.body_max and harvest.transfers")),
    "max-working": ParameterRule("`harvest.visits`", _sets("harvest.visits")),
    "onCompletion": ParameterRule(
        "`crawl.on_end`: loop, which starts over, is `again`; the others are called the same", _completion),
    "password": ParameterRule(f"refused: {NO_SECRETS}", _refused(NO_SECRETS)),
    "username": ParameterRule(f"`anonymous` only: {NO_SECRETS}", _user),
    "referer": ParameterRule(
        "not honoured: no Referer is sent; the User-Agent has the contact",
        _left_out("no Referer is sent; the User-Agent has the contact (email)")),
    "register-user": ParameterRule(f"refused: {NO_SECRETS}", _refused(NO_SECRETS)),
    "register-password": ParameterRule(f"refused: {NO_SECRETS}", _refused(NO_SECRETS)),
    "remote-access": ParameterRule(
        "`no` only: commands are taken from this machine alone", _flag(on=({}, _REMOTE, False))),
    "robot-state-dir": ParameterRule(
        "not honoured: the state lies in the directory of the crawl, `crawl.out`",
        _left_out("the state lies in the directory of the crawl, --out")),
    "server-delay": ParameterRule("`politeness.req_delay`, if that is shorter: never shortened", _delay),
    "site-max-concurrent": ParameterRule("kept: no address has more than one request at once", _number(1)),
    "smart-host-heuristics": ParameterRule(
        "`no` only: hosts that repeat another one are found by their texts",
        _flag(on=({}, _HEURISTICS, False))),
    "tmpdir": ParameterRule(
        "not honoured: TMPDIR of the environment counts", _left_out("TMPDIR of the environment counts")),
    "user-agent": ParameterRule(
        "`crawl.name` (the name before `/`); version and contact are added by tiptoe itself", _user_agent),
}
# fmt: on
"""All parameters of that robot, by name."""

ALIASES: Final[Mapping[str, str]] = {
    "cmdHook": "cmd-hook",
    "max-connections": "max-concurrent",
    "command-timeout": "connect-timeout",
}
"""Other spellings in that robot's guides; the last one is a misprint."""


def check_parameters(
    definition: RobotDefinition, findings: FilterFindings
) -> tuple[RobotDefinition, list[WantedSetting]]:
    """Check all parameters; return the definition with their names in our spelling, and what they set."""
    named: list[ProcessParameter] = []
    wanted: list[WantedSetting] = []
    for given in definition.parameters:
        name = ALIASES.get(given.name, given.name)
        if name != given.name:
            findings.warn(given.place, f"{given.name} is taken as {name}")
        rule = PARAMETERS.get(name)
        if rule is None:
            near = get_close_matches(name, PARAMETERS, n=1)
            hint = f"; is {near[0]} meant?" if near else ""
            findings.error(given.place, f"{name}: no such parameter{hint}")
            continue
        if any(other.name == name for other in named):
            findings.error(given.place, f"{name} is given twice")
        settings, fault, is_error = rule.judge(given.value)
        if fault:
            shown = "" if name.endswith("password") else f"={given.value[:60]}"
            (findings.error if is_error else findings.warn)(given.place, f"{name}{shown}: {fault}")
        named.append(ProcessParameter(name, given.value, given.place))
        is_floor = name == "server-delay"
        wanted += [WantedSetting(key, value, given.place, is_floor) for key, value in settings.items()]
    robot = RobotDefinition(
        definition.has_process, named, definition.starts, definition.modules, definition.filters,
        definition.directives, definition.rules, definition.sites, definition.types,
    )  # fmt: skip
    _check_proxy(robot, findings)
    return robot, _without_proxy(wanted)


def _check_proxy(robot: RobotDefinition, findings: FilterFindings) -> None:
    proxy, server = robot.parameter("auto-proxy"), robot.parameter("auto_serv")
    if server is not None and (proxy is None or proxy.value != server.value):
        findings.error(server.place, "auto_serv: names another proxy than auto-proxy")


def _without_proxy(wanted: Iterable[WantedSetting]) -> list[WantedSetting]:
    """Drop the proxy if it is switched off."""
    found = list(wanted)
    is_off = any(setting.name == "fetch.proxy" and not setting.value for setting in found)
    return [setting for setting in found if setting.name != "fetch.proxy" or not is_off]
