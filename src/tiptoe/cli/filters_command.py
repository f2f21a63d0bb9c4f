"""`tiptoe filters check|import|export|new`: an operator's filters, before a crawl uses them."""

import json
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from tiptoe.cli.arguments import FILE_MARK, AsJson
from tiptoe.cli.exits import Exit
from tiptoe.cli.text_files import write_text_file
from tiptoe.errors import SettingsError
from tiptoe.filters.default_set import default_files
from tiptoe.filters.filter_directory import RobotFiles, read_robot, robot_files
from tiptoe.filters.toml_form import write_toml_filters
from tiptoe.observe.amounts import counted

__all__ = ["check_command", "export_filters_command", "import_command", "new_command"]

Target = Annotated[str, Parameter(help="Directory to write to; it must not have such files yet."), FILE_MARK]
RobotPath = Annotated[Path, Parameter(help="Directory of the filters, or a TOML file.")]


def check_command(directory: RobotPath, *, as_json: AsJson = False) -> int:
    """Print the mistakes in the files, by file and line."""
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


def import_command(directory: RobotPath) -> int:
    """Convert filters to TOML, on standard output."""
    robot = read_robot(directory)
    robot.expect_order()
    print(write_toml_filters(robot.definition, downlist=str(robot.downlist or "")), end="")
    return Exit.DONE


def export_filters_command(
    file: Annotated[Path, Parameter(help="The TOML file, or another directory.")],
    directory: Target,
) -> int:
    """Convert a TOML file to text files."""
    robot = read_robot(file)
    robot.expect_order()
    files = robot_files(robot.definition)
    if robot.downlist is not None:
        files["downlist.txt"] = _listed(robot.downlist)
    return _write_all(directory, files)


def _listed(downlist: Path) -> str:
    try:
        return downlist.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise SettingsError(f"{downlist}: not UTF-8 at byte {problem.start}") from None


def new_command(directory: Target) -> int:
    """Write a set of filters to start from."""
    return _write_all(directory, default_files())


def _write_all(target: str, files: dict[str, str]) -> int:
    if not target.strip():  # an unset variable in a script, for instance
        raise SettingsError("the name of the directory is empty; to write to the one you are in, say .")
    directory = Path(target)
    directory.mkdir(parents=True, exist_ok=True)
    if known := [name for name in files if (directory / name).exists()]:
        are = "is" if len(known) == 1 else "are"
        raise SettingsError(f"{directory}: {', '.join(known)} {are} there already; choose another directory")
    for name, text in files.items():
        write_text_file(directory / name, text)
        print(directory / name)
    return Exit.DONE
