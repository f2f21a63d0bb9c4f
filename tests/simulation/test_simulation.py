"""The whole crawler in virtual time, whatever goes wrong: nothing lost, nothing twice, nobody annoyed.

A seed that fails here fails again with the command that the failure shows.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import simulate_crawls as command
from simulated.plan import KINDS, Plan
from simulated.run import simulate
from simulated.stage import BuildFrontier
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.protocol.work import HostWork, Question, Report
from tiptoe.store.tables import Store

TESTS = Path(__file__).parents[1]
CHUNK_SEEDS = 25
CHUNKS = 4

FOUND_BUGS = (6, 13, 154, 163, 205, 211, 268, 281, 302, 896, 1277, 1305, 2233)
"""Seeds that have shown something; their plans may have changed since, they stay as good as any."""


def failures(seeds: range | tuple[int, ...]) -> list[str]:
    """Return what is wrong with the runs of these seeds, each with its command."""
    return [
        f"python tests/simulate_crawls.py --seed {seed} --trace: {problem}"
        for seed in seeds
        for problem in simulate(seed).problems
    ]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_crawl_survives_whatever_happens(chunk: int) -> None:
    """Kills, freezes, broken and slow wires, full disks, orders, servers in trouble, in any combination."""
    assert failures(range(chunk * CHUNK_SEEDS, (chunk + 1) * CHUNK_SEEDS)) == []


def test_seeds_that_found_bugs_find_none() -> None:
    assert failures(FOUND_BUGS) == []


def test_a_seed_is_all_there_is() -> None:
    """The same run again, event by event and byte by byte, also in a process with other hash values."""
    seeds = (3, 9, 17)
    told = [simulate(seed).digest for seed in seeds]
    assert [simulate(seed).digest for seed in seeds] == told
    for hash_seed in ("1", "2"):
        script = f"from simulated.run import simulate\nfor seed in {seeds}: print(simulate(seed).digest)"
        elsewhere = subprocess.run(
            [sys.executable, "-c", script],
            cwd=TESTS,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert elsewhere.stdout.split() == told


def test_different_seeds_are_different_runs() -> None:
    assert len({simulate(seed).digest for seed in range(5)}) == 5


def test_every_kind_of_fault_is_drawn() -> None:
    """A kind that never happens proves nothing."""
    drawn = {fault.kind for seed in range(CHUNKS * CHUNK_SEEDS) for fault in Plan.of(seed).faults}
    assert drawn == set(KINDS)
    plans = [Plan.of(seed) for seed in range(50)]
    assert {plan.is_remote for plan in plans} == {True, False}
    assert {plan.compares and plan.shape.copy_share > 0 for plan in plans} == {True, False}
    assert {plan.revisit for plan in plans} == {"none", "uniform", "adaptive", "optimal"}


# -- it can fail ---------------------------------------------------------


class ForgetsMarks(Frontier):
    """Acknowledges files without noting how far they are written."""

    def report(
        self, reports: list[Report], marks: dict[str, int], now: float, **rest: object
    ) -> dict[int, list[HostWork]]:
        return super().report(reports, {}, now, **rest)  # type: ignore[arg-type]


class LosesWork(Frontier):
    """Forgets what a lost harvester had in its hands."""

    def lose(self, harvester: str, now: float, **rest: object) -> int:
        for visit in self._dispatch.open.values():
            if visit.harvester == harvester:
                self.counters.gauges.leased -= len(visit.outstanding)
                visit.outstanding.clear()
        return super().lose(harvester, now, **rest)  # type: ignore[arg-type]


class LeavesNobodyInPeace(Frontier):
    """Does not let an address rest after a visit."""

    def __init__(self, store: Store, policy: FrontierPolicy) -> None:
        hasty = replace(policy.politeness, general_pause=0.0)
        super().__init__(store, replace(policy, politeness=hasty))


class ForgetsTheDead(Frontier):
    """Does not take back the leases of a keeper that was killed."""

    def recover(self, now: float, *, grace: float = 0.0) -> int:
        return 0


class KeepsItsAppointments(Frontier):
    """Leaves a page in the calendar that goes to its queue, so that it comes again and again."""

    def __init__(self, store: Store, policy: FrontierPolicy) -> None:
        super().__init__(store, policy)
        self._step.calendar.strike = lambda batch, key, at: None  # type: ignore[method-assign]


class LearnsTooEarly(Frontier):
    """Takes a text for known before its page is settled: whoever dies in between leaves no copy at all."""

    def claim_paragraphs(
        self, questions: list[Question], answered: Callable[[dict[int, bytes]], object]
    ) -> None:
        super().claim_paragraphs(questions, answered)
        for question in questions:
            self._step.paragraphs.learn(self._step.batch, question.url, question.fingerprint, is_kept=True)
        self._step.commit()


@pytest.mark.parametrize(
    "broken",
    [ForgetsMarks, LosesWork, LeavesNobodyInPeace, ForgetsTheDead, KeepsItsAppointments, LearnsTooEarly],
)
def test_a_frontier_that_breaks_a_rule_is_caught(broken: BuildFrontier) -> None:
    """A simulation that cannot fail proves nothing."""
    assert any(simulate(seed, build_frontier=broken).problems for seed in range(40))


# -- the command ---------------------------------------------------------


def test_the_command_plays_a_range_of_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--seeds", "0-2"]) == 0
    assert "3 seeds, 0 failed" in capsys.readouterr().out


def test_the_command_tells_a_run_step_by_step(capsys: pytest.CaptureFixture[str]) -> None:
    """With the digest, so that two tellings can be compared."""
    assert command.main(["--seed", "4", "--trace"]) == 0
    told = capsys.readouterr().out
    assert "stage keeper_starts" in told
    assert f"digest {simulate(4).digest}" in told


@pytest.mark.parametrize("wrong", ["x", "5-1", "1-y"])
def test_a_range_that_is_none_is_refused(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--seeds", wrong])
    assert wrong in capsys.readouterr().err


@pytest.mark.parametrize("seed", [10266, 10354, 20048])
def test_a_visit_whose_hosts_were_all_left_ends(seed: int) -> None:
    """Once their requests went back and forth between keeper and harvester, a host at a time, for ever."""
    assert simulate(seed).problems == []


@pytest.mark.parametrize("seed", [10049, 20222, 20390])
def test_files_are_finished_though_their_harvester_died_before_it_could_rename_them(seed: int) -> None:
    assert simulate(seed).problems == []


def test_a_crawl_delay_is_known_though_the_harvester_that_read_it_died_at_once() -> None:
    """It was told together with what the host reserves, which is asked for a pause later."""
    assert simulate(40792).problems == []
