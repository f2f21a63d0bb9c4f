"""A rehearsal on the simulated web."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tiptoe.testing.recorder import read_arrivals

pytestmark = pytest.mark.journey


def rehearse(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tiptoe", "rehearse", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)


def test_a_rehearsal_is_judged_from_the_servers_side(tmp_path: Path) -> None:
    """It needs no argument, touches nobody, and says whether the crawl was polite."""
    first = rehearse(tmp_path, "--hosts", "5", "--max-pages", "20")
    assert first.returncode == 0, first.stderr
    assert "0 violations" in first.stdout
    assert (tmp_path / "rehearsal" / "corpus").is_dir()
    arrivals = read_arrivals(tmp_path / "rehearsal-arrivals.jsonl")
    assert {arrival.address.split(".")[0] for arrival in arrivals} == {"198"}

    again = rehearse(tmp_path, "--hosts", "5", "--max-pages", "20", "--fresh")
    assert again.returncode == 0, again.stderr
    assert read_arrivals(tmp_path / "rehearsal-arrivals.jsonl")[0].arrived_at > arrivals[-1].arrived_at


def test_a_configuration_is_rehearsed_with_its_own_pace(tmp_path: Path) -> None:
    """Seeds and name servers in the file are replaced: no foreign host can be reached."""
    (tmp_path / "crawl.toml").write_text(
        '[crawl]\ncontact = "crawl@example.org"\nseeds = ["https://www.example.org/"]\n'
        '[politeness]\nreq_delay = "300ms"\n[fetch]\nnameservers = ["192.0.2.1"]\n'
    )
    done = rehearse(tmp_path, "crawl.toml", "--hosts", "3", "--max-pages", "6")
    assert done.returncode == 0, done.stderr
    assert "0 violations" in done.stdout
    arrivals = read_arrivals(tmp_path / "rehearsal-arrivals.jsonl")
    assert all("crawl@example.org" in arrival.user_agent for arrival in arrivals)
    assert {arrival.host for arrival in arrivals}.isdisjoint({"www.example.org"})
    for host in {arrival.host for arrival in arrivals}:
        own = sorted(arrival for arrival in arrivals if arrival.host == host)
        gaps = [later.arrived_at - earlier.answered_at for earlier, later in pairwise(own)]
        assert min(gaps, default=1.0) >= 0.3
