"""How does the keeper serve its harvesters?

One loop: receive what harvesters report, tell the frontier, hand out the work it gives.
The frontier decides; this module only carries messages, watches leases and the disk,
and notices when it is time to stop.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from tiptoe.errors import ProtocolError, SettingsError
from tiptoe.keeper.afterwards import Afterwards
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.directory import take_busy_note
from tiptoe.keeper.ending import ending_of
from tiptoe.keeper.handout import HandOut
from tiptoe.keeper.leaving import work_until_left
from tiptoe.keeper.login_faults import note_login_faults
from tiptoe.keeper.operator_commands import OperatorCommands
from tiptoe.keeper.orders import Orders
from tiptoe.keeper.outage_guard import OutageGuard
from tiptoe.keeper.plan import CommandReply, KeeperPlan, Reconfiguration, Repair, RunRecord, unchangeable
from tiptoe.keeper.reception import Reception
from tiptoe.keeper.revocation import left_marks, sift_revoked
from tiptoe.keeper.roster import Member, Roster
from tiptoe.keeper.segmenter_watch import SegmenterWatch, segmenter_url
from tiptoe.keeper.supervisor import Supervisor
from tiptoe.keeper.validation import validate
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.stops import Stop
from tiptoe.protocol.messages import (
    Amend,
    Beat,
    Cancel,
    Drain,
    Going,
    Heard,
    Hello,
    Hold,
    Inquiry,
    Known,
    Leaving,
    More,
    News,
    Noted,
    Resolutions,
    ToKeeper,
    Unsure,
    Welcome,
)
from tiptoe.protocol.operator import Command
from tiptoe.protocol.status import Cause
from tiptoe.protocol.wire import Connection
from tiptoe.protocol.work import HostWork

__all__ = ["Keeper", "KeeperPlan"]

TICK_SECONDS = 0.02
IDLE_SECONDS = 0.25
DRAIN_SECONDS = 30.0
SCHEDULE = Cause.SCHEDULE.value


class Keeper:
    """The one process that owns the frontier."""

    def __init__(
        self, frontier: CrawlFrontier, plan: KeeperPlan, supervisor: Supervisor, log: EventLog, clock: Clock,
        *, repair: Repair,
        answer: Callable[["Keeper", Command], CommandReply],
        change: Callable[[KeeperPlan, Mapping[str, str]], Reconfiguration] = unchangeable,
        free_bytes: Callable[[Path], int] = lambda directory: shutil.disk_usage(directory).free,
        may_echo: Callable[[str], bool] = lambda incarnation: True,
        leave: Callable[[], Awaitable[None]] | None = None,
        can_loop: Callable[[], bool] = lambda: False,
        loop: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        """`may_echo`, `leave`, `can_loop` and `loop`: see `Lifecycle`."""
        self.frontier = frontier
        self.plan = plan
        self.supervisor = supervisor
        self.clock = clock
        self.roster = Roster(plan.lease_seconds)
        self.figures = RunRecord(clock.now())
        backoff_first = frontier.policy.politeness.backoff_first
        url, place = segmenter_url(plan.settings), str(plan.directory)
        self.segmenter = SegmenterWatch(frontier, url, self.roster, log, self.figures, directory=place)
        self.outage_guard = OutageGuard(frontier.host, log, backoff_first=backoff_first)
        self.afterwards = Afterwards(
            log, requests=lambda: frontier.counters.totals.requests, can_loop=can_loop, loop=loop
        )
        self._log = log
        self._stir = asyncio.Event()
        self.orders = Orders(frontier, self.roster, self._tell_all)
        desk = OperatorCommands(
            frontier, self.orders, clock, answer=lambda command: answer(self, command), stir=self._stir.set
        )
        self.reception = Reception(
            log, clock, token=plan.token, crawl=plan.crawl, serve_harvester=self._serve_harvester,
            serve_operator=desk.serve, fail=self.fail,
        )  # fmt: skip
        self._work = HandOut(frontier, self.roster, self.outage_guard, self._tell)
        self._repair = repair
        self._change = change
        self._free_bytes = free_bytes
        self._may_echo = may_echo
        self._leave = leave
        self._peers: dict[str, Connection[ToKeeper]] = {}
        self._incarnations = 0
        self._lost: list[Member] = []
        self.rests_until = 0.0  # nothing is handed out before this moment
        self._is_draining = False
        self._stop = asyncio.Event()
        self._fault: Exception | None = None
        self.holds: set[str] = set()  # reasons why no request is made at the moment
        self.opens_at: float | None = None  # when the crawl's hours next begin

    # -- life ------------------------------------------------------------

    async def run(self) -> None:
        """Work until the crawl is finished or somebody stops it."""
        self._watch_schedule()  # before anything is handed out
        beats = asyncio.get_running_loop().create_task(self._watch())
        beats.add_done_callback(self._watched)
        try:
            while not self.is_stopping:
                self.hand_out()
                if self._is_over():
                    break
                await self._pause()
            if self._fault is None:
                await self._drain()
        except Exception as error:
            self.fail(error)
        finally:
            beats.cancel()
            await self.supervisor.wait(0.0)
        if self._fault is not None:
            raise self._fault

    def _watched(self, beats: asyncio.Task[None]) -> None:
        if not beats.cancelled() and isinstance(error := beats.exception(), Exception):
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """End at once, as if killed, because a step failed half-way; the next run goes on from the store."""
        self._log.note("keeper.failed", error=repr(error))
        self._fault = self._fault or error
        self._stop.set()
        self._stir.set()

    def stop(self, reason: Stop) -> None:
        """End the run cleanly: finish requests under way, and leave everything else to the next run."""
        if not self.is_stopping:
            self.figures.stopped_because = reason
            self._log.note("crawl.stopping", reason=reason)
        self._stop.set()
        self._stir.set()

    @property
    def is_stopping(self) -> bool:
        """Whether the run is ending, because it was stopped or a step failed."""
        return self._stop.is_set()

    def hand_out(self) -> None:
        """Give work to harvesters that have room, unless no request may be made now."""
        now = self.clock.now()
        if not self.holds and now >= self.rests_until:
            self._work.all(now)

    def _is_over(self) -> bool:
        seconds = self.plan.seconds_spent + self.clock.now() - self.figures.started_at
        has_left = self._incarnations > 0 and not self.roster.members and not self.supervisor.is_running
        is_late = 0 < self.plan.seconds_max < seconds
        are_packets_done = self.plan.packets_max > 0 and has_left
        ending = ending_of(self.frontier, is_late=is_late, are_packets_done=are_packets_done)
        if ending is None:
            self.afterwards.note_work()
            return False
        may_go_on = not is_late and not are_packets_done
        if may_go_on and self.afterwards.goes_on(ending, self.plan.on_end):
            return False
        self.figures.stopped_because = ending
        return True

    async def _pause(self) -> None:
        """Let messages gather for a moment; if none came, wait for one, or until there is work."""
        await asyncio.sleep(TICK_SECONDS)
        if not self._stir.is_set():
            next_at = self.frontier.next_at()
            ahead = IDLE_SECONDS if next_at is None else max(next_at - self.clock.now(), 0.0)
            wait = min(ahead, IDLE_SECONDS)
            try:
                await asyncio.wait_for(self._stir.wait(), wait + 0.001)
            except TimeoutError:
                return
        self._stir.clear()

    async def _drain(self) -> None:
        """Hand over to other keepers what they can continue; then tell all harvesters to finish."""
        if self._leave is not None:
            await work_until_left(self._leave, self.hand_out, self.figures.stopped_because)
        self._is_draining = True
        self._tell_all(Drain())
        await self.supervisor.wait(DRAIN_SECONDS)
        for _ in range(100):  # the last messages may still be on their way
            if not self.roster.members:
                break
            await asyncio.sleep(0.05)
        for member in list(self.roster.members.values()):
            self._lose(member, "did not leave in time")
        self.repair_outputs()  # once more: a lost harvester that worked on has gone by now

    def _tell(self, member: Member, message: object) -> None:
        if member.incarnation in self._peers:  # otherwise it left while this message waited
            self._peers[member.incarnation].send(message)

    def _tell_all(self, message: object) -> None:
        for connection in self._peers.values():
            connection.send(message)

    # -- peers -----------------------------------------------------------

    async def _serve_harvester(self, connection: Connection[ToKeeper], hello: Hello) -> None:
        member = self.let_in(connection, hello)
        try:
            await self._listen(member, connection)
        except ProtocolError as error:
            self._log.note("peer.dropped", incarnation=member.incarnation, reason=str(error))
        if member.incarnation in self.roster.members:
            self._lose(member, "connection lost")

    async def _listen(self, member: Member, connection: Connection[ToKeeper]) -> None:
        while (message := await connection.receive()) is not None:
            if member.incarnation not in self.roster.members:
                break  # its lease has ended, so anything it reports now comes too late
            if not member.is_ready:
                self._stir.set()
            self.roster.heard(member.incarnation, self.clock.now())
            if isinstance(message, Leaving):
                self._see_off(member)
                break
            validate(message, member.incarnation)
            self.hear(member, connection, message)

    def let_in(self, connection: Connection[ToKeeper], hello: Hello) -> Member:
        """Admit a harvester and name its incarnation; it gets work once it has sent its first message."""
        self._incarnations += 1
        incarnation = self.plan.incarnation(hello.name, self.figures.started_at, self._incarnations)
        member = Member(
            incarnation, hello.name, hello.pid, self.clock.now(),
            visits_max=self.plan.visits_per_harvester, packets_max=self.plan.packets_max,
            obeyed=self.orders.last,
        )  # fmt: skip
        self.roster.join(member)
        self._peers[incarnation] = connection
        plan = self.plan
        connection.send(Welcome(incarnation, str(plan.directory), plan.settings, plan.crawl, plan.shards))
        if self.holds:
            connection.send(Hold(is_held=True, order=self.orders.last))
        if self._is_draining:  # it came too late to hear that all harvesters must leave
            connection.send(Drain())
        self._log.note("harvester.joined", incarnation=incarnation, pid=hello.pid)
        self._stir.set()
        return member

    def hear(self, member: Member, connection: Connection[ToKeeper], message: object) -> None:
        """Handle a message of a harvester, and answer it."""
        if isinstance(message, Beat):
            is_sure = self._may_echo(member.incarnation)  # True: the lease is certain up to that beat
            connection.send(message if is_sure else Unsure(message.number))
        elif isinstance(message, Heard):
            member.confirm(message.order)
        elif isinstance(message, Going):
            member.is_leaving = True
            connection.send(Drain())
        elif isinstance(message, News):
            self._take_news(member, connection, message)
        elif isinstance(message, Inquiry):
            self.frontier.claim_paragraphs(message.questions, lambda marks: self._tell(member, Known(marks)))
        elif isinstance(message, Resolutions):
            member.lookups.difference_update(lookup.host for lookup in message.lookups)
            now = self.clock.now()
            told, again = self.outage_guard.sift_lookups(message.lookups, now)
            self.frontier.resolved_all([(one.host, one.address, one.failure) for one in told], now)
            self.frontier.forget_resolving(again)
            self._stir.set()

    def _take_news(self, member: Member, connection: Connection[ToKeeper], news: News) -> None:
        now = self.clock.now()
        if member.revoked:
            news = sift_revoked(news, member.revoked)
        # The last answers of a run are mostly those of silent hosts, which says nothing about our line.
        is_telling = not self._is_draining or self.outage_guard.outage_detector.is_cut_off
        reports = self.outage_guard.sift(news.reports, now) if is_telling else news.reports
        answers = self.frontier.report(reports, news.marks, now, discards=news.discards)
        for visit, works in answers.items():
            if not works:
                member.visits.discard(visit)
        self.frontier.after_commit(lambda: self._answer_news(member, connection, answers, news.marks))
        self.segmenter.hear(member.name, news.judged)
        note_login_faults(news.reports, self.figures, self._log)
        self.figures.activities.update(news.activities)
        member.requests += sum(report.requests_made for report in news.reports)
        if news.trouble != member.trouble:
            trouble = news.trouble or "over"
            self._log.note("harvester.trouble", incarnation=member.incarnation, trouble=trouble)
        member.trouble = news.trouble
        if answers:
            self._stir.set()

    def _answer_news(
        self, member: Member, connection: Connection[ToKeeper], answers: dict[int, list[HostWork]],
        marks: dict[str, int],
    ) -> None:  # fmt: skip
        for visit, works in answers.items():
            connection.send(More(visit, works))
        if member.revoked:  # revoked after the report, so it is unknown whether those marks were stored
            marks = left_marks(marks, member.revoked)
        if marks:
            connection.send(Noted(marks))

    def _see_off(self, member: Member) -> None:
        """Remove a harvester that leaves properly: it has returned all its work."""
        self.roster.leave(member.incarnation)
        self._peers.pop(member.incarnation, None)
        self.frontier.lose(member.incarnation, self.clock.now())
        self.frontier.forget_resolving(list(member.lookups))
        self._log.note("harvester.left", incarnation=member.incarnation, requests=member.requests)
        self._stir.set()

    def _lose(self, member: Member, reason: str) -> None:
        """Remove a harvester that is gone or silent: end its lease, cut its files back to their marks."""
        self.roster.leave(member.incarnation)
        connection = self._peers.pop(member.incarnation, None)
        if connection is not None:
            connection.close()
        # One that we cannot kill makes requests until it notices, within a lease by its own clock.
        grace = 0.0 if self.supervisor.kill(member.name, pid=member.pid) else self.plan.lease_seconds
        suspects = frozenset(take_busy_note(self.plan.directory, member.incarnation))
        returned = self.frontier.lose(member.incarnation, self.clock.now(), suspects=suspects, grace=grace)
        self.frontier.forget_resolving(list(member.lookups))
        self.figures.lost_harvesters += 1
        self._log.note(
            "harvester.lost", incarnation=member.incarnation, reason=reason, returned=returned,
            suspects=",".join(suspects) or "-",
        )  # fmt: skip
        self._lost.append(member)
        self._stir.set()

    def _repair_lost(self) -> None:
        """Cut back the files of lost harvesters once their processes have really ended."""
        if self._lost and not any(self.supervisor.is_alive(member.pid) for member in self._lost):
            self._lost.clear()
            self.repair_outputs()

    def repair_outputs(self, *, reads: bool = False) -> None:
        """Repair the files of harvesters that are not connected; `reads`: whole files, while others wait."""
        live = set(self.roster.members)
        for repair in self._repair(self.frontier, live, now=self.clock.now(), reads=reads):
            self.figures.repaired.append(repair)
            self._log.note("output.repaired", what=repair)

    # -- watching --------------------------------------------------------

    async def _watch(self) -> None:
        """Watch the leases and the disk."""
        interval = min(1.0, self.plan.lease_seconds / 6)
        while True:
            now = self.clock.now()
            for member in self.roster.silent(now):
                self._lose(member, "silent")
            for member in list(self.roster.members.values()):
                if member.is_spent and not member.is_leaving:
                    self.dismiss(member)
            self._repair_lost()
            self._watch_disk()
            self._watch_schedule()
            if self.supervisor.is_hopeless:
                self.stop(Stop.NO_HARVESTERS)
            await asyncio.sleep(interval)

    def dismiss(self, member: Member) -> None:
        """Let one harvester finish and go, without a replacement."""
        member.is_leaving = True
        self.supervisor.release(member.name)
        self._tell(member, Drain())

    def _watch_disk(self) -> None:
        free = self._free_bytes(self.plan.directory)
        if free < self.plan.disk_free_min and "disk" not in self.holds:
            self._log.note("disk.full", free_bytes=free, needed_bytes=self.plan.disk_free_min)
            self.hold("disk")
        elif free >= self.plan.disk_free_min and "disk" in self.holds:
            self._log.note("disk.has_room", free_bytes=free)
            self.go_on("disk")

    def _watch_schedule(self) -> None:
        """Pause outside the crawl's hours, which follow the wall clock."""
        ahead = self.clock.wall_ahead
        is_open, until = self.plan.opening(self.clock.now() + ahead)
        self.opens_at = None if is_open or until is None else until - ahead
        if is_open == (SCHEDULE in self.holds):
            self._log.note("schedule.opens" if is_open else "schedule.closes")
            if is_open:
                self.go_on(SCHEDULE)
            else:
                self.hold(SCHEDULE)

    # -- the operator's commands -----------------------------------------

    def hold(self, reason: str) -> None:
        """Hold all requests until this reason is gone."""
        self.holds.add(reason)
        self.orders.give(lambda number: Hold(is_held=True, order=number))

    def go_on(self, reason: str) -> None:
        """Drop a reason to hold requests; go on if it was the last."""
        self.holds.discard(reason)
        if not self.holds:
            self.orders.give(lambda number: Hold(is_held=False, order=number))
            self._stir.set()

    def reconfigure(self, given: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """Apply other settings from now on, and end visits under way; return what has changed."""
        try:
            change = self._change(self.plan, given)
        except SettingsError as error:
            raise ProtocolError(str(error)) from error
        if change.changes:
            self.plan = change.plan
            self.frontier.reconfigure(change.policy)
            self.orders.give(lambda number: Amend(self.plan.settings, number))
            for name, (before, after) in change.changes.items():
                self._log.note("setting.changed", name=name, before=before, after=after)
        return change.changes

    def cancel(self, host: str) -> None:
        """Cancel what visits under way still have to request from a host."""
        self.orders.give(lambda number: Cancel(host, number))
