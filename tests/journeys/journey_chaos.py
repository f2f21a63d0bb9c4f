"""Everything that can go wrong goes wrong, to the real processes; is the crawl whole in the end?

    PYTHONPATH=tests python tests/journeys/journey_chaos.py --seed 7 --seconds 60

A keeper with one harvester of its own, and two that come over the network through a relay; another
relay between all of them and the web. What happens follows from the seed (see `journey_faults`);
how far the crawl is when it happens is counted in requests, so a seed repeats a run as far as the
scheduler of the machine lets it.

No room on disk is a limit on the size of files, set from outside: writes fail as on a full disk.
A slow disk is a process that is stopped again and again for less than a lease, as the kernel does it to
a process whose write does not return; half of the plans wait for the disk before each report besides.
"""

import argparse
import contextlib
import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import psutil
from journey_crawl import Pace, Stage, simulated_web, wait_until
from journey_faults import LEASE_SECONDS, Fault, Kind, Plan, draw_plan
from journey_relay import LOOPBACK, Relay, Side
from warcio.archiveiterator import ArchiveIterator

from simulated.proofs import check_members, read_requests
from tiptoe.testing.shape import WebShape
from tiptoe.write.cdxj import find
from tiptoe.write.underway import read_underway

HOSTS = 12
HOSTS_PER_ADDRESS = 2
PACE = Pace(req_delay=0.4, max_reqs=8, general_pause=0.5)
SECONDS_PER_FAULT = 3.0
AWAY = ("away1", "away2")
ROOM_BYTES = 4096
"""What fits into a file while there is no room."""

HELP_SECONDS = 5
"""So long a harvester from elsewhere looks for its keeper."""

STILL_SECONDS, MOVING_SECONDS = 0.15, 0.05
RESTARTS_MAX = 10
"""A crawl that nobody disturbs any more and that still ends early so often will never end well."""

GOOD_END = "nothing left to request"


def web_for(plan: Plan) -> WebShape:
    """Return a friendly web that is big enough for a plan."""
    return WebShape(
        seed=plan.seed, hosts=HOSTS, hosts_per_address=HOSTS_PER_ADDRESS,
        pages_per_host=plan.requests // HOSTS + 1, pages_spread=0.0, page_bytes=3_000, links_per_page=15,
        external_share=0.2, redirect_share=0.05, gone_share=0.05, robots_share=0.3, sitemap_share=0.3,
        gzip_share=0.3, legacy_charset_share=0.3, latency_seconds=0.02,
    )  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


class Chaos:
    """One run: a crawl, those who help it, and the plan to disturb them all."""

    def __init__(
        self, stage: Stage, plan: Plan, lines: Relay, web: Relay, say: Callable[[str], None]
    ) -> None:
        self._stage = stage
        self._plan = plan
        self._lines = lines
        self._web = web
        self._say = say
        self._token = stage.folder / "token"
        self._token.write_text("a secret\n")
        self._helpers: dict[str, subprocess.Popen[bytes]] = {}
        self._helper_errors = (stage.folder / "away.txt").open("ab")
        self._helped_at = 0.0
        self._acknowledged: set[tuple[str, str, int]] = set()
        self._faults: list[str] = []
        self.crawl = stage.crawl(pace=PACE)
        self.away = self.crawl.out if plan.shares_disk else stage.folder / "away"

    def connect(self, keeper: str) -> None:
        """Say where the keeper is to listen; everybody reaches the web through the relay."""
        self.crawl.settings.update({
            "harvest.listen": keeper,
            "harvest.token_file": self._token,
            "harvest.lease": f"{LEASE_SECONDS}s",
            "harvest.harvesters": 1,
            "fetch.proxy": f"http://{self._web.address}",
            "write.sync": str(self._plan.syncs).lower(),
        })  # fmt: skip

    def run(self) -> list[str]:
        """Let the plan happen, let the crawl come to its end; return what is wrong with it then."""
        try:
            self.crawl.start()
            for fault in self._plan.faults:
                if not self._wait_for_requests(fault.after_requests):
                    self._say("the crawl has ended before the plan")
                    break
                self._say(str(fault))
                self._note_acknowledged()
                self._inject(fault)
            self._come_to_an_end()
        finally:
            self._end_helpers()
        return self._faults

    # -- tending ---------------------------------------------------------

    def _tend(self) -> bool:
        """Start again whoever has gone, as an operator would; False when the crawl has ended well."""
        process = self.crawl.process
        assert process is not None
        if process.poll() is not None:
            self._look_for_traces()
            if process.returncode == 0 and GOOD_END in self.crawl.console:
                return False
            self._say(f"the keeper has ended with code {process.returncode}; it is started again")
            self.crawl.start()
        if time.monotonic() > self._helped_at + 0.5:
            self._helped_at = time.monotonic()
            for name in AWAY:
                if name not in self._helpers or self._helpers[name].poll() is not None:
                    self._helpers[name] = self._start_helper(name)
        return True

    def _start_helper(self, name: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "tiptoe.harvest", "--connect", self._lines.address, "--name", name]
        command += ["--token-file", str(self._token), "--out", str(self.away)]
        command += ["--give-up-after", f"{HELP_SECONDS}s"]
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._helper_errors, stderr=self._helper_errors
        )

    def _wait_for_requests(self, count: int) -> bool:
        """Wait until the logs tell of so many requests; False when the crawl ends before."""
        is_going = True

        def is_over() -> bool:
            nonlocal is_going
            is_going = self._tend()
            return not is_going or sum(1 for _ in self.logged()) >= count

        wait_until(is_over, f"{count} requests")
        return is_going

    def _come_to_an_end(self) -> None:
        for _ in range(RESTARTS_MAX):
            wait_until(lambda: not self._tend() or self._has_ended(), "the end of the crawl")
            if GOOD_END in self.crawl.console:
                break
        else:
            self._faults.append("the crawl does not come to a good end")
        wait_until(lambda: all(one.poll() is not None for one in self._helpers.values()), "helpers to leave")
        if self.away != self.crawl.out:
            # As the manual says: bring the files home, and let the next run put them right.
            shutil.copytree(self.away, self.crawl.out, dirs_exist_ok=True)
            self.crawl.run()

    def _has_ended(self) -> bool:
        return self.crawl.process is not None and self.crawl.process.poll() is not None

    def _end_helpers(self) -> None:
        for helper in self._helpers.values():
            helper.kill()
            helper.wait()
        self._helper_errors.close()
        self._look_for_traces()

    def _look_for_traces(self) -> None:
        """A process may say that it cannot go on; it may not fall over."""
        errors = self.crawl.out / "log" / "harvester-errors.log"
        said = self.crawl.console + (errors.read_text() if errors.exists() else "")
        said += (self._stage.folder / "away.txt").read_text()
        trace = "Traceback (most recent call last)"
        if trace in said and not any(trace in fault for fault in self._faults):
            self._faults.append(trace + said.partition(trace)[2][:3000])

    # -- disturbing ------------------------------------------------------

    def _inject(self, fault: Fault) -> None:
        steps: dict[Kind, Callable[[], None]] = {
            Kind.KILL_KEEPER: lambda: self._kill_keeper(self.crawl.kill),
            Kind.KILL_ALL: lambda: self._kill_keeper(self._kill_all),
            Kind.KILL_CREW: lambda: kill(self.crawl.harvesters()[:1]),
            Kind.KILL_AWAY: lambda: kill(self._away()[:1]),
            Kind.FREEZE_KEEPER: lambda: freeze(self._keeper(), fault.seconds),
            Kind.FREEZE_CREW: lambda: freeze(self.crawl.harvesters(), fault.seconds),
            Kind.FREEZE_AWAY: lambda: freeze(self._away()[:1], fault.seconds),
            Kind.FILL_KEEPER: lambda: self._fill(self._keeper, fault.seconds),
            Kind.FILL_HARVESTERS: lambda: self._fill(self._harvesters, fault.seconds),
            Kind.SLOW_DISK: lambda: self._stutter(fault.seconds),
            Kind.CUT_LINE: lambda: self._cut(fault, 0.0),
            Kind.HALF_LINE: lambda: self._cut(fault, fault.seconds),
            Kind.HOLD_LINE: lambda: self._lines.hold_up(fault.seconds),
            Kind.LOSE_REPLIES: lambda: self._web.lose_replies(list(fault.bytes)),
            Kind.HOLD_WEB: lambda: self._web.hold_up(fault.seconds),
        }
        steps[fault.kind]()

    def _keeper(self) -> list[psutil.Process]:
        assert self.crawl.process is not None
        return [psutil.Process(self.crawl.process.pid)]

    def _away(self) -> list[psutil.Process]:
        """Return the harvesters that came over the network; whoever started them would replace them."""
        running = [psutil.Process(one.pid) for one in self._helpers.values() if one.poll() is None]
        return [life for one in running for life in one.children()]

    def _harvesters(self) -> list[psutil.Process]:
        return [*self.crawl.harvesters(), *self._away()]

    def _kill_all(self) -> None:
        for helper in self._helpers.values():
            helper.kill()
            helper.wait()
        self.crawl.kill_all()

    def _kill_keeper(self, kill_it: Callable[[], None]) -> None:
        """What the keeper has counted as a page it must still count when it is back."""
        before = self.crawl.status().get("pages", 0)
        kill_it()
        self.crawl.start()
        after = self.crawl.status_when(bool, "the keeper to be back").get("pages", 0)
        if after < before:
            self._faults.append(f"{before} pages were acknowledged before a kill, {after} after it")

    def _fill(self, whose: Callable[[], list[psutil.Process]], seconds: float) -> None:
        limit(whose(), ROOM_BYTES)
        time.sleep(seconds)
        # Whoever was started meanwhile has inherited the limit.
        limit([*self._keeper(), *self._harvesters()], psutil.RLIM_INFINITY)

    def _stutter(self, seconds: float) -> None:
        until = time.monotonic() + 2 * seconds
        while time.monotonic() < until:
            freeze([*self._keeper(), *self._harvesters()], STILL_SECONDS)
            time.sleep(MOVING_SECONDS)

    def _cut(self, fault: Fault, hold_seconds: float) -> None:
        side = Side.DOWN if fault.bytes[1] % 2 else Side.UP
        self._lines.cut(after_bytes=fault.bytes[0], side=side, hold_seconds=hold_seconds)

    # -- judging ---------------------------------------------------------

    def logged(self) -> Iterator[bytes]:
        """Yield every line of the request logs, of those that were copied home once."""
        for folder in {self.crawl.out, self.away}:
            for log in (folder / "log").glob("requests-*.jsonl"):
                if folder == self.crawl.out or not (self.crawl.out / "log" / log.name).exists():
                    yield from log.read_bytes().splitlines()

    def _note_acknowledged(self) -> None:
        """Finished files are there for good: every document in them must be there in the end."""
        for folder in {self.crawl.out, self.away}:
            for path in (folder / "corpus").glob("*.jsonl"):
                for line in path.read_bytes().splitlines():
                    document = json.loads(line)
                    self._acknowledged.add((document["url"], document["warc_file"], document["warc_offset"]))

    def verdict(self) -> list[str]:
        """Return everything that is wrong with what the crawl has left; the web has closed by then."""
        return [
            *self._judge_documents(),
            *self._judge_archives(),
            *self._judge_log(),
            *(f"left open: {path.name}" for path in self.crawl.open_files()),
            *map(str, self._stage.violations(PACE)),
        ]

    def _judge_documents(self) -> Iterator[str]:
        documents = self.crawl.documents()
        found, truth = Counter(document["url"] for document in documents), set(self._stage.truth())
        yield from (f"lost: {url}" for url in sorted(truth - found.keys()))
        yield from (f"not of this web: {url}" for url in sorted(found.keys() - truth))
        yield from (f"{times} times: {url}" for url, times in found.items() if times > 1)
        places = {(one["url"], one["warc_file"], one["warc_offset"]) for one in documents}
        yield from (f"acknowledged, then gone: {place}" for place in sorted(self._acknowledged - places))
        for url, file, offset in sorted(places):
            if (file, offset) not in [(entry.filename, entry.offset) for entry in find(self.crawl.out, url)]:
                yield f"not in the index: {url} in {file} at {offset}"

    def _judge_archives(self) -> Iterator[str]:
        responses: Counter[str] = Counter()
        for archive in sorted((self.crawl.out / "warc").glob("*.warc.gz")):
            yield from (f"{archive.name}: {fault}" for fault in check_members(archive).faults)
            with archive.open("rb") as file:
                for record in ArchiveIterator(file, check_digests=True):
                    record.content_stream().read()
                    if record.digest_checker.passed is False:
                        yield f"{archive.name}: {record.digest_checker.problems}"
                    is_cut = record.rec_headers.get_header("WARC-Truncated")  # it is asked for once more
                    is_page = record.rec_type == "response" and not is_cut
                    if is_page and record.http_headers.get_statuscode() == "200":
                        responses[record.rec_headers.get_header("WARC-Target-URI")] += 1
        pages = set(self._stage.truth())
        yield from (f"archived {n} times: {url}" for url, n in responses.items() if n > 1 and url in pages)

    def _judge_log(self) -> Iterator[str]:
        """Every request that arrived is in a log, or in the notes of what was under way at a death.

        Only a harvester that began without any room has no notes: of its requests the last one to each
        address may be missing.
        """
        folder = self.crawl.out / "log"
        told = Counter(entry.url for log in folder.glob("requests-*.jsonl") for entry in read_requests(log))
        told.update(note.url for notes in folder.glob("requests-*.underway") for note in read_underway(notes))
        missing: Counter[str] = Counter()
        for arrival in self._stage.arrivals():
            told[arrival.url] -= 1
            missing[arrival.address] += told[arrival.url] < 0
        without_room = sum(fault.kind is Kind.FILL_KEEPER for fault in self._plan.faults)
        for address, count in missing.items():
            if count > without_room:
                yield f"{count} requests to {address} are in no log"


def kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def freeze(processes: list[psutil.Process], seconds: float) -> None:
    """Let processes stand still for a while."""
    _signal(processes, signal.SIGSTOP)
    time.sleep(seconds)
    _signal(processes, signal.SIGCONT)


def _signal(processes: Iterable[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(number)


def limit(processes: Iterable[psutil.Process], file_bytes: int) -> None:
    """Let no file of these processes grow beyond a size; what is larger stays as it is."""
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.rlimit(psutil.RLIMIT_FSIZE, (file_bytes, psutil.RLIM_INFINITY))


def run_chaos(folder: Path, seed: int, seconds: float, say: Callable[[str], None]) -> list[str]:
    """Run one seed for about so long; return everything that is wrong, nothing when all is well."""
    plan = draw_plan(seed, max(1, int(seconds / SECONDS_PER_FAULT)))
    where = "share a directory" if plan.shares_disk else "have a directory of their own"
    say(f"seed {seed}: {len(plan.faults)} faults; harvesters from afar {where}; syncs: {plan.syncs}")
    port = free_port()
    with (
        simulated_web(folder, web_for(plan), seconds=10 * seconds + 300.0) as stage,
        Relay((LOOPBACK, port)) as lines,
        Relay((LOOPBACK, stage.spawned.port)) as web,
    ):
        chaos = Chaos(stage, plan, lines, web, say)
        chaos.connect(f"{LOOPBACK}:{port}")
        found = chaos.run()
    return found + chaos.verdict()


def main() -> int:
    """Run one seed from the command line."""
    parser = argparse.ArgumentParser(description="Disturb a crawl in every way; is it whole in the end?")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="chance unless given")
    parser.add_argument("--seconds", type=float, default=30.0, help="about how long the run takes")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    began = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - began:7.2f} s  {line}", flush=True)

    try:
        found = run_chaos(folder, options.seed, options.seconds, say)
    except AssertionError as error:
        found = [str(error)]
    if not found:
        say("nothing lost, nothing twice, 0 violations")
        shutil.rmtree(folder)
        return 0
    for fault in found:
        print(f"  {fault}")
    print(f"{len(found)} faults; everything is in {folder}. Once more:")
    command = f"PYTHONPATH=tests {sys.executable} {sys.argv[0]}"
    print(f"  {command} --seed {options.seed} --seconds {options.seconds:g}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
