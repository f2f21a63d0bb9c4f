"""`tiptoe filters check|explain|import|export|new`: an operator's filters, before a crawl goes by them."""

import json
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from tiptoe.cli.arguments import AsJson
from tiptoe.cli.exits import Exit
from tiptoe.errors import SettingsError
from tiptoe.filters.default_set import default_files
from tiptoe.filters.definition import RobotDefinition, from_lines
from tiptoe.filters.explaining import Explanation, explain
from tiptoe.filters.filter_directory import RobotFiles, read_robot, robot_files
from tiptoe.filters.filter_plugins import load_plugins
from tiptoe.filters.resource import PageFacts
from tiptoe.filters.robot_filters import RobotFilters, functions_wanted
from tiptoe.filters.toml_form import write_toml_filters
from tiptoe.keeper.settings_file import recall
from tiptoe.observe.amounts import counted
from tiptoe.parse.charset import decode
from tiptoe.parse.html import Details, read_page
from tiptoe.settings.layers import Settings
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.url.canonical_rules import SCHEMES

__all__ = ["check_command", "explain_command", "export_filters_command", "import_command", "new_command"]

HTML_BYTES_MAX = 10_000_000
FIELD_CHARS_SHOWN = 200

RobotPath = Annotated[Path, Parameter(help="Directory of the filters, or a TOML file.")]


def check_command(directory: RobotPath, *, as_json: AsJson = False) -> int:
    """Say what is wrong in the files, by file and line."""
    robot = read_robot(directory)
    problems = robot.findings.problems
    if as_json:
        print(json.dumps([_plain(robot, problem) for problem in problems], indent=1, ensure_ascii=False))
    else:
        for problem in problems:
            kind = "error" if problem.is_error else "warning"
            print(f"{robot.where(problem.place)}: {kind}: {problem.what}")
        found = f"{counted(len(robot.findings.errors), 'error')}, "
        found += counted(len(robot.findings.warnings), "warning")
        starts = counted(len(robot.starts), "starting point")
        print(f"{found}; {counted(len(robot.definition.directives), 'directive')}, {starts}")
    return Exit.FAULT if robot.findings.errors else Exit.DONE


def _plain(robot: RobotFiles, problem: object) -> dict[str, object]:
    plain: dict[str, object] = msgspec.to_builtins(problem)
    return plain | {"place": robot.where(str(plain["place"]))}


def explain_command(
    directory: Annotated[
        Path, Parameter(help="Directory of the filters, a TOML file, or a crawl that remembers its filters.")
    ],
    url: Annotated[str, Parameter(help="The address to send through the filters; it is not fetched.")],
    *,
    type: Annotated[str, Parameter(help="What its server would call it, such as text/html.")] = "",
    html: Annotated[Path | None, Parameter(help="A file that stands for what the server would send.")] = None,
    depth: Annotated[int, Parameter(help="How many links away from a seed it was found.")] = 0,
    ip: Annotated[str, Parameter(help="The address of its host.")] = "",
    confined: Annotated[
        bool, Parameter(negative=(), help="Read no file outside the directory, whatever the filters name.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Say which line decides about an address, in each stage of both filters."""
    definition = _definition(directory, is_confined=confined)
    filters = RobotFilters(definition, load_plugins(functions_wanted(definition)))
    canonical = Canonicalizer(CanonicalRules(schemes=frozenset(SCHEMES))).canonical(url)
    if canonical is None:
        raise SettingsError(f"{url[:60]!r} is no address; one looks like https://www.example.org/")
    facts, links = _answer(html, type)
    told = explain(filters, canonical, depth=depth, ip=ip or None, facts=facts, links=links)
    if as_json:
        print(json.dumps([msgspec.to_builtins(one) for one in told], indent=1, ensure_ascii=False))
        return Exit.DONE
    print(f"{canonical} at depth {depth}")
    for one in told:
        _print_explanation(one, is_answered=facts is not None)
    if all(one.denied is not None and one.denied_in == "MetaData" for one in told):
        print("\nBoth filters deny it by its address: it is not asked for.")
    return Exit.DONE


def _definition(directory: Path, *, is_confined: bool) -> RobotDefinition:
    """Return what the files say, or what a crawl has read when it was started."""
    remembered = recall(directory)
    if remembered is None:
        robot = read_robot(directory, is_confined=is_confined)
        robot.expect_order()
        return robot.definition
    lines = Settings.load(remembered=remembered).filters.definition
    if not lines:
        raise SettingsError(f"{directory}: this crawl goes by no filters; name the directory of some")
    return from_lines(lines)


def _answer(html: Path | None, type: str) -> tuple[PageFacts | None, list[str]]:
    """Return what an answer would say, and its links; None unless one is described."""
    if html is None:
        return (PageFacts(headers={}, media_type=type.lower()), []) if type else (None, [])
    body = html.read_bytes()[:HTML_BYTES_MAX]
    text = decode(body, None)
    page = read_page(text.text, agent="tiptoe", details=Details())
    facts = PageFacts(
        headers={}, media_type=type.lower() or "text/html", charset=text.charset, body=body, meta=page.meta,
        title=page.title or "", headings=page.headings, paragraphs=page.paragraphs,
    )  # fmt: skip
    return facts, page.links


def _print_explanation(told: Explanation, *, is_answered: bool) -> None:
    print(f"\n{told.kind}: {told.filter}")
    for step in told.steps:
        print(f"  {step.stage:9} {step.place:22} {step.function:26} {step.did}")
    if told.denied is not None:
        print(f"  => denied in {told.denied_in} by {told.denied}")
    elif told.links is not None:
        print(f"  => {counted(len(told.links), 'link')} followed")
    elif told.fields is not None:
        print("  => enters the corpus, described as")
        for name, values in told.fields.items():
            for value in values:
                shown = value if len(value) <= FIELD_CHARS_SHOWN else value[:FIELD_CHARS_SHOWN] + "…"
                print(f"     {name}: {shown!r}" if not shown.isprintable() else f"     {name}: {shown}")
    if told.denied is None and not is_answered:
        print("  => allowed by its address; what is sent is judged by Data (try --type or --html)")


def import_command(directory: RobotPath) -> int:
    """Write the same filters in TOML to the standard output."""
    robot = read_robot(directory)
    robot.expect_order()
    print(write_toml_filters(robot.definition, downlist=str(robot.downlist or "")), end="")
    return Exit.DONE


def export_filters_command(
    file: Annotated[Path, Parameter(help="The TOML file, or another directory.")],
    directory: Annotated[Path, Parameter(help="Directory to write to; it may not have such files yet.")],
) -> int:
    """Write the text files that say the same as a TOML file."""
    robot = read_robot(file)
    robot.expect_order()
    files = robot_files(robot.definition)
    if robot.downlist is not None:
        files["downlist.txt"] = robot.downlist.read_text(encoding="utf-8")
    return _write_all(directory, files)


def new_command(
    directory: Annotated[Path, Parameter(help="Directory to write to; it may not have such files yet.")],
) -> int:
    """Write a set of filters to start from."""
    return _write_all(directory, default_files())


def _write_all(directory: Path, files: dict[str, str]) -> int:
    directory.mkdir(parents=True, exist_ok=True)
    if known := [name for name in files if (directory / name).exists()]:
        are = "is" if len(known) == 1 else "are"
        raise SettingsError(f"{directory}: {', '.join(known)} {are} there already; choose another directory")
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
        print(directory / name)
    return Exit.DONE
