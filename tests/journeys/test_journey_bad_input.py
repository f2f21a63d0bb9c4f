"""Whatever is wrong with what we were given is said in a line, and costs nothing that was gathered."""

import errno
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, Pace, simulated_web, tiptoe, wait_until

from tiptoe.cli.exits import Exit

pytestmark = pytest.mark.journey

CONTACT = ("--contact", "https://example.org/bot")
FEW = replace(SMALL, hosts=4, pages_per_host=5)


def refused(*words: str) -> str:
    """Run a command that must be refused in one line; return that line."""
    done = tiptoe(*words)
    assert done.returncode == 2, done.stdout + done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("tiptoe: ")
    return lines[0]


def test_a_seed_that_is_no_address_is_named(tmp_path: Path) -> None:
    line = refused("crawl", "http://", *CONTACT, "--out", str(tmp_path / "crawl"))
    assert "'http://' names no host" in line
    assert not (tmp_path / "crawl").exists()


def test_a_bad_line_in_a_seed_file_is_named_with_its_file(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("https://a.example/ gopher://b.example/\n")
    line = refused("crawl", str(seeds), *CONTACT, "--out", str(tmp_path / "crawl"))
    assert str(seeds) in line
    assert "gopher://b.example/" in line


@pytest.mark.parametrize("kind", ["missing", "directory", "binary"])
def test_a_seed_file_that_cannot_be_read_is_named(tmp_path: Path, kind: str) -> None:
    seeds = tmp_path / "seeds.txt"
    if kind == "directory":
        seeds.mkdir()
    elif kind == "binary":
        seeds.write_bytes(bytes(range(256)))
    line = refused("crawl", str(seeds), *CONTACT, "--out", str(tmp_path / "crawl"))
    assert str(seeds) in line
    assert not (tmp_path / "crawl").exists()


def test_an_unknown_setting_is_named_with_its_line_and_the_nearest_known(tmp_path: Path) -> None:
    file = tmp_path / "crawl.toml"
    file.write_text('[crawl]\ncontact = "crawl@example.org"\n\n[politeness]\nreq_delya = "3s"\n')
    line = refused("crawl", "https://a.example/", "-c", str(file), "--out", str(tmp_path / "crawl"))
    assert f"{file}:5" in line
    assert "req_delay" in line


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--req-delay", "1ms"), "at least 1s"),
        (("--req-delay", "soon"), "soon"),
        (("--set", "fetch.body_max=5GiB"), "at most 2GiB"),
        (("--max-hosts", "0"), "at least 1"),
        (("--include", "("), "--include"),
    ],
)
def test_a_setting_out_of_bounds_is_refused(tmp_path: Path, option: tuple[str, str], said: str) -> None:
    line = refused("crawl", "https://a.example/", *CONTACT, *option, "--out", str(tmp_path / "crawl"))
    assert said in line
    assert not (tmp_path / "crawl").exists()


def test_nothing_starts_without_a_contact(tmp_path: Path) -> None:
    line = refused("crawl", "https://a.example/", "--out", str(tmp_path / "crawl"))
    assert "contact" in line
    assert not (tmp_path / "crawl").exists()


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("important")
    line = refused("crawl", "https://a.example/", *CONTACT, "--out", str(tmp_path))
    assert "not a crawl of ours" in line
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_where_the_directory_should_be_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "crawl").write_text("important")
    line = refused("crawl", "https://a.example/", *CONTACT, "--out", str(tmp_path / "crawl"))
    assert str(tmp_path / "crawl") in line
    assert (tmp_path / "crawl").read_text() == "important"


def test_a_crawl_without_seeds_needs_a_directory_to_go_on_with(tmp_path: Path) -> None:
    line = refused("crawl", *CONTACT, "--out", str(tmp_path / "crawl"))
    assert "name at least one seed" in line


def test_the_directory_of_another_crawl_and_one_in_use_are_refused(tmp_path: Path) -> None:
    """Two crawls in one directory would spoil both; the one that is there goes on undisturbed."""
    with simulated_web(tmp_path, FEW) as stage:
        crawl = stage.crawl(pace=Pace(req_delay=6.0))  # on a busy machine it is not to end before it is told
        crawl.start()
        crawl.wait_for_lines(1)
        assert crawl.process is not None
        second = Crawl(crawl.out, crawl.seeds, crawl.settings)
        line = refused(*second.command()[3:])
        assert f"in use by process {crawl.process.pid}" in line
        crawl.tell("stop")
        crawl.settings.update(Pace().settings())
        crawl.run()
        other = Crawl(crawl.out, ["http://other.example/"], crawl.settings)
        line = refused(*other.command()[3:])
        assert "holds another crawl" in line
        assert stage.homes()[0] in line
    assert stage.truth() == crawl.urls()
    assert stage.violations() == []


def test_a_proxy_that_is_down_ends_the_crawl_with_a_reason(tmp_path: Path) -> None:
    with simulated_web(tmp_path, FEW) as stage:
        crawl = stage.crawl(fetch__proxy=f"http://127.0.0.1:{closed_port()}")
        printed = crawl.run(ends=Exit.NOTHING)
    assert "0 pages" in printed
    assert "refused" in printed
    assert "Traceback" not in printed
    assert {entry.failure for entry in crawl.requests()} == {"refused"}


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_names_that_do_not_exist_are_given_up_and_counted(tmp_path: Path) -> None:
    with simulated_web(tmp_path, FEW) as stage:
        crawl = stage.crawl([*stage.homes(), "http://nobody.example/", "http://h000099-cs.example/"])
        printed = crawl.run()
    assert "no_such_host" in printed
    assert stage.truth() == crawl.urls()


def test_a_name_server_that_is_down_ends_the_crawl_with_a_reason(tmp_path: Path) -> None:
    with simulated_web(tmp_path, replace(FEW, hosts=1)) as stage:
        crawl = stage.crawl(fetch__nameservers=f"127.0.0.1:{closed_port()}")
        printed = crawl.run(ends=Exit.NOTHING)
    assert "dns_failed" in printed
    assert "0 pages" in printed


def test_names_that_lead_into_a_private_network_are_not_asked(tmp_path: Path) -> None:
    """A page, or a name server, must not steer us into our own network."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        done = tiptoe(
            "crawl", f"http://127.0.0.1:{port}/", "http://[::1]/", "http://10.0.0.1/", *CONTACT,
            "--out", str(tmp_path / "crawl"),
        )  # fmt: skip
        with pytest.raises(BlockingIOError):
            server.accept()
    assert done.returncode == Exit.NOTHING, done.stderr
    assert "The likely reason: the seeds lie in a private network" in done.stdout
    assert done.stdout.count("(address in a private network)") == 3
    assert "fetch.allow_networks" in done.stdout
    assert Crawl(tmp_path / "crawl", [], {}).requests() == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 MB that can be filled without harm."""
    mount = shutil.which("mount")
    folder = tmp_path / "disk"
    folder.mkdir()
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk")
    try:
        yield folder
    finally:
        wait_until(lambda: not subprocess.run(["umount", str(folder)], check=False).returncode, "umount")


def fill(disk: Path, *, leaving: int) -> Path:
    """Take the room on a disk but for so many bytes."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        # The crawl takes room meanwhile, so measure anew before each piece.
        while (room := shutil.disk_usage(disk).free - leaving) > 0:
            try:
                file.write(bytes(min(room, 65536)))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                break
    return filler


def test_a_crawl_pauses_while_the_disk_is_nearly_full(tmp_path: Path, small_disk: Path) -> None:
    """It says so, and goes on when there is room."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl(pace=Pace(req_delay=0.2), write__disk_free_min="20MB")
        crawl.out, crawl.folder = small_disk / "crawl", tmp_path
        crawl.start()
        crawl.wait_for_lines(20)
        filler = fill(small_disk, leaving=10_000_000)
        crawl.status_when(lambda figures: figures["holds"] == ["disk"], "the hold")
        held_at = time.time()
        time.sleep(0.7)
        freed_at = time.time()
        filler.unlink()
        crawl.status_when(lambda figures: figures["holds"] == [], "the end of the hold")
        crawl.try_tell("stop")  # unless it has come to its end by then
        crawl.wait()
        events = (crawl.out / "log" / "keeper.log").read_text()
        crawl.settings.update(Pace().settings())
        crawl.run()
        assert stage.truth() == crawl.urls()
        assert "disk.full" in events
        assert "disk.has_room" in events
    assert stage.violations() == []
    assert [at for arrival in stage.arrivals() if held_at < (at := arrival.arrived_at) < freed_at] == []


def test_a_disk_without_any_room_costs_nothing_that_was_acknowledged(
    tmp_path: Path, small_disk: Path
) -> None:
    """It waits, or ends with one clear line; the next run goes on from what is there."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl(pace=Pace(req_delay=0.1), write__disk_free_min="0")
        crawl.out, crawl.folder = small_disk / "crawl", tmp_path
        crawl.start()
        crawl.wait_for_lines(20)
        filler = fill(small_disk, leaving=0)
        wait_until(lambda: has_ended(crawl) or bool(crawl.status().get("troubles")), "trouble")
        filler.unlink()
        if not has_ended(crawl):
            crawl.try_tell("stop")
        code = crawl.wait()
        assert "Traceback" not in crawl.console
        assert code in (Exit.DONE, Exit.INTERRUPTED) or "the same command goes on" in crawl.console
        crawl.settings.update(Pace().settings())
        crawl.run()
        assert stage.truth() == crawl.urls()
    assert stage.violations() == []


def has_ended(crawl: Crawl) -> bool:
    return crawl.process is not None and crawl.process.poll() is not None
