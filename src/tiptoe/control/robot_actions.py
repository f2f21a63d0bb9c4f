"""What can be done with robots? Used by pages and API alike.

Each action leaves a line in the trail. A command is sent at once to a robot that is connected, and waits for
one that is not.
"""

from collections.abc import Mapping
from typing import Final

from tiptoe.control.control_parts import ControlParts
from tiptoe.control.crawl_actions import DELAY_SECONDS_MAX, host_typed
from tiptoe.control.filter_files import check_files
from tiptoe.control.robot_commands import UNSETTLED_MAX, QueuedCommand
from tiptoe.control.robot_presence import SeenRobot
from tiptoe.control.setting_fields import load_settings
from tiptoe.control.setting_guard import refuse_settings, setting_refusal
from tiptoe.control.visitor import Visitor
from tiptoe.control.web_problem import WebProblem
from tiptoe.protocol.robot_messages import FILTER_FILES, VERBS, OrderedCommand, RobotConfiguration
from tiptoe.settings.schema import SETTINGS
from tiptoe.url.passwords import without_passwords

__all__ = ["ALL", "RobotActions", "robot_command_line"]

ALL: Final = "all"
"""Stands for every robot with access; no robot may have this name."""

SEEDS_CHARS_MAX: Final = 4 << 20
FILTERS_CHARS_MAX: Final = 1 << 20
NOTE_CHARS_MAX: Final = 2000
ABOUT_HOSTS: Final = ("block", "unblock", "slow")


class RobotActions:
    """The actions of one visitor on robots."""

    def __init__(self, parts: ControlParts, visitor: Visitor, now: float) -> None:
        self._parts = parts
        self._robots = parts.robots
        self._visitor = visitor
        self._now = now

    def see(self, name: str) -> SeenRobot:
        """Return the state of a robot; raise WebProblem when there is none of this name."""
        return self._robots.presence.see(self._robots.roster.get(name), self._now)

    def add(self, name: str, note: str = "") -> str:
        """Add a robot; return its secret."""
        if self._parts.place.directory is None:
            raise WebProblem(409, "this server keeps nothing; start it with --dir to have robots")
        if name == ALL:
            raise WebProblem(422, "name: all stands for every robot", errors={"name": "means every robot"})
        secret = self._robots.roster.add(name, self._now, note=note[:NOTE_CHARS_MAX])
        self._note("robot.add", name)
        return secret

    def renew(self, name: str) -> str:
        """Return a new secret of a robot; the old one becomes invalid."""
        self._robots.roster.get(name)
        secret = self._robots.roster.renew(name)
        self._robots.bell.ring(name)
        self._note("robot.secret", name)
        return secret

    def revoke(self, name: str) -> bool:
        """Revoke a robot's access; return False when it had none."""
        self._robots.roster.get(name)
        is_revoked = self._robots.roster.revoke(name)
        self._robots.bell.ring(name)
        if is_revoked:
            self._note("robot.revoke", name)
        return is_revoked

    def remove(self, name: str) -> None:
        """Remove a robot; what it has sent stays on disk.

        Its access is revoked first, and its name becomes free last: so a crash in between leaves nothing that
        a later robot of this name would take for its own."""
        self._robots.roster.get(name)
        self._robots.roster.revoke(name)
        self._robots.bell.ring(name)
        self._robots.configurations.remove_all_of(name)
        self._robots.commands.remove_all_of(name)
        self._robots.spool.forget(name)
        self._robots.presence.forget(name)
        self._robots.roster.remove(name)
        self._note("robot.remove", name)

    def configure(
        self, name: str, *, settings: Mapping[str, object], seeds: str, filters: Mapping[str, str]
    ) -> RobotConfiguration:
        """Give a robot a new configuration; raise WebProblem with all errors, by field.

        Settings that the visitor may not change stay as they were."""
        self._robots.roster.get(name)
        before = self._robots.configurations.current(name).settings
        kept = {key: value for key, value in before.items() if setting_refusal(key, self._visitor)}
        wanted = {**kept, **{key: _plain(value) for key, value in settings.items()}}
        refuse_settings([key for key in wanted if wanted[key] != kept.get(key)], self._visitor)
        loaded, errors = load_settings(wanted)
        if loaded is not None and not loaded.crawl.contact:
            errors["crawl.contact"] = (
                "needed: an address that webmasters can turn to, sent with every request"
            )
        if not seeds.strip():
            errors["seeds"] = "at least one address to begin with"
        elif len(seeds) > SEEDS_CHARS_MAX:
            errors["seeds"] = f"more than {SEEDS_CHARS_MAX} characters"
        for file, content in filters.items():
            if file not in FILTER_FILES:
                errors["filters"] = f"{file[:100]}: not one of {', '.join(FILTER_FILES)}"
            elif len(content) > FILTERS_CHARS_MAX:
                errors["filters"] = f"{file}: more than {FILTERS_CHARS_MAX} characters"
        if "filters" not in errors and (wrong := check_files(filters, self._visitor).errors):
            errors["filters"] = "; ".join(f"{one.file}:{one.line}: {one.what}" for one in wrong[:5])
        if errors:
            raise WebProblem(422, "the configuration was not accepted: some fields are wrong", errors=errors)
        return self._keep(name, RobotConfiguration(settings=wanted, seeds=seeds, filters=dict(filters)))

    def go_back(self, name: str, version: int) -> RobotConfiguration:
        """Give a robot an earlier configuration again, as a new version."""
        self._robots.roster.get(name)
        found = self._robots.configurations.find(name, version)
        if found is None:
            raise WebProblem(404, f"robot {name} has no configuration {version}")
        before, after = self._robots.configurations.current(name).settings, found.configuration.settings
        changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        refuse_settings(changed, self._visitor)
        return self._keep(name, found.configuration)

    def command(
        self,
        name: str,
        verb: str,
        *,
        host: str = "",
        delay: float = 0.0,
        settings: Mapping[str, str] | None = None,
    ) -> list[QueuedCommand]:
        """Queue a command for a robot, or for all; return it once per robot."""
        robots = self._told(name)
        command = self._checked(verb, host, delay, settings or {})
        numbers = self._robots.commands.add(robots, command, self._visitor.user, self._now)
        for robot in robots:
            self._robots.bell.ring(robot)
        detail = " ".join(filter(None, [command.target, f"{delay:g} s" if verb == "slow" else "", *(
            without_passwords(f"{key}={value}") for key, value in command.settings.items())]))  # fmt: skip
        self._note(f"robot.{verb}", name, detail)
        found = [self._robots.commands.find(number) for number in numbers]
        return [one for one in found if one is not None]

    def withdraw(self, number: int) -> bool:
        """Withdraw a command that its robot has not received yet."""
        queued = self._robots.commands.find(number)
        if queued is None:
            raise WebProblem(404, f"there is no command {number}")
        is_withdrawn = self._robots.commands.withdraw(number, self._now)
        if is_withdrawn:
            self._note("robot.withdraw", queued.robot, f"{number} {queued.command.verb}")
        return is_withdrawn

    def set_rounds(self, every: float) -> float:
        """Set how often robots exchange lists; return the previous interval in seconds."""
        before = self._robots.rounds.every_seconds
        self._robots.rounds.set_every(every)
        self._note("robot.rounds", ALL, f"{before:g} s -> {every:g} s")
        return before

    def _told(self, name: str) -> list[str]:
        """Return the robots that a command is for."""
        if name == ALL:
            robots = [robot.name for robot in self._robots.roster.list_all() if not robot.is_revoked]
            if not robots:
                raise WebProblem(409, "there is no robot yet")
        else:
            if self._robots.roster.get(name).is_revoked:
                raise WebProblem(409, f"{name} is not let in; make a new secret for it first")
            robots = [name]
        for robot in robots:
            if self._robots.commands.open_count(robot) >= UNSETTLED_MAX:
                raise WebProblem(409, f"{UNSETTLED_MAX} commands wait for {robot} already")
        return robots

    def _checked(self, verb: str, host: str, delay: float, settings: Mapping[str, str]) -> OrderedCommand:
        known = next((one for one in VERBS if one == verb), None)
        if known is None:
            raise WebProblem(422, f"{verb[:40]!r}: one of {', '.join(VERBS)}", errors={"verb": "unknown"})
        if known == "slow" and not 0 <= delay <= DELAY_SECONDS_MAX:
            raise WebProblem(422, "delay: from 0s to 30d", errors={"delay": "from 0s to 30d"})
        if known == "set":
            self._check_live(settings)
        return OrderedCommand(
            number=0,
            verb=known,
            target=host_typed(host) if known in ABOUT_HOSTS else "",
            delay=delay if known == "slow" else 0.0,
            settings=dict(settings) if known == "set" else {},
        )

    def _check_live(self, settings: Mapping[str, str]) -> None:
        if not settings:
            raise WebProblem(422, "name at least one setting, as politeness.req_delay=10s")
        refuse_settings(settings, self._visitor)
        errors = {
            name: "cannot be changed while a crawl runs" for name in settings if not SETTINGS[name].live
        }
        if not errors:
            errors = load_settings(settings)[1]
        if errors:
            text = "; ".join(f"{name}: {fault}" for name, fault in errors.items())
            raise WebProblem(422, text, errors=errors)

    def _keep(self, name: str, wanted: RobotConfiguration) -> RobotConfiguration:
        made = self._robots.configurations.add(name, wanted, self._visitor.user, self._now)
        self._robots.bell.ring(name)
        self._note("robot.configure", name, f"version {made.version}")
        return made

    def _note(self, action: str, name: str, detail: str = "") -> None:
        visitor = self._visitor
        self._parts.trail.note(
            visitor.user, action, f"robot/{name}", detail, now=self._now, address=visitor.address
        )


def robot_command_line(url: str, name: str, pin: str) -> str:
    """Return the command that starts a robot on its machine."""
    pin = f" --pin {pin}" if pin else ""
    return f"tiptoe robot --control {url} --id {name} --secret-file {name}.secret{pin}"


def _plain(value: object) -> str | list[str]:
    """Return a value in the form in which it is written in files."""
    if isinstance(value, list | tuple):
        return [str(one) for one in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
