"""Does the layout defend itself? Code in the wrong folder fails here, not in review."""

import ast
import inspect
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from tiptoe import compose, compose_harvester, compose_rules
from tiptoe.fetch.robots import Robots, RobotsDirectives
from tiptoe.parse.feeds import FeedEntry
from tiptoe.parse.html import Page
from tiptoe.parse.sitemaps import Sitemap, SitemapEntry
from tiptoe.settings.schema import SETTINGS

PACKAGE = Path(__file__).parents[1] / "src" / "tiptoe"
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS = (
    "errors", "protocol", "url", "text", "revisit", "store", "settings", "filters", "fetch", "parse",
    "access", "fields", "write", "observe", "decide", "convert", "segment", "export", "catalog", "audit",
    "frontier", "experiment", "keeper", "forget", "harvest", "library", "ingest", "copies", "cluster",
    "control", "robot", "testing", "compose_judging", "compose_conversion",
    "compose_rules", "compose", "compose_harvester", "compose_member", "compose_ingest", "cli",
)  # fmt: skip
"""Each may import those before it."""

STRANGERS = {
    "access": {"protocol", "text", "revisit", "store", "filters"},
    "filters": {"protocol", "text", "revisit", "store", "settings"},
    "parse": {"fetch", "frontier", "settings", "write"},
    "fields": {"protocol", "revisit", "store", "settings", "filters", "fetch"},
    "write": {"frontier", "parse", "settings", "fields"},
    "convert": {"settings", "store"},
    "segment": {"settings", "parse", "store", "url"},
    "export": {"settings", "store", "fetch", "parse", "convert", "segment"},
    "catalog": {"settings", "store", "fetch", "parse", "convert", "segment", "export"},
    "audit": {"settings", "parse", "store", "text", "catalog"},  # nor what lies above: the frontier
    "decide": {"revisit", "store", "settings", "parse", "write", "observe"},
    "frontier": {"settings", "write", "parse", "observe", "audit", "catalog"},
    "keeper": {"settings", "fetch", "parse", "catalog"},
    "forget": {"settings", "fetch", "parse", "audit", "segment", "export"},
    "ingest": {"settings", "cluster", "audit", "catalog"},
    "copies": {"settings", "store", "segment", "catalog", "audit", "frontier", "keeper", "harvest"},
    "library": {"settings", "cluster", "audit", "catalog"},
    "cluster": {"settings", "fetch", "parse", "harvest", "convert", "segment", "export", "audit"},
    "control": {"fetch", "parse", "harvest", "convert", "segment", "decide", "experiment"},
    "robot": {"fetch", "parse", "harvest", "convert", "segment", "decide", "experiment", "settings"},
    "testing": {"url", "text", "fetch", "parse", "frontier", "keeper", "harvest", "cluster"}
    | {"control", "robot"},
}
"""What a package may not know although it lies below."""

OUTER_WORLD = frozenset(
    {"asyncio", "socket", "ssl", "select", "selectors", "time", "datetime", "os", "pathlib", "io", "shutil",
     "tempfile", "threading", "multiprocessing", "subprocess", "signal", "random", "secrets", "logging",
     "uvloop", "pycurl", "aiodns", "rocksdict", "psutil"}
)  # fmt: skip
"""Clocks, files, sockets, chance: what the pure core must not touch."""

PURE = ("access", "decide", "fields", "filters", "frontier", "url", "text", "revisit")
SHELL = {
    "access/access_file.py", "access/rule_table.py", "access/secret.py",
    "filters/filter_directory.py", "filters/filter_reference.py",
}  # fmt: skip
"""What reads and writes files for a pure package."""
PURE_MODULES = (
    "keeper/roster.py", "keeper/outage_detector.py", "harvest/lane.py", "harvest/document.py",
    "settings/consistency.py", "harvest/comeback.py", "segment/scorer.py", "segment/breaker.py",
    "segment/segmenter_service.py", "cluster/assignment.py", "cluster/shard_labels.py",
    "cluster/shard_lease.py", "cluster/shard_clock.py", "cluster/shard_moves.py", "cluster/agent_presence.py",
    "cluster/shard_turns.py", "cluster/counter_sum.py", "cluster/quota_book.py", "cluster/crawl_end.py",
    "cluster/command_row.py", "cluster/file_protocol.py", "protocol/status_sum.py", "audit/clocks.py",
    "catalog/words.py", "catalog/query.py", "catalog/soif.py", "catalog/page_news.py", "catalog/passages.py",
    "catalog/postgres_conditions.py", "catalog/search.py", "catalog/narrowing.py",
    "cluster/log_batch.py", "cluster/batch_appender.py", "cluster/snapshot_format.py",
    "control/login_limits.py", "control/crawl_state.py", "control/figure_history.py", "control/shown_text.py",
    "control/robot_state.py", "robot/batch_plan.py", "robot/wanted_crawl.py", "robot/line_patience.py",
)  # fmt: skip

ACTING = frozenset({"open", "print", "input", "exec", "eval", "__import__"})
"""Functions that need no import to do something outside."""

MODULE_LINES_MAX = 450
FUNCTION_LINES_MAX = 70


@cache
def nodes_of(module: Path) -> tuple[ast.AST, ...]:
    """Return everything in a module, each node before what is in it; parsed once for all tests."""
    return tuple(ast.walk(ast.parse(module.read_text(encoding="utf-8"))))


def imports_of(module: Path) -> Iterator[str]:
    """Yield the full names of everything a module imports."""
    for node in nodes_of(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: a relative import hides where it points"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer_of(module: Path) -> str:
    """Return the layer of a module; what starts a process belongs to the outermost one."""
    inner = module.relative_to(PACKAGE)
    return "cli" if inner.name == "__main__.py" else inner.parts[0].removesuffix(".py")


def packages_imported_by(module: Path) -> set[str]:
    """Return the names of our own packages that a module imports."""
    named = (name.split(".") for name in imports_of(module))
    return {parts[1] for parts in named if parts[0] == "tiptoe" and parts[1] in LAYERS}


def name_of(module: Path) -> str:
    return str(module.relative_to(PACKAGE))


def modules_of(layer: str) -> list[Path]:
    return [module for module in MODULES if layer_of(module) == layer]


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_down_the_layers(layer: str) -> None:
    """A circle of packages is one package with a wall painted on."""
    above = set(LAYERS[LAYERS.index(layer) + 1 :])
    for module in modules_of(layer):
        assert packages_imported_by(module) & above == set(), name_of(module)


def test_the_package_itself_imports_the_library_alone() -> None:
    """For type checkers: see tests/unit/library/test_library_imports.py."""
    assert packages_imported_by(PACKAGE / "__init__.py") == {"library", "write"}


def test_every_package_has_its_layer() -> None:
    """A new folder has to say where it belongs."""
    folders = {module.relative_to(PACKAGE).parts[0].removesuffix(".py") for module in MODULES}
    assert folders - {"__init__", "__main__"} == set(LAYERS)


@pytest.mark.parametrize("package", STRANGERS)
def test_packages_do_not_know_what_is_none_of_their_business(package: str) -> None:
    """Lying below is not a reason to be imported."""
    for module in (PACKAGE / package).rglob("*.py"):
        assert packages_imported_by(module) & STRANGERS[package] == set(), name_of(module)


def test_only_commands_and_the_simulated_web_itself_import_testing() -> None:
    """A crawl must not depend on the web it is rehearsed on."""
    users = {name_of(module) for module in MODULES if "testing" in packages_imported_by(module)}
    commands = {"cli/rehearse_command.py", "cli/cluster_try_command.py"}
    assert {user for user in users if not user.startswith("testing/")} == commands


def test_only_entry_points_use_the_module_that_knows_everybody() -> None:
    """Whoever could call `compose` from the inside would have a registry of everything."""
    users = {name_of(module) for module in MODULES if "compose" in packages_imported_by(module)}
    assert users == {
        "cli/crawl_command.py", "cli/member_crawl.py",
    }  # fmt: skip


def test_a_harvester_loads_neither_frontier_nor_database() -> None:
    """It would start later, and take up more memory, for nothing."""
    ask = (
        "import sys, tiptoe.compose_harvester, tiptoe.harvest.harvester;"
        "print(*(name for name in ('rocksdict', 'tiptoe.frontier.frontier', 'tiptoe.frontier.dispatch')"
        " if name in sys.modules))"
    )
    loaded = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == ""


@pytest.mark.parametrize("layer", LAYERS)
def test_the_core_knows_no_clock_no_file_and_no_socket(layer: str) -> None:
    """`now` is an argument: that is what makes every rule testable without sleeping."""
    for module in modules_of(layer):
        if name_of(module) in PURE_MODULES or (layer in PURE and name_of(module) not in SHELL):
            assert {name.split(".")[0] for name in imports_of(module)} & OUTER_WORLD == set(), name_of(module)
            assert functions_called_in(module) & ACTING == set(), name_of(module)


def test_what_is_said_of_single_modules_is_said_of_some_that_exist() -> None:
    """A module that was renamed would be held to nothing."""
    assert {*PURE_MODULES, *SHELL} <= {name_of(module) for module in MODULES}


def functions_called_in(module: Path) -> set[str]:
    return {
        node.func.id
        for node in nodes_of(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


BOUNDS = ("tiptoe.url.scope.", "tiptoe.url.traps.TrapLimits", "tiptoe.url.traps.trap")
"""What rules refuse by."""


@pytest.mark.parametrize(
    "layer", [layer for layer in LAYERS if layer not in ("decide", "compose_rules", "compose_harvester")]
)
def test_rules_are_known_to_the_decision_points_alone(layer: str) -> None:
    """Who imports a rule, or the bounds behind one, answers "is it wanted?" a second time."""
    for module in modules_of(layer):
        names = set(imports_of(module))
        assert {name for name in names if name.startswith(BOUNDS)} == set(), name_of(module)
        decided = {name.rpartition(".")[2] for name in names if name.startswith("tiptoe.decide.")}
        rules = {name for name in decided if name.islower() and not name.endswith("_point")}
        assert rules == set(), name_of(module)


GIVEN_ELSEWHERE = {
    ("harvest/document.py", "NOT_HTML"),  # no page at all, whatever its head says
}


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if layer != "decide"])
def test_reasons_of_decision_points_are_given_by_them_alone(layer: str) -> None:
    """Others count a refusal by the reason they were told; who names one has decided himself."""
    for module in modules_of(layer):
        given = {(name_of(module), reason) for reason in reasons_given(module) & reasons_decided()}
        assert given <= GIVEN_ELSEWHERE


@cache
def reasons_decided() -> frozenset[str]:
    """Return the reasons that decision points give."""
    points = (PACKAGE / "decide").glob("*.py")
    return frozenset(reason for point in points for reason in reasons_in(nodes_of(point)[0]))


def reasons_in(node: ast.AST) -> set[str]:
    """Return the members of `Dropped` and `Discard` that stand in some code."""
    return {
        inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute)
        and isinstance(inner.value, ast.Name)
        and inner.value.id in ("Dropped", "Discard")
    }


def reasons_given(module: Path) -> set[str]:
    """Return the reasons that a module counts, or gives to a page, by name."""
    given: set[str] = set()
    for node in nodes_of(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("discard"):
            given |= set().union(*map(reasons_in, node.args))
        elif isinstance(node, ast.keyword) and node.arg == "discard":
            given |= reasons_in(node.value)
        elif isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any("discard" in ast.unparse(target) for target in targets):
                given |= set().union(*map(reasons_in, [*targets, node.value]))
    return given


@pytest.mark.parametrize("layer", ["__init__", *LAYERS])
def test_a_module_says_what_it_is_for(layer: str) -> None:
    """The first line is a question that the module answers, or a title; it fits on one line."""
    for module in modules_of(layer):
        tree = nodes_of(module)[0]
        assert isinstance(tree, ast.Module)
        described = ast.get_docstring(tree)
        assert described, f"{name_of(module)} has no docstring"
        first, *rest = described.splitlines()
        assert first.endswith(("?", ".")), f"{name_of(module)}: {first}"
        assert rest[:1] in ([], [""]), f"{name_of(module)}: the first line is a paragraph of its own"


@pytest.mark.parametrize("layer", ["__init__", *LAYERS])
def test_modules_and_functions_can_be_read_at_one_sitting(layer: str) -> None:
    """What grows beyond this has two subjects."""
    for module in modules_of(layer):
        assert len(module.read_text(encoding="utf-8").splitlines()) <= MODULE_LINES_MAX, name_of(module)
        for node in nodes_of(module):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                is_short = node.end_lineno - node.lineno < FUNCTION_LINES_MAX
                assert is_short, f"{name_of(module)}: {node.name}"


KEPT_BY = {
    # what is told of hosts                                                    only changed in
    ("state", "gone_because", "new_key", "new_hosts", "parked_hosts", "blocked_hosts",
     "unproductive_hosts", "give_up"):                                         {"transitions"},
    ("parked_key", "parked_with_revisits", "barred_hosts"):                            {"front"},
    ("chance_at",):                                                            {"calendar"},
    ("queued", "revisits_queued"):                                             {"queues"},
    ("unproductive",):                                                         {"queues", "transitions"},
    ("due", "lookups_due", "await_lookup"):                                    {"due"},
}  # fmt: skip
"""What says where a host is: its record, its rows and the gauges change together, so in one place each."""


@pytest.mark.parametrize(("names", "keepers"), KEPT_BY.items(), ids=[names[0] for names in KEPT_BY])
def test_where_a_host_is_changes_in_one_place(names: tuple[str, ...], keepers: set[str]) -> None:
    """Seven modules that keep record, rows and gauges in step by discipline are six too many."""
    # Counting anew from the tables, and repair them after damage, begin from nothing.
    allowed = keepers | {"recount", "counters"} | ({"transitions"} if "front" in keepers else set())
    for module in (PACKAGE / "frontier").glob("*.py"):
        changed = {name for name in _changed_attributes(module) if name in names}
        assert not changed or module.stem in allowed, f"{module.name} changes {changed}"


def _changed_attributes(module: Path) -> Iterator[str]:
    """Yield the attributes that a module assigns, but those of `self`, and the counting methods it calls."""
    for node in nodes_of(module):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = [part for target in node.targets for part in getattr(target, "elts", [target])]
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_count = "gauges" in ast.unparse(node.func.value)
            targets = [node.func] if is_count else []
        for target in targets:
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) != "self":
                yield target.attr


def test_no_name_stands_for_two_things() -> None:
    """Whoever looks for a module or a class by its name finds one, and knows what is meant."""
    modules: dict[str, list[str]] = defaultdict(list)
    classes: dict[str, list[str]] = defaultdict(list)
    for module in MODULES:
        if not module.stem.startswith("__"):
            modules[module.stem].append(name_of(module))
        for node in ast.iter_child_nodes(nodes_of(module)[0]):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(name_of(module))
    assert {name: homes for name, homes in modules.items() if len(homes) > 1} == {}
    assert {name: homes for name, homes in classes.items() if len(homes) > 1} == {}


def nodes_in(module: ModuleType) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(inspect.getsource(module)))


def _settings_passed_on() -> Iterator[tuple[str, str, inspect.Parameter]]:
    """Yield each setting that goes into a parameter as it is: its name, the callee, the parameter."""
    for module, function in (
        (one, node) for one in (compose, compose_rules, compose_harvester) for node in nodes_in(one)
    ):
        if not isinstance(function, ast.FunctionDef):
            continue
        sections = {"settings": ""}  # what stands for all of them, or for one section
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and re.fullmatch(r"settings\.\w+", ast.unparse(node.value)):
                sections[ast.unparse(node.targets[0])] = ast.unparse(node.value).partition(".")[2] + "."
        for call in ast.walk(function):
            if not isinstance(call, ast.Call) or not hasattr(module, ast.unparse(call.func)):
                continue
            callee = ast.unparse(call.func)
            for keyword in call.keywords:
                start, _, rest = ast.unparse(keyword.value).partition(".")
                name = sections.get(start, "?") + rest
                if name in SETTINGS and keyword.arg:
                    yield name, callee, inspect.signature(getattr(module, callee)).parameters[keyword.arg]


def test_a_default_that_is_said_twice_is_the_same() -> None:
    """Else what tests build is not what operators run. Nothing (0, none, off) may stand for itself."""
    passed = list(_settings_passed_on())
    said = [(name, callee, parameter.default) for name, callee, parameter in passed if parameter.default]

    assert len(passed) > 50
    assert [
        (name, callee, default)
        for name, callee, default in said
        if default not in (inspect.Parameter.empty, SETTINGS[name].default)
    ] == []


@pytest.mark.parametrize("kind", [Page, Robots, RobotsDirectives, Sitemap, SitemapEntry, FeedEntry])
def test_what_is_read_from_the_web_is_used(kind: type) -> None:
    """What is parsed and then forgotten costs time, and looks as if it were honoured."""
    home = Path(inspect.getfile(kind))
    used = {
        node.attr
        for module in MODULES
        if module.parent != home.parent and layer_of(module) not in ("testing", "experiment")
        for node in nodes_of(module)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    assert {field.name for field in fields(kind)} - used == set()


SENTENCE = re.compile(r"\w+( \w+){2,}")
SENTENCES_OF_OTHERS = {"parse/charset.py"}
"""Where a library says in words alone what has happened."""


def test_nothing_is_decided_by_a_sentence() -> None:
    """Whoever betters the words for people would change what the program does."""
    compared = {name_of(module): list(_sentences_compared(module)) for module in MODULES}
    assert {name for name, found in compared.items() if found} == SENTENCES_OF_OTHERS


def _sentences_compared(module: Path) -> Iterator[str]:
    """Yield the comparisons with a sentence, or with what is called by a name."""
    nodes = nodes_of(module)
    named = {
        ast.unparse(target)
        for node in nodes
        if isinstance(node, ast.Assign) and _is_sentence(node.value)
        for target in node.targets
    }
    for node in nodes:
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if any(_is_sentence(side) or ast.unparse(side) in named for side in sides):
                yield ast.unparse(node)


def _is_sentence(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and SENTENCE.fullmatch(node.value) is not None
    )
