"""Completion: asked of the real shells, where they are installed."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tiptoe.cli.command_tree import DeclaredCommand, Takes, declared_commands
from tiptoe.cli.completion_scripts import Shell, completion_script, hint
from tiptoe.cli.main import app

TYPED = {
    # what is typed, the last word being completed: what a shell has to offer
    ("tiptoe", "reh"): {"rehearse"},
    ("tiptoe", "cluster", "st"): {"status", "stop"},
    ("tiptoe", "export", "crawl", "--fo"): {"--format", "--force"},
    ("tiptoe", "export", "crawl", "--format", "v"): {"vertical"},
    ("tiptoe", "segmenter", "s"): {"serve"},
    ("tiptoe", "crawl", "--background", "--on-end", ""): {"quit", "idle", "watch", "loop", "again"},
    ("tiptoe", "crawl", "--contact", "me@example.org", "--dep"): {"--depth"},
    ("tiptoe", "status", ""): {"crawl", "my czech"},
    ("tiptoe", "block", "www.example.cz", ""): {"crawl", "my czech"},
    ("tiptoe", "crawl", "--out", "c"): {"crawl"},
    ("tiptoe", "repair", "deeper/"): {"deeper/crawl-2"},
    ("tiptoe", "crawl", "seeds"): {"seeds.txt"},
    ("tiptoe", "crawl", "--contact", ""): set(),
}
"""A crawl may be called as a command is, and have a space in its name."""

BASH = """
offered() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tiptoe; (IFS=$'\\t'; echo "${COMPREPLY[*]}"); }
"""
ZSH = """
compdef() { }
offered() {
    local -a words=("$@") all
    local CURRENT=$# PREFIX=${@[-1]}
    _tiptoe
    print -r -- ${(pj:\\t:)${(@M)all:#${words[-1]}*}}
}
_describe() { all=(${(P)${@[-1]}%%:*}) }
_files() { all=(${words[-1]}*(N)) }
_message() { }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; all=("$@"); (( $#all )) }
compset() { }
"""
FISH = """
function offered
    set -l found (complete -C (string join ' ' -- (string escape -- $argv[..-2]) $argv[-1]) |
        string replace -r '\\t.*' '' | string trim -r -c / | string unescape)
    echo (string join \\t -- $found)
end
"""


@pytest.fixture(scope="module")
def commands() -> DeclaredCommand:
    return declared_commands(app)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with crawls, one of them further down, and other things."""
    for name in ("crawl", "my czech", "deeper/crawl-2"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "crawl.json").touch()
    (tmp_path / "seeds.txt").touch()
    return tmp_path


def offered(shell: Shell, script: str, place: Path, words: Sequence[tuple[str, ...]]) -> list[set[str]]:
    """Return what a shell offers after each line of words."""
    calls = "\n".join("offered " + " ".join(f"'{word}'" for word in line) for line in words)
    ahead = {"bash": BASH, "zsh": ZSH, "fish": FISH}[shell]
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    file = place / ".typed"
    file.write_text(f"{ahead}\n{script}\n{calls}\n")
    ended = subprocess.run(
        [shell, *options, file], cwd=place, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stderr == ""
    return [set(filter(None, line.split("\t"))) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_offer_commands_options_choices_and_crawls(
    shell: Shell, commands: DeclaredCommand, place: Path
) -> None:
    """The words are those of the declarations, so this asks whether the scripts understand them."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    lines = list(TYPED)
    found = offered(shell, completion_script(commands, shell), place, lines)
    assert dict(zip(lines, found, strict=True)) == TYPED


def test_bash_takes_a_value_behind_an_equals_sign(commands: DeclaredCommand, place: Path) -> None:
    """It takes such words apart, as it does with addresses."""
    lines = [("tiptoe", "crawl", "http", ":", "//a.example/", "--on-end", "=", "w")]
    assert offered("bash", completion_script(commands, "bash"), place, lines) == [{"watch"}]


def test_a_switch_takes_nothing_and_a_setting_its_choices(commands: DeclaredCommand) -> None:
    crawl = next(command for command in commands.under if command.words == ("crawl",))
    options = {name: option for option in crawl.options for name in option.names}
    assert options["--background"].takes is Takes.NOTHING
    assert options["--no-background"] is options["--background"]
    assert options["--revisit"].choices == ("none", "uniform", "adaptive", "optimal")
    assert options["--out"].takes is Takes.CRAWL
    assert options["--config"].takes is Takes.FILE


def test_every_command_is_in_the_tree_once(commands: DeclaredCommand) -> None:
    walked = [command.words for command in commands.walk()]
    assert len(walked) == len(set(walked)) > 70
    assert ("cluster", "add-user") in walked


def test_a_hint_is_the_first_sentence_in_plain_words() -> None:
    assert hint("Go on after `tiptoe pause`. Or not.") == "Go on after tiptoe pause"
    assert hint("Pages. [default: 3]") == "Pages"
    assert len(hint("word " * 40)) <= 70


WITHOUT_EXTRAS = """
import sys
from tiptoe.cluster.libraries import EXTRA as cluster
from tiptoe.control.control_libraries import EXTRA as control

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {*cluster, *control, "duckdb", "psycopg"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from tiptoe.cli.main import main
main()
"""


@pytest.mark.parametrize("words", [("completion", "bash"), ("manual", "--out", "man1")])
def test_it_needs_none_of_the_extras(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Commands are declared whether or not the libraries that they work with are installed."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS, *words],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
