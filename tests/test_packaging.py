"""Do the unit, the image and the cluster in packaging/ call tiptoe as it is?

Where there is no container runtime they cannot be started; what they say can be read.
"""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tiptoe.cli.main import app

ROOT = Path(__file__).parents[1]
UNIT = (ROOT / "packaging" / "tiptoe@.service").read_text(encoding="utf-8")
IMAGE = (ROOT / "Containerfile").read_text(encoding="utf-8")


def understood(*words: str) -> bool:
    """Whether the program takes these words; else it raises what is wrong with them."""
    app.parse_args(words, print_error=False, exit_on_error=False)
    return True


def instructions(name: str) -> list[str]:
    """Return what follows a word of the Containerfile, each time."""
    joined = re.sub(r"\\\n\s*", " ", IMAGE)
    return re.findall(rf"^{name} (.+)$", joined, re.MULTILINE)


def compose() -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / "packaging" / "compose.yaml").read_text(encoding="utf-8"))


def test_the_unit_starts_a_crawl_in_its_directory() -> None:
    (line,) = re.findall(r"^ExecStart=(.+)$", UNIT, re.MULTILINE)
    program, *words = shlex.split(line.replace("%i", "czech"))
    assert program.endswith("/bin/tiptoe")
    assert understood(*words)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_has_nothing_to_say_against_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "tiptoe@czech.service"
    there = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", UNIT, flags=re.MULTILINE)
    unit.write_text(there.replace("Documentation=man:tiptoe-crawl(1)\n", ""))
    said = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    about_it = [line for line in said.stderr.splitlines() if "tiptoe@" in line]
    assert about_it == []


def test_the_image_runs_without_rights_and_keeps_one_volume() -> None:
    assert instructions("USER") == ["tiptoe"]
    assert instructions("VOLUME") == instructions("WORKDIR")[-1:] == ["/crawls"]
    assert json.loads(instructions("ENTRYPOINT")[0])[-1] == "tiptoe"
    assert understood(*json.loads(instructions("CMD")[0]))
    check = json.loads(instructions("HEALTHCHECK")[0].partition("CMD ")[2])
    assert check[0] == "tiptoe"
    assert understood(*check[1:])


def test_the_image_is_built_from_files_that_exist() -> None:
    for name in re.findall(r"(?:requirements|scripts)/[\w./*-]+", IMAGE):
        assert list(ROOT.glob(name.removesuffix(")"))), name


def test_every_service_of_the_cluster_calls_commands_that_exist() -> None:
    services = compose()["services"]
    assert set(services) == {"servers", "member-1", "member-2", "member-3", "control"}
    for name, service in services.items():
        assert understood(*service["command"]), name
        kind, *check = service["healthcheck"]["test"]
        assert kind == "CMD"
        assert check[0] == "test" or understood(*check[1:]), name


def test_members_of_the_cluster_differ_in_name_and_directory_only() -> None:
    """What one of them sets otherwise, it would not be let in with."""
    services = compose()["services"]
    members = {name: service["command"] for name, service in services.items() if name.startswith("member")}
    plain = {
        tuple(re.sub(r"(member|czech)-\d", r"\1-N", word) for word in command) for command in members.values()
    }
    assert len(members) == 3
    assert len(plain) == 1
    assert len({tuple(command) for command in members.values()}) == 3


def test_the_control_server_is_reached_from_this_machine_alone() -> None:
    service = compose()["services"]["control"]
    assert "--tls" in service["command"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
