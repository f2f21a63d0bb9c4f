"""Do the strategies reach their bars? In small; `tiptoe simulate revisit` does the same in full."""

from pathlib import Path

import pytest

from tiptoe.experiment import poisson as poisson_module
from tiptoe.experiment.coefficients import coefficients
from tiptoe.experiment.finding import ExperimentFinding
from tiptoe.experiment.limited_hosts import hosts
from tiptoe.experiment.one_server import server
from tiptoe.experiment.poisson import poisson
from tiptoe.experiment.report import write_report


def failing(finding: ExperimentFinding) -> list[str]:
    return [check.text for check in finding.checks if check.is_met is False]


def silent(part: float) -> None:
    """Tell nobody."""


def test_the_coefficients_do_what_the_thesis_saw(tmp_path: Path) -> None:
    finding = coefficients(2, 1, silent)
    assert failing(finding) == []
    written = write_report(tmp_path, [finding])
    assert [path.name for path in written] == [
        "revisit.html", "coefficients-found.svg", "coefficients-caught.svg",
    ]  # fmt: skip


def test_the_server_of_the_thesis_is_reproduced_and_optimal_does_better() -> None:
    assert failing(server(1000, 1, silent)) == []


def test_optimal_comes_near_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """One budget of the four, and few pages: a minute of processor time is too much for a unit test."""
    monkeypatch.setattr(poisson_module, "BUDGETS", (0.5,))
    monkeypatch.setattr(poisson_module, "FIT_PAGES", 300)
    done: list[float] = []
    finding = poisson(1500, 1, done.append)
    assert failing(finding) == []
    assert sum(done) == pytest.approx(1.0)


def test_optimal_comes_near_the_optimum_under_the_limits_of_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiptoe.experiment.limited_hosts.BUDGETS", (1.0,))
    assert failing(hosts(1500, 1, silent)) == []


def test_the_same_seed_gives_the_same_figures() -> None:
    assert server(50, 7, silent).values() == server(50, 7, silent).values()
