"""What a crawl refuses before it begins."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from cli_samples import running_keeper
from cyclopts import App

from tiptoe.cli.crawl_command import _RunEnd, crawl_command, host_settings, run_crawl
from tiptoe.cli.exits import Exit
from tiptoe.cli.past import Past
from tiptoe.cli.printer import Printer
from tiptoe.compose import open_store
from tiptoe.errors import SettingsError
from tiptoe.keeper.ending import is_worth_another, sequel_of
from tiptoe.keeper.plan import SessionPlan
from tiptoe.keeper.settings_file import remember
from tiptoe.observe.run_figures import write_figures
from tiptoe.observe.stops import Stop
from tiptoe.protocol.status import Status
from tiptoe.settings.layers import Settings


def crawl(*words: str) -> None:
    app = App(name="tiptoe", result_action="return_value")
    app.command(crawl_command, name="crawl")
    app(["crawl", *words, "--contact", "https://example.org/bot"], exit_on_error=False)


def begun_crawl(directory: Path, settings: Mapping[str, object] = MappingProxyType({})) -> None:
    """Leave what is there as soon as a crawl has begun."""
    (directory / "state").mkdir(parents=True)
    (directory / "crawl.json").write_text('{"seeds": ["https://a.example/"], "is_seeded": true}')
    remember(directory, settings)


def test_all_bad_seeds_are_named_at_once(tmp_path: Path) -> None:
    """Whoever has a file of ten thousand does not want to be told of one at a time."""
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# ours\nhttps://a.example/ gopher://b.example/\nmailto:c@example.org\n")
    with pytest.raises(SettingsError) as refused:
        crawl(str(seeds), "--out", str(tmp_path / "crawl"))
    assert "gopher://b.example/" in str(refused.value)
    assert "mailto:c@example.org" in str(refused.value)
    assert not (tmp_path / "crawl").exists()


def test_seeds_that_are_to_be_added_have_to_be_named(tmp_path: Path) -> None:
    """Else the crawl would go on as before, and who wanted more would hear nothing."""
    begun_crawl(tmp_path / "made")
    with pytest.raises(SettingsError, match="--add-seeds: name the seeds that are to be added"):
        crawl("--add-seeds", "--out", str(tmp_path / "made"))


def test_where_no_crawl_lives_a_seed_is_missing_before_a_contact(tmp_path: Path) -> None:
    """Whoever wants to continue and mistypes the directory has given a contact long ago."""
    app = App(name="tiptoe", result_action="return_value")
    app.command(crawl_command, name="crawl")
    out = tmp_path / "none"
    with pytest.raises(SettingsError, match="none: no crawl to continue; name at least one seed"):
        app(["crawl", "--out", str(out)], exit_on_error=False)
    with pytest.raises(SettingsError, match="no contact given"):
        app(["crawl", "https://a.example/", "--out", str(out)], exit_on_error=False)
    assert not out.exists()


def test_a_flood_of_bad_seeds_is_cut(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(f"gopher://{number}.example/" for number in range(1000)))
    with pytest.raises(SettingsError) as refused:
        crawl(str(seeds), "--out", str(tmp_path / "crawl"))
    assert len(str(refused.value).splitlines()) <= 21


def test_a_missing_downlist_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"down\.txt"):
        crawl(
            "https://a.example/", "--downlist", str(tmp_path / "down.txt"), "--out", str(tmp_path / "crawl")
        )
    assert not (tmp_path / "crawl").exists()


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_harvesters_from_outside_need_a_secret(tmp_path: Path, content: str | None) -> None:
    """An empty secret would let everybody in."""
    token = tmp_path / "token"
    if content is not None:
        token.write_text(content)
    with pytest.raises(SettingsError, match="token"):
        crawl(
            "https://a.example/", "--listen", "127.0.0.1:7700", "--set", f"harvest.token_file={token}",
            "--out", str(tmp_path / "crawl"),
        )  # fmt: skip


def test_an_address_that_is_too_long_is_told_from_one_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        crawl("http://a.example/" + "x" * 5000, "--out", str(tmp_path / "crawl"))
    assert "longer than scope.url_bytes_max" in str(refused.value)
    assert len(str(refused.value)) < 200


def in_background(folder: Path, *words: str, piped: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tiptoe", "crawl", *words, "--background", "--contact", "a@example.org"]
    return subprocess.run(
        command, cwd=folder, input=piped, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_crawl_that_cannot_start_in_the_background_leaves_nothing_behind(tmp_path: Path) -> None:
    ended = in_background(tmp_path, "--out", "czech")
    assert ended.returncode == 2
    assert ended.stderr == "tiptoe: czech: no crawl to continue; name at least one seed\n"
    assert list(tmp_path.iterdir()) == []


def test_a_crawl_in_the_background_writes_nothing_into_the_directory_of_others(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    ended = in_background(tmp_path, "https://a.example/", "--out", str(tmp_path))
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_an_earlier_run_said_is_not_said_again(tmp_path: Path) -> None:
    (tmp_path / "czech" / "log").mkdir(parents=True)
    (tmp_path / "czech" / "log" / "console.log").write_text("an old error\n")
    begun_crawl(tmp_path / "czech")
    ended = in_background(tmp_path, "https://b.example/", "--out", "czech")
    assert ended.returncode == 2
    assert "an old error" not in ended.stderr


def test_hosts_are_blocked_and_slowed_however_a_file_spells_them() -> None:
    """The crawl knows them by their canonical names alone."""
    settings = Settings.load(
        None,
        {
            "politeness.blocked_hosts": ["WWW.Example.cz", "192.0.2.7"],
            "politeness.slowed_hosts": ["Häuser.example=60s"],
        },
    )
    assert host_settings(settings) == (("www.example.cz", "192.0.2.7"), {"xn--huser-gra.example": 60.0})


def test_a_block_that_names_no_host_is_refused() -> None:
    """Better than a crawl that asks whom it should not."""
    with pytest.raises(SettingsError, match=r"blocked_hosts.*no host name"):
        Settings.load(None, {"politeness.blocked_hosts": ["https://a.example/x"]})


def test_a_crawl_that_runs_already_is_not_started_again(tmp_path: Path) -> None:
    """Its directory may have a space in its name: what is said can be pasted."""
    with running_keeper(tmp_path / "my crawl"):
        ended = in_background(tmp_path, "--out", "my crawl")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "`tiptoe stop 'my crawl'` ends it" in ended.stderr
    assert not (tmp_path / "my crawl" / "log").exists()


def test_a_start_in_the_background_that_fails_removes_nobodys_directory(tmp_path: Path) -> None:
    (tmp_path / "czech").mkdir()
    assert in_background(tmp_path, "--out", "czech").returncode == 2
    assert [path.name for path in tmp_path.rglob("*")] == ["czech"]


def test_a_token_that_is_no_text_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "token").write_bytes(b"x\xff\n")
    with pytest.raises(SettingsError, match="token: not a UTF-8 text file"):
        crawl(
            "https://a.example/", "--listen", "127.0.0.1:7700", "--set",
            f"harvest.token_file={tmp_path / 'token'}", "--out", str(tmp_path / "crawl"),
        )  # fmt: skip


def test_a_crawl_that_has_ended_starts_again_from_its_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that finds nothing left is followed by one from the seeds; that one has to bring something."""
    settings = Settings.load(None, {"crawl.out": str(tmp_path), "crawl.on_end": "again"})
    begun_crawl(tmp_path)
    open_store(settings, tmp_path).close()
    runs: list[tuple[list[str], bool]] = []

    def run(live: object, directory: object, plan: SessionPlan, *_: object, **named: object) -> _RunEnd:
        is_continuation = bool(named["is_continuation"])
        runs.append((plan.seeds, is_continuation))
        worth = is_worth_another(0, is_continuation=is_continuation)
        return _RunEnd(Exit.DONE, sequel_of(Stop.FINISHED, "again", is_fruitful=worth))

    monkeypatch.setattr("tiptoe.cli.crawl_command._run_session", run)
    assert run_crawl(settings, [], Printer(quiet=True), past=Past.recall(tmp_path)) == Exit.DONE
    assert runs == [([], True), (["https://a.example/"], False)]


def test_a_dash_reads_seeds_from_the_standard_input(tmp_path: Path) -> None:
    """Also in the background, where nobody can type any more."""
    for piped, said in (("", "no address came"), ("gopher://a.example/\n", "'gopher://a.example/' cannot")):
        ended = in_background(tmp_path, "-", "--out", "czech", piped=piped)
        assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
        assert said in ended.stderr
    assert list(tmp_path.iterdir()) == []


def written_corpus(directory: Path, encoding: str) -> None:
    """Leave what a run leaves that wrote its corpus in this encoding."""
    for name in ("corpus", "log"):
        (directory / name).mkdir(parents=True)
    begun_crawl(directory, {"write.encoding": encoding})
    (directory / "corpus" / "tiptoe-h1-3e8-0001-00001.jsonl").touch()
    write_figures(directory, Status(started_at=1.0, now=2.0, encoding=encoding))


@pytest.mark.parametrize(("before", "now"), [("utf-8", "iso-8859-2"), ("windows-1250", "utf-8")])
def test_the_encoding_of_a_corpus_does_not_change(tmp_path: Path, before: str, now: str) -> None:
    """Whoever reads its files would have to know which was written when."""
    written_corpus(tmp_path / "czech", before)
    with pytest.raises(SettingsError) as refused:
        crawl("--out", str(tmp_path / "czech"), "--set", f"write.encoding={now}")
    assert str(refused.value) == (
        f"--set write.encoding={now}: the crawl in {tmp_path / 'czech'} has write.encoding = {before}, which "
        "stays as it is: a corpus has one encoding; leave it out, or choose another --out"
    )


def test_the_encoding_of_a_corpus_is_known_from_its_files_as_well(tmp_path: Path) -> None:
    """Who says that the settings are to be forgotten has not said so of the corpus."""
    written_corpus(tmp_path / "czech", "windows-1250")
    (tmp_path / "czech" / "state" / "settings.json").unlink()
    with pytest.raises(SettingsError, match="is written in windows-1250, and a corpus has one encoding"):
        crawl("--out", str(tmp_path / "czech"), "--forget-settings")


def test_with_the_encoding_that_it_has_a_corpus_is_gone_on_with(tmp_path: Path) -> None:
    """So far that its state is found to be missing."""
    written_corpus(tmp_path / "czech", "windows-1250")
    with pytest.raises(SettingsError, match="the state of this crawl is missing"):
        crawl("--out", str(tmp_path / "czech"))


def test_a_crawl_says_at_its_end_what_it_took_as_downloaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its only seed is on the list, and a file of this machine: nobody is asked for anything."""
    seed, listed = f"file://{tmp_path}/page.html", tmp_path / "down.txt"
    listed.write_text(f"{seed}\n")
    crawl(
        seed, "--downlist", str(listed), "--set", "scope.schemes=file", "--out", str(tmp_path / "crawl")
    )  # fmt: skip
    printed = capsys.readouterr().out
    assert "nothing left to request" in printed
    assert f"not requested: 1 address of {listed}." in printed
    logs = (tmp_path / "crawl" / "log").glob("requests-*.jsonl")
    lines = [json.loads(line) for log in logs for line in log.read_text(encoding="utf-8").splitlines()]
    assert {line["kind"] for line in lines} <= {"opening"}
