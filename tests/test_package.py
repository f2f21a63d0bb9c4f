"""Does what is built install and run where there is no repository?"""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tiptoe"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_what_is_built_is_complete_and_crawls_in_a_clean_environment(tmp_path: Path) -> None:
    """One test, since building takes long: what somebody gets who runs `pipx install tiptoe`."""
    out = tmp_path / "dist"
    ended = subprocess.run(
        [ROOT / "scripts" / "build", "--out", out], capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    (wheel,), (source,) = out.glob("*.whl"), out.glob("*.tar.gz")

    check_source(source)
    check_files(wheel)
    check_metadata(wheel)
    check_that_it_runs(wheel, tmp_path)


def test_what_cannot_be_compiled_is_left_out(tmp_path: Path) -> None:
    """Whoever has no compiler gets everything else, by the same command."""
    built = ["build_ext", "--build-lib", str(tmp_path / "lib"), "--build-temp", str(tmp_path / "temp")]
    ended = subprocess.run(
        [sys.executable, "setup.py", "--quiet", *built], cwd=ROOT, env=os.environ | {"CC": "/bin/false"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "compiled_trees" in ended.stderr + ended.stdout, "it was tried"
    assert not list(tmp_path.rglob("*.so"))


def check_that_it_runs(wheel: Path, tmp_path: Path) -> None:
    """Install the wheel and nothing else, and let it crawl."""
    home = tmp_path / "env"
    venv.create(home, with_pip=False)
    (pip,) = (ROOT / "scripts" / "vendor").glob("pip-*.whl")
    options = ["--quiet", "--no-index", "--no-deps", "--no-compile", "--disable-pip-version-check"]
    run(tmp_path, home / "bin" / "python", pip / "pip", "install", *options, wheel)
    # The libraries are those of this environment, the program is not: .pth files in there are not read.
    (site,) = home.glob("lib/python3*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_paths()["purelib"])

    assert run(tmp_path, home / "bin" / "tiptoe", "--version").strip() == PROJECT["version"]
    where = run(tmp_path, home / "bin" / "python", "-c", "import tiptoe; print(tiptoe.__file__)")
    assert Path(where.strip()).is_relative_to(home)
    printed = run(tmp_path, home / "bin" / "tiptoe", "rehearse", "--shape", "tiny", "--max-pages", "10")
    assert "0 violations of politeness" in printed
    run(tmp_path, home / "bin" / "tiptoe", "stats", "rehearsal", "--html", "stats.html")
    assert (tmp_path / "stats.html").stat().st_size > 10_000


def run(directory: Path, *words: str | Path) -> str:
    """Run a program there, without anything of this environment in its own; return what it prints."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    ended = subprocess.run(
        words, cwd=directory, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    # 3: the limit of pages is reached
    assert ended.returncode in (0, 3), ended.stderr
    return ended.stdout


def check_files(wheel: Path) -> None:
    """A page or a model that stays behind is missed only when somebody asks for it."""
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("tiptoe/")}
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    files = {path for path in files if path.suffix != ".so"}  # compiled for this machine
    assert wheel.name.endswith("-py3-none-any.whl"), "it installs anywhere"
    assert packed == {path.relative_to(PACKAGE.parent).as_posix() for path in files}


def check_source(source: Path) -> None:
    """It holds what is needed to build, test and read it."""
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "README.md",
        "LICENSE",
        "setup.py",
        "src/tiptoe/text/compiled_trees.pyx",
        "scripts/build",
        "requirements/dev.txt",
        "docs/quickstart.md",
    }
    assert wanted | {"tests/test_package.py", "Containerfile", "training/language/README.md"} <= names
    assert not {
        name for name in names if name.endswith((".pyc", ".so")) or name.startswith((".venv", ".git"))
    }


def check_metadata(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (info,) = {name.partition("/")[0] for name in archive.namelist() if ".dist-info/" in name}
    told = archive.read(f"{info}/METADATA").decode()
    extras = set(re.findall(r"^Provides-Extra: (\S+)", told, re.MULTILINE))
    assert extras == {"cluster", "control", "duckdb", "postgresql"}
    assert "License-Expression: Apache-2.0 AND " in told
    assert told.count("License-File: ") == 3, "ours, and those of the scripts in the pages"
    assert "# tiptoe" in told, "the README"


@pytest.mark.parametrize("extra", ["", *PROJECT["optional-dependencies"]])
def test_bounds_let_in_what_is_locked_and_nothing_of_a_later_generation(extra: str) -> None:
    """Without the lock, an installation next year must still work."""
    named = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
    locks = [(ROOT / "requirements" / f"{name}.txt").read_text() for name in ("cluster", "control", "duckdb")]
    locked = re.findall(r"^([a-z0-9.-]+)==([0-9.]+)", "\n".join(locks), re.MULTILINE)
    for requirement in map(Requirement, named):
        versions = {version for name, version in locked if name == requirement.name.replace(".", "-")}
        assert versions, requirement
        assert all(version in requirement.specifier for version in versions), requirement
        assert "9999" not in requirement.specifier, requirement


def test_it_says_which_python_it_runs_on() -> None:
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in "".join(PROJECT["classifiers"])
