"""How does a crawl on one machine begin and end?

recover what a crash left ─▶ let addresses rest that got requests meanwhile ─▶ block and slow hosts that the
    settings name ─▶ reconsider ─▶ add seeds ─▶ … ─▶ note that it ended properly
"""

import asyncio
import time
from collections.abc import Collection, Iterable

from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.gate import GateKeys
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.document_links import take_link_file
from tiptoe.keeper.document_texts import take_texts
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.lone_requests import Moment, clear_requests, read_requests
from tiptoe.keeper.output_repair import repair_at_start
from tiptoe.keeper.overview import LINE
from tiptoe.keeper.plan import SessionPlan
from tiptoe.keeper.sowing import batches
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.operator_log import log_order
from tiptoe.observe.run_figures import read_runs
from tiptoe.protocol.work import Request
from tiptoe.url.address import host_of
from tiptoe.write.dropbox import waiting_links
from tiptoe.write.logclock import machine_boot, machine_count

__all__ = ["SingleMachine", "recover_crawl"]


class SingleMachine:
    """A run of a crawl whose frontier is in its directory: a `Lifecycle`."""

    def __init__(
        self, directory: CrawlDirectory, frontier: Frontier, plan: SessionPlan, log: EventLog
    ) -> None:
        self.frontier = frontier
        self.clock = Clock(
            offset=frontier.runs.offset(machine_boot(), count=machine_count(), wall=time.time())
        )
        self._directory = directory
        self._plan = plan
        self._log = log

    def repair(self, frontier: CrawlFrontier, live: Collection[str], *, now: float, reads: bool) -> list[str]:
        return repair_at_start(self._directory.path, frontier, live, now=now, reads=reads)

    def may_echo(self, incarnation: str) -> bool:
        return True

    def can_loop(self) -> bool:
        return self.frontier.rounds.is_possible

    def loop(self) -> None:
        self.frontier.rounds.begin(self.clock.now())

    async def begin(self, keeper: Keeper) -> None:
        # Harvesters on this machine died with their keeper; others may go on until their lease ends.
        grace = keeper.plan.lease_seconds if self._plan.listen else 0.0
        self._end_pause()
        recover_crawl(keeper, self.frontier, self._log, boot=machine_boot(), grace=grace)
        self._let_rest()
        self._apply_host_settings()
        await self._add_seeds(self._reconsider(), keeper)
        if not keeper.is_stopping:
            # Only now: if this run ends earlier, the next one has to see the same changes.
            self._plan.remember()

    async def accompany(self, keeper: Keeper) -> None:
        await asyncio.Event().wait()

    async def leave(self) -> None:
        """Do nothing: no other machine takes over."""

    async def end(self, keeper: Keeper) -> None:
        self.frontier.runs.end(now=self.clock.now(), wall_ahead=self.clock.wall_ahead)

    def _end_pause(self) -> None:
        """Log that a pause has ended with the last run, in the log that records its beginning."""
        last = read_runs(self._directory.path).last
        if last is not None and set(last.holds) - {LINE}:
            log_order(self._directory.path, "go_on")

    def _let_rest(self) -> None:
        """Let addresses rest that got requests since the last run: see `lone_requests`."""
        gates = GateKeys(self.frontier.policy.cdn_ranges)
        now = Moment(time.time(), machine_count(), machine_boot())
        for asked in read_requests(self._directory.path):
            until = self.clock.now() + asked.seconds_left(now)
            self.frontier.rest_address(gates.key(asked.address, asked.host), until)
        clear_requests(self._directory.path)

    def _apply_host_settings(self) -> None:
        """Block and slow the hosts in the settings; undo it for those that were only in the last run's."""
        now = self.clock.now()
        for host in self._plan.unblocked:
            self.frontier.block(host, now, is_blocked=False)
            self.frontier.block_address(host, is_blocked=False)
        for host in self._plan.unslowed:
            self.frontier.slow(host, 0.0)
            self.frontier.slow_address(host, 0.0)
        for host in self._plan.blocked:
            self.frontier.block(host, now)
            self.frontier.block_address(host)
        for host, delay in self._plan.slowed.items():
            self.frontier.slow(host, delay)
            self.frontier.slow_address(host, delay)

    def _reconsider(self) -> list[str]:
        """Reconsider what was given up for reasons that may be gone; return seeds that may be tried now."""
        plan = self._plan
        hosts = dict.fromkeys(map(host_of, plan.named))
        found = self.frontier.reconsider(plan.changed, hosts, self.clock.now())
        if found.by_reason:
            text = ", ".join(f"{reason} {count}" for reason, count in found.by_reason.most_common())
            self._log.note("hosts.reconsidered", **found.by_reason)
            plan.note(f"trying again, since a setting has changed: hosts that were given up ({text})")
        if plan.changed:
            return self._directory.known_seeds() or []
        return list(plan.named)  # given up ones are tried once more; nothing changes for the others

    async def _add_seeds(self, again: Iterable[str], keeper: Keeper) -> None:
        """Queue the seeds; if the run is stopped meanwhile, the next one queues them all."""
        now = self.clock.now()
        for batch in batches(self._plan.downloaded):
            self.frontier.mark_downloaded(batch, now)
        if self._plan.downloaded:
            self._log.note("downlist.taken", addresses=len(self._plan.downloaded))
        for batch in batches(list(dict.fromkeys([*self._plan.seeds, *again]))):
            self.frontier.add([Request(url) for url in batch], now)
            await asyncio.sleep(0)  # a million takes half a minute, in which it is shown and may be stopped
            if keeper.is_stopping:
                self._plan.note("stopped while seeds were being queued; the next run queues the rest")
                return
        self.frontier.after_commit(self._directory.note_seeded)
        take_texts(self.frontier, self._directory.path)
        for path in waiting_links(self._directory.path):
            take_link_file(self.frontier, path, now)


def recover_crawl(keeper: Keeper, frontier: Frontier, log: EventLog, *, boot: str, grace: float) -> None:
    """Recover from a crash; `grace` is how long harvesters may have gone on without a keeper."""
    now = keeper.clock.now()
    pause = frontier.policy.politeness.general_pause
    ranges = frontier.policy.cdn_ranges
    rests_until = frontier.runs.begin(
        boot, keeper.clock.offset, now=now, rest=pause, ranges=ranges, wall_ahead=keeper.clock.wall_ahead
    )
    if rests_until > now:
        keeper.rests_until = rests_until
        log.note("everybody.rests", rest_seconds=rests_until - now)
    returned = frontier.recover(now, grace=grace)
    if returned:
        log.note("leases.returned", requests=returned)
    keeper.repair_outputs(reads=True)
