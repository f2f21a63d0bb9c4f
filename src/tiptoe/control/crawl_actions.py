"""What can be done with a crawl? Used by pages and API alike.

A running crawl gets commands over the operator's socket and answers with a struct; a crawl on many machines
gets them through the command that reaches all of them. Each action leaves a line in the trail and returns
what to tell the user, and how to undo it where that is possible."""

from collections.abc import Mapping
from typing import Final

import msgspec

from tiptoe.cluster.member_file import read_member
from tiptoe.control.control_parts import ControlParts
from tiptoe.control.crawl_launch import launch
from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.filter_files import make_whole
from tiptoe.control.host_facts import read_restraint
from tiptoe.control.notices import Undo
from tiptoe.control.setting_guard import refuse_settings
from tiptoe.control.visitor import Visitor
from tiptoe.control.web_problem import WebProblem
from tiptoe.errors import SettingsError
from tiptoe.keeper.directory import CrawlDirectory, find_keeper
from tiptoe.keeper.host_commands import carry_out_stopped
from tiptoe.keeper.running_crawl import ask
from tiptoe.keeper.settings_file import recall
from tiptoe.observe.operator_log import log_order
from tiptoe.protocol import operator
from tiptoe.url.hostnames import canonical_host

__all__ = ["ActionDone", "CrawlActions", "host_typed"]

TOLD_SECONDS: Final = 60.0
DELAY_SECONDS_MAX: Final = 30 * 86400.0


class ActionDone(msgspec.Struct, frozen=True):
    """What was done."""

    message: str
    undo: Undo | None = None


class CrawlActions:
    """The actions of one visitor on one crawl."""

    def __init__(self, parts: ControlParts, visitor: Visitor, now: float, crawl: str) -> None:
        self._parts = parts
        self._visitor = visitor
        self._now = now
        self.crawl = parts.crawls.get(crawl)
        self._url = f"/crawls/{self.crawl.name}"

    def start(self) -> ActionDone:
        """Start or continue the crawl."""
        if find_keeper(self.crawl.directory) is not None:
            raise WebProblem(409, f"{self.crawl.name} is running already")
        make_whole(self.crawl.directory)
        launch(self._parts.processes, self.crawl)
        self._parts.crawls.note_started(self.crawl)
        self._note("crawl.start")
        return ActionDone(f"{self.crawl.name} is crawling", Undo(f"{self._url}/stop", label="Stop it"))

    def stop(self) -> ActionDone:
        """End the run after the requests under way."""
        said = self._tell("stop", operator.StopCrawl())
        self._note("crawl.stop")
        return ActionDone(f"{self.crawl.name}: {said}", Undo(f"{self._url}/start", label="Start it again"))

    def pause(self) -> ActionDone:
        """Make no further requests until the crawl is resumed."""
        self._tell("pause", operator.PauseCrawl())
        self._note("crawl.pause")
        return ActionDone(
            f"{self.crawl.name} is paused: no further request is made until it is resumed",
            Undo(f"{self._url}/resume", label="Resume"),
        )

    def resume(self) -> ActionDone:
        """Continue after a pause."""
        said = self._tell("resume", operator.ResumeCrawl())
        self._note("crawl.resume")
        return ActionDone(f"{self.crawl.name}: {said}", Undo(f"{self._url}/pause", label="Pause again"))

    def block(self, typed: str) -> ActionDone:
        """Make no more requests to a host or address."""
        host = host_typed(typed)
        before = read_restraint(self.crawl.directory, host)
        said = self._command_host(operator.BlockHost(host), ["block", host])
        self._note("host.block", host)
        is_new = before is not None and not before.is_blocked
        return ActionDone(said, Undo(f"{self._url}/unblock", {"host": host}) if is_new else None)

    def unblock(self, typed: str) -> ActionDone:
        """Allow requests to a blocked host or address again."""
        host = host_typed(typed)
        said = self._command_host(operator.UnblockHost(host), ["unblock", host])
        self._note("host.unblock", host)
        return ActionDone(said, Undo(f"{self._url}/block", {"host": host}))

    def slow(self, typed: str, delay: float) -> ActionDone:
        """Set the minimum delay between requests to a host or address; 0 = as configured."""
        host = host_typed(typed)
        if not 0 <= delay <= DELAY_SECONDS_MAX:
            raise WebProblem(422, "delay: from 0s to 30d", errors={"delay": "from 0s to 30d"})
        before = read_restraint(self.crawl.directory, host)
        said = self._command_host(operator.SlowHost(host, delay), ["slow", host, "--delay", f"{delay:g}s"])
        self._note("host.slow", host, f"{delay:g} s")
        if before is None or before.slowed_to == delay:
            return ActionDone(said)
        # Undo restores the earlier delay: a host that was slowed on request must not get faster.
        return ActionDone(said, Undo(f"{self._url}/slow", {"host": host, "delay": f"{before.slowed_to:g}s"}))

    def reconfigure(self, given: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """Change live settings of a running crawl; return the values before and after, by name."""
        refuse_settings(given, self._visitor)
        if read_member(self.crawl.directory) is not None:
            self._run(
                ["set", str(self.crawl.directory), *(f"{name}={value}" for name, value in given.items())]
            )
            changes = dict.fromkeys(given, ("", ""))
        else:
            reply = ask(self.crawl.directory, operator.Reconfigure(dict(given)), operator.Reconfigured)
            changes = reply.changes
        for name, (before, after) in changes.items():
            self._note("setting.live", "", f"{name}: {before} -> {after}")
        return changes

    def clone(self, name: str) -> KnownCrawl:
        """Plan a crawl with the same seeds and settings on this machine, independent of the original."""
        crawl = self.crawl
        settings = (
            {**(recall(crawl.directory) or {}), **crawl.settings} if crawl.has_begun else crawl.settings
        )
        settings = {key: value for key, value in settings.items() if not key.startswith("cluster.")}
        seeds = crawl.seeds or "\n".join(CrawlDirectory(crawl.directory).known_seeds() or [])
        made = self._parts.crawls.plan(name, self._now, settings=settings, seeds=seeds, note=crawl.note)
        self._note("crawl.clone", "", f"as {name}")
        return made

    def forget(self) -> ActionDone:
        """Remove the crawl from this server; its directory stays as it is."""
        for made_of_it in (self._parts.reports, self._parts.hosts, self._parts.tasks):
            made_of_it.forget(self.crawl)
        self._parts.crawls.forget(self.crawl.name)
        self._note("crawl.forget", "", str(self.crawl.directory))
        return ActionDone(
            f"{self.crawl.name} is looked after here no longer; {self.crawl.directory} stays as it is"
        )

    def set_note(self, note: str) -> ActionDone:
        """Set the note of the crawl."""
        before = self.crawl.note
        self._parts.crawls.set_note(self.crawl.name, note[:2000])
        self._note("crawl.note", "", note)
        return ActionDone("the note was changed", Undo(f"{self._url}/note", {"note": before}))

    # -- passing commands on ------------------------------------------------------

    def _tell(
        self, word: str, command: operator.PauseCrawl | operator.ResumeCrawl | operator.StopCrawl
    ) -> str:
        if find_keeper(self.crawl.directory) is None:
            raise WebProblem(409, f"{self.crawl.name} is not running")
        if read_member(self.crawl.directory) is not None and not isinstance(command, operator.StopCrawl):
            return self._run([word, str(self.crawl.directory)])
        return ask(self.crawl.directory, command, operator.Done).message

    def _command_host(self, command: operator.HostCommand, words: list[str]) -> str:
        """Pass a command to a running crawl, or store it for the next start."""
        directory = self.crawl.directory
        if not self.crawl.has_begun:
            raise WebProblem(
                409, f"{self.crawl.name} has not begun; see its setting politeness.blocked_hosts"
            )
        if read_member(directory) is not None:
            return self._run([words[0], words[1], str(directory), *words[2:]])
        if find_keeper(directory) is not None:
            return ask(directory, command, operator.Done).message
        said = carry_out_stopped(directory, command)
        if not isinstance(command, operator.UnblockHost):
            log_order(directory, "leave", command.target)
        return said

    def _run(self, words: list[str]) -> str:
        """Run the command that reaches all machines of a crawl; return its output."""
        done = self._parts.processes.run(words, seconds=TOLD_SECONDS)
        if done.code:
            raise WebProblem(422, done.fault or f"the command ended with code {done.code}")
        return done.output.decode("utf-8", "replace").strip()

    def _note(self, action: str, host: str = "", detail: str = "") -> None:
        target = f"crawl/{self.crawl.name}" + (f"/host/{host}" if host else "")
        visitor = self._visitor
        self._parts.trail.note(visitor.user, action, target, detail, now=self._now, address=visitor.address)


def host_typed(typed: str) -> str:
    """Return the host or address that a user typed; a URL stands for its host."""
    word = typed.strip()
    if "://" in word:
        word = word.partition("://")[2].partition("/")[0].rpartition("@")[2]
    try:
        host = canonical_host(word)
        if host.startswith("-"):
            raise ValueError("no host name: none begins with -")  # it would be parsed as an option
        return host
    except (ValueError, SettingsError) as problem:
        raise WebProblem(422, f"{typed!r} is {problem}", errors={"host": str(problem)}) from problem
