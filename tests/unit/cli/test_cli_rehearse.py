"""A rehearsal on the simulated web."""

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

import nursery
from tiptoe.settings.opening_hours import DAYS
from tiptoe.testing.recorder import read_arrivals

pytestmark = pytest.mark.journey


WITHOUT_MODELS = ["--set", "text.extraction=all", "--set", "text.detect_language=false"]
"""For rehearsals in which nobody looks at texts: to load the models takes as long as all the rest."""


def rehearse(folder: Path, *words: str, has_models: bool = False) -> "subprocess.CompletedProcess[str]":
    models = () if has_models else WITHOUT_MODELS
    return nursery.run("tiptoe", ["rehearse", *words, *models], cwd=folder, timeout=100)


def test_a_rehearsal_is_judged_from_the_servers_side(tmp_path: Path) -> None:
    """It needs no argument, touches nobody, and says whether the crawl was polite."""
    few = ["--shape", "tiny", "--hosts", "3"]
    first = rehearse(tmp_path, *few, "--max-pages", "9", has_models=True)
    assert first.returncode == 0, first.stderr
    assert "0 violations" in first.stdout
    assert (tmp_path / "rehearsal" / "corpus").is_dir()
    arrivals = read_arrivals(tmp_path / "rehearsal-arrivals.jsonl")
    assert {arrival.address.split(".")[0] for arrival in arrivals} == {"198"}

    again = rehearse(tmp_path, *few, "--max-pages", "5", "--fresh")
    assert again.returncode == 0, again.stderr
    assert read_arrivals(tmp_path / "rehearsal-arrivals.jsonl")[0].arrived_at > arrivals[-1].arrived_at


def test_every_process_closes_what_it_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left to the end of the interpreter may be lost with it, such as the last lines of a log."""
    monkeypatch.setenv("PYTHONWARNINGS", "always::ResourceWarning")
    done, converted = (
        subprocess.run(
            [sys.executable, "-m", "tiptoe", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        for words in (["rehearse", "--hosts", "2", "--max-pages", "3"], ["convert", "rehearsal"])
    )
    assert (done.returncode, converted.returncode) == (0, 0)
    harvesters = (tmp_path / "rehearsal" / "log" / "harvester-errors.log").read_text()
    assert "ResourceWarning" not in done.stderr + converted.stderr + harvesters


def test_a_configuration_is_rehearsed_with_its_own_pace(tmp_path: Path) -> None:
    """Seeds and name servers in the file are replaced: no foreign host can be reached."""
    (tmp_path / "crawl.toml").write_text(
        '[crawl]\ncontact = "crawl@example.org"\nseeds = ["https://www.example.org/"]\n'
        '[politeness]\nreq_delay = "300ms"\n[fetch]\nnameservers = ["192.0.2.1"]\n'
    )
    done = rehearse(tmp_path, "crawl.toml", "--shape", "tiny", "--hosts", "3", "--max-pages", "6")
    assert done.returncode == 0, done.stderr
    arrivals = read_arrivals(tmp_path / "rehearsal-arrivals.jsonl")
    assert all("crawl@example.org" in arrival.user_agent for arrival in arrivals)
    assert {arrival.host for arrival in arrivals}.isdisjoint({"www.example.org"})
    for host in {arrival.host for arrival in arrivals}:
        own = sorted(arrival for arrival in arrivals if arrival.host == host)
        gaps = [later.arrived_at - earlier.answered_at for earlier, later in pairwise(own)]
        assert min(gaps, default=1.0) >= 0.3


def test_pauses_as_long_as_on_the_real_web_are_told_of(tmp_path: Path) -> None:
    """A file made for the real web may have them; nobody expects to wait here."""
    slow = ["--hosts", "2", "--max-pages", "1", "--set", "crawl.max_seconds=1s", "--shape", "tiny"]
    done = rehearse(tmp_path, *slow, "--general-pause", "5m")
    assert "0.1 s after an answer and 300 s after a series, so this takes long" in done.stdout
    assert "takes long" not in rehearse(tmp_path, *slow, "--fresh").stdout


def test_a_rehearsal_with_revisits_is_told_the_truth(tmp_path: Path) -> None:
    """The web knows when its pages changed: what the crawl believes can be held against it."""
    done = rehearse(
        tmp_path, "--shape", "tiny", "--hosts", "3", "--revisit", "uniform", "--revisit-first", "1s",
        "--change-every", "3s", "--on-end", "watch", "--max-seconds", "6",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = dict(re.findall(r"^ *([a-z ,]+?) {2,}([\d.]+) %", done.stdout, re.MULTILINE))
    assert 20.0 < float(rows["up to date between visits"]) < 100.0
    assert float(rows["revisits that found a change"]) > 10.0

    told = json.loads(tiptoe(tmp_path, "freshness", "rehearsal", "--json"))
    assert told["measured"]["changed"] > 0
    assert told["estimated"]["changes_found"] > 0

    tiptoe(
        tmp_path,
        "export",
        "rehearsal",
        "--format",
        "jsonl",
        "--as-of",
        "now",
        "--all",
        "--out",
        "mirror.jsonl",
    )
    tiptoe(tmp_path, "export", "rehearsal", "--format", "jsonl", "--out", "all.jsonl")
    mirror, every = (
        [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        for name in ("mirror.jsonl", "all.jsonl")
    )
    assert len({document["url"] for document in mirror}) == len(mirror) == told["pages"]
    assert {document["url"] for document in every} == {document["url"] for document in mirror}
    assert len(every) == len(mirror) + told["estimated"]["changes_found"]

    changed = max(mirror, key=lambda document: document.get("version", 1))
    history = json.loads(tiptoe(tmp_path, "history", "rehearsal", changed["url"], "--json"))
    versions = [visit["version"] for visit in history["visits"] if visit["version"]]
    assert versions == list(range(1, changed["version"] + 1))
    shown = tiptoe(tmp_path, "history", "rehearsal", changed["url"], "--show", str(changed["version"]))
    assert shown.splitlines() == changed["paragraphs"]


def tiptoe(folder: Path, *words: str) -> str:
    done = nursery.run("tiptoe", words, cwd=folder, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_where_arrivals_cannot_be_recorded_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "rehearsal-arrivals.jsonl").mkdir()
    ended = rehearse(tmp_path, "--hosts", "3")
    assert ended.returncode == 2
    assert ended.stderr == "tiptoe: rehearsal-arrivals.jsonl: cannot be written: Is a directory\n"


def test_a_real_crawl_is_never_taken_for_a_rehearsal(tmp_path: Path) -> None:
    """Not even when a record of arrivals lies beside it, such as one that a refused rehearsal has left."""
    crawl = tmp_path / "czech"
    (crawl / "corpus").mkdir(parents=True)
    (crawl / "crawl.json").write_text(json.dumps({"seeds": ["https://www.example.org/"], "is_seeded": True}))
    for words in (["--fresh"], [], ["--fresh"]):
        done = rehearse(tmp_path, "--out", "czech", "--hosts", "2", *words)
        assert (done.returncode, "not known as a rehearsal" in done.stderr) == (2, True), done.stderr
        (tmp_path / "czech-arrivals.jsonl").touch()
    assert (crawl / "corpus").is_dir()


def test_a_slower_pace_can_be_rehearsed_after_a_faster_one(tmp_path: Path) -> None:
    """What was asked before was asked under other rules."""
    few = ["--shape", "tiny", "--hosts", "3"]
    assert rehearse(tmp_path, *few, "--max-pages", "9", "--req-delay", "10ms").returncode == 0
    slower = rehearse(tmp_path, *few, "--max-pages", "15", "--req-delay", "300ms")
    assert slower.returncode == 0, slower.stdout


def test_another_web_is_told_from_another_crawl(tmp_path: Path) -> None:
    few = ["--shape", "tiny", "--max-pages", "2"]
    assert rehearse(tmp_path, *few, "--hosts", "2").returncode == 0
    other = rehearse(tmp_path, *few, "--hosts", "3")
    assert (other.returncode, "--fresh removes it" in other.stderr) == (2, True), other.stderr


def test_a_rehearsal_of_nothing_is_not_passed(tmp_path: Path) -> None:
    hosts = "h000000-pl.test,h000001-en.example"
    done = rehearse(tmp_path, "--shape", "tiny", "--hosts", "2", "--set", f"politeness.blocked_hosts={hosts}")
    assert (done.returncode, "nothing was rehearsed" in done.stderr) == (2, True), done.stderr
    assert "blocked_hosts exclude" in " ".join(done.stderr.split())


def test_a_rehearsal_outside_of_its_hours_says_so(tmp_path: Path) -> None:
    """More time would not help before the day comes."""
    day = DAYS[(datetime.now(UTC).weekday() + 3) % 7]
    done = rehearse(
        tmp_path, "--shape", "tiny", "--hosts", "2", "--schedule", day, "--set", "crawl.time_zone=UTC",
        "--max-seconds", "2s",
    )  # fmt: skip
    said = " ".join(done.stderr.split())
    assert (done.returncode, "crawl.schedule allows no request at this hour" in said) == (2, True), said


def test_a_rehearsal_that_ends_before_the_first_request_does_not_blame_blocked_hosts(tmp_path: Path) -> None:
    done = rehearse(tmp_path, "--shape", "tiny", "--hosts", "2", "--max-seconds", "1ms")
    said = " ".join(done.stderr.split())
    assert (done.returncode, "give it more time" in said, "blocked_hosts" in said) == (2, True, False), said


def test_bounds_that_leave_out_the_whole_simulated_web_are_not_rehearsed(tmp_path: Path) -> None:
    """As those of a crawl of one country do: the rest of its configuration can be tried all the same."""
    (tmp_path / "crawl.toml").write_text("[scope]\ninclude = ['\\.cz$']\n[crawl]\nmax_pages = 5\n")
    done = rehearse(tmp_path, "crawl.toml", "--shape", "tiny", "--hosts", "2")
    assert done.returncode == 0, done.stderr
    assert "The bounds of the crawl leave out every host" in done.stdout


def test_a_machine_that_has_slept_can_crawl(tmp_path: Path) -> None:
    """It has two counts of time, which have drifted apart: nobody may mix them."""
    asleep = ["unshare", "--user", "--map-root-user", "--time", "--boottime", "100000", "--fork"]
    try:
        subprocess.run([*asleep, "true"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("the system lets nobody pretend to have slept (unshare --time)")
    words = ["--shape", "tiny", "--hosts", "3", "--max-pages", "9", *WITHOUT_MODELS]
    command = [*asleep, sys.executable, "-m", "tiptoe", "rehearse", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "harvester.lost" not in (tmp_path / "rehearsal" / "log" / "keeper.log").read_text()
