"""The API's operations on robots."""

from typing import Final

import msgspec

from tiptoe.control.api_operation import ApiCall, ApiOperation
from tiptoe.control.description_spool import SpoolAmounts
from tiptoe.control.robot_actions import RobotActions, robot_command_line
from tiptoe.control.robot_commands import QueuedCommand
from tiptoe.control.robot_configurations import ConfigurationVersion
from tiptoe.control.robot_presence import SeenRobot
from tiptoe.control.round_exchange import RoundFacts
from tiptoe.control.setting_guard import setting_refusal
from tiptoe.control.user_role import UserRole
from tiptoe.protocol.robot_messages import CrawlFigures, RobotConfiguration, Whole
from tiptoe.url.passwords import without_passwords

__all__ = ["OPERATIONS"]

COMMANDS_MAX: Final = 500


class RobotFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The current state of a robot."""

    name: str
    state: str
    note: str
    heard_at: float  # seconds since 1970; 0 = never
    address: str
    version: str
    machine: str
    directory: str
    figures: CrawlFigures
    configuration: int  # the last version that is here
    configuration_held: int  # by the robot
    runs_with: int
    waiting_bytes: int  # of descriptions not sent yet
    received: SpoolAmounts
    attention: list[str]


class CommandBody(msgspec.Struct):
    """A command: start, stop, pause, resume; block, unblock, slow (host, delay); set (settings)."""

    verb: str
    host: str = ""
    delay_seconds: float = 0.0
    settings: dict[str, str] = {}


class RobotBody(msgspec.Struct):
    """A new robot."""

    name: str
    note: str = ""


class RobotSecret(msgspec.Struct, frozen=True):
    """The secret of a robot, which is shown only now, and the command to run on its machine."""

    name: str
    secret: str
    command: str


class ConfigurationBody(msgspec.Struct):
    """A new configuration for a robot."""

    settings: dict[str, str | list[str]]
    seeds: str
    filters: dict[str, str] = {}


class VersionBody(msgspec.Struct):
    """An earlier version."""

    version: Whole


class CommandsQuery(msgspec.Struct):
    """Which commands to return."""

    before: Whole = 0  # number; 0 = the newest
    count: Whole = 50


class RoundsBody(msgspec.Struct):
    """How often robots exchange lists of what they have downloaded; 0 = never."""

    every_seconds: float


class RobotReply(msgspec.Struct, frozen=True):
    """What was done."""

    message: str


def list_robots(call: ApiCall) -> list[RobotFacts]:
    return [_facts(call, seen) for seen in call.parts.robots.presence.see_all(call.now)]


def show_robot(call: ApiCall) -> RobotFacts:
    return _facts(call, _actions(call).see(call.path["robot"]))


def add_robot(call: ApiCall) -> RobotSecret:
    return _secret(call, call.body.name, _actions(call).add(call.body.name, call.body.note))


def renew_secret(call: ApiCall) -> RobotSecret:
    return _secret(call, call.path["robot"], _actions(call).renew(call.path["robot"]))


def revoke(call: ApiCall) -> RobotReply:
    is_revoked = _actions(call).revoke(call.path["robot"])
    return RobotReply("its secret was revoked" if is_revoked else "it had no secret")


def remove(call: ApiCall) -> RobotReply:
    _actions(call).remove(call.path["robot"])
    return RobotReply("the robot was removed; what it has sent stays on disk")


def list_configurations(call: ApiCall) -> list[ConfigurationVersion]:
    robot = call.parts.robots.roster.get(call.path["robot"])
    return [
        msgspec.structs.replace(one, configuration=_shown(call, one.configuration))
        for one in call.parts.robots.configurations.history(robot.name)
    ]


def configure(call: ApiCall) -> RobotConfiguration:
    body: ConfigurationBody = call.body
    shown = _shown(call, call.parts.robots.configurations.current(call.path["robot"])).settings
    # A value that comes back as it was shown is unchanged, and keeps its password.
    given = {
        name: value
        for name, value in body.settings.items()
        if value != shown.get(name) or not setting_refusal(name, call.visitor)
    }
    made = _actions(call).configure(
        call.path["robot"], settings=given, seeds=body.seeds, filters=body.filters
    )
    return _shown(call, made)


def go_back(call: ApiCall) -> RobotConfiguration:
    return _shown(call, _actions(call).go_back(call.path["robot"], call.body.version))


def list_commands(call: ApiCall) -> list[QueuedCommand]:
    robot = call.parts.robots.roster.get(call.path["robot"])
    count = min(max(call.query.count, 1), COMMANDS_MAX)
    return call.parts.robots.commands.list_of(robot.name, before=call.query.before, count=count)


def command(call: ApiCall) -> list[QueuedCommand]:
    body: CommandBody = call.body
    return _actions(call).command(
        call.path["robot"], body.verb, host=body.host, delay=body.delay_seconds, settings=body.settings
    )


def withdraw(call: ApiCall) -> RobotReply:
    number = call.path["number"]
    known = int(number) if number.isascii() and number.isdigit() and len(number) < 18 else 0
    is_withdrawn = _actions(call).withdraw(known)
    return RobotReply("the command was withdrawn" if is_withdrawn else "too late: its robot has got it")


def show_rounds(call: ApiCall) -> RoundFacts:
    return call.parts.robots.rounds.facts()


def set_rounds(call: ApiCall) -> RoundFacts:
    _actions(call).set_rounds(call.body.every_seconds)
    return call.parts.robots.rounds.facts()


def _actions(call: ApiCall) -> RobotActions:
    return RobotActions(call.parts, call.visitor, call.now)


def _shown(call: ApiCall, configuration: RobotConfiguration) -> RobotConfiguration:
    """Return a configuration without the passwords in settings that the visitor may not change."""
    settings = {
        name: _without_passwords(value) if setting_refusal(name, call.visitor) else value
        for name, value in configuration.settings.items()
    }
    return msgspec.structs.replace(configuration, settings=settings)


def _without_passwords(value: str | list[str]) -> str | list[str]:
    return without_passwords(value) if isinstance(value, str) else [without_passwords(one) for one in value]


def _secret(call: ApiCall, name: str, secret: str) -> RobotSecret:
    place = call.parts.place
    return RobotSecret(name, secret, robot_command_line(place.url, name, place.pin))


def _facts(call: ApiCall, seen: SeenRobot) -> RobotFacts:
    robot, report = seen.robot, seen.report
    return RobotFacts(
        name=robot.name, state=seen.word, note=robot.note, heard_at=seen.heard_at, address=robot.address,
        version=robot.version, machine=robot.machine, directory=robot.directory, figures=report.figures,
        configuration=seen.configuration, configuration_held=report.configuration,
        runs_with=report.runs_with, waiting_bytes=report.waiting_bytes,
        received=call.parts.robots.spool.amounts(robot.name), attention=seen.attention,
    )  # fmt: skip


OPERATOR: Final = UserRole.OPERATOR
ADMINISTRATOR: Final = UserRole.ADMINISTRATOR
TAG: Final = "robots"

# fmt: off
OPERATIONS: Final = (
    ApiOperation("GET", "/robots", list_robots, reply=list[RobotFacts], tag=TAG, summary="List all robots"),
    ApiOperation("POST", "/robots", add_robot, role=ADMINISTRATOR, body=RobotBody, reply=RobotSecret, tag=TAG,
                 summary="Make a robot; its secret is told once", status=201),
    ApiOperation("GET", "/robots/{robot}", show_robot, reply=RobotFacts, tag=TAG,
                 summary="Show how a robot stands"),
    ApiOperation("DELETE", "/robots/{robot}", remove, role=ADMINISTRATOR, reply=RobotReply, tag=TAG,
                 summary="Remove a robot; what it has sent stays"),
    ApiOperation("POST", "/robots/{robot}/secret", renew_secret, role=ADMINISTRATOR, reply=RobotSecret,
                 tag=TAG, summary="Make a new secret; the one before is good no longer"),
    ApiOperation("POST", "/robots/{robot}/revoke", revoke, role=ADMINISTRATOR, reply=RobotReply, tag=TAG,
                 summary="Let nobody in under this id"),
    ApiOperation("GET", "/robots/{robot}/configurations", list_configurations,
                 reply=list[ConfigurationVersion], tag=TAG,
                 summary="List its configurations, the newest first"),
    ApiOperation("POST", "/robots/{robot}/configurations", configure, role=OPERATOR, body=ConfigurationBody,
                 reply=RobotConfiguration, tag=TAG, summary="Give it another configuration", status=201),
    ApiOperation("POST", "/robots/{robot}/go-back", go_back, role=OPERATOR, body=VersionBody,
                 reply=RobotConfiguration, tag=TAG, status=201,
                 summary="Give it an earlier configuration again"),
    ApiOperation("GET", "/robots/{robot}/commands", list_commands, query=CommandsQuery,
                 reply=list[QueuedCommand], tag=TAG, summary="List its commands and their fates"),
    ApiOperation("POST", "/robots/{robot}/commands", command, role=OPERATOR, body=CommandBody,
                 reply=list[QueuedCommand], tag=TAG, status=201,
                 summary="Give a command to a robot, or to `all`"),
    ApiOperation("POST", "/robot-commands/{number}/withdraw", withdraw, role=OPERATOR, reply=RobotReply,
                 tag=TAG, summary="Take back a command that its robot has not got yet"),
    ApiOperation("GET", "/robot-rounds", show_rounds, reply=RoundFacts, tag=TAG,
                 summary="Show how robots tell each other what they have downloaded"),
    ApiOperation("PUT", "/robot-rounds", set_rounds, role=OPERATOR, body=RoundsBody, reply=RoundFacts,
                 tag=TAG, summary="Have them do so every so often, or never"),
)
# fmt: on
