"""Which files does a robot have, and what do they contain?

A directory with process.conf (or robot.conf), filter.conf, filterrules.conf, mime.types, downlist.txt, as
needed; or one TOML file with the same contents (`toml_form.py`).
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiptoe.errors import SettingsError
from tiptoe.filters.definition import RobotDefinition, TypeTable
from tiptoe.filters.definition_check import check_definition
from tiptoe.filters.filter_file import read_filters, write_filters
from tiptoe.filters.filter_plugins import plugin_names
from tiptoe.filters.filter_problem import FilterFindings
from tiptoe.filters.process_file import read_process, write_process
from tiptoe.filters.process_parameters import WantedSetting
from tiptoe.filters.rules_file import read_rules, write_rules
from tiptoe.filters.toml_form import read_toml_filters
from tiptoe.filters.types_file import known_types, read_types, write_types

__all__ = ["RobotFiles", "files_elsewhere", "read_robot", "robot_files"]

FILE_BYTES_MAX: Final = 4_000_000
PROCESS_NAMES: Final = ("process.conf", "robot.conf")
FILE_PARAMETERS: Final = {"filterrules-setup": "config", "setup-type-by-extension": "file"}
FILTERS, RULES, TYPES, DOWNLIST = "filter.conf", "filterrules.conf", "mime.types", "downlist.txt"


@dataclass(slots=True)
class RobotFiles:
    """What was read, and what is wrong with it."""

    home: Path  # directory of the files
    definition: RobotDefinition
    findings: FilterFindings
    wanted: list[WantedSetting] = field(default_factory=list)  # settings that it wants
    downlist: Path | None = None

    @property
    def starts(self) -> list[str]:
        """Where the crawl begins: according to process.conf, and at every enabled site."""
        own = [start.url for start in self.definition.starts]
        sites = [site for site in self.definition.sites if site.is_enabled]
        return list(dict.fromkeys([*own, *(start.url for site in sites for start in site.starts)]))

    def where(self, place: str) -> str:
        """Return a place with the directory of its file."""
        return str(self.home / place)

    def expect_order(self) -> None:
        """Raise SettingsError with everything that is wrong, if anything is."""
        if errors := self.findings.errors:
            raise SettingsError("\n".join(f"{self.where(error.place)}: {error.what}" for error in errors))


def read_robot(path: Path, *, is_confined: bool = False) -> RobotFiles:
    """Read and check the files of a robot; SettingsError if there are none.

    If `is_confined`, only files in its directory are read, whatever it names: for files from strangers.
    """
    findings = FilterFindings()
    downlist: Path | None = None
    if path.is_dir():
        definition = _read_directory(path, findings, is_confined=is_confined)
        if (path / DOWNLIST).is_file():
            downlist = path / DOWNLIST
    elif path.is_file():
        definition, listed = read_toml_filters(_text(path, findings), path.name, findings)
        downlist = path.parent / listed if listed else None
    else:
        raise SettingsError(f"{path}: {_how_to_make(path)}")
    definition, wanted = check_definition(definition, plugin_names(), findings)
    home = path if path.is_dir() else path.parent
    return RobotFiles(home, definition, findings, wanted, downlist)


def _how_to_make(path: Path) -> str:
    if path.suffix == ".toml":
        return f"no such file; `tiptoe filters import DIR > {path.name}` makes one from a directory"
    return f"no such directory; `tiptoe filters new {path}` makes one to start from"


def _read_directory(path: Path, findings: FilterFindings, *, is_confined: bool) -> RobotDefinition:
    definition = RobotDefinition()
    process = [path / name for name in PROCESS_NAMES if (path / name).is_file()]
    if len(process) > 1:
        findings.error(process[1].name, "there is a process.conf as well, and a robot has one of them")
    if not process and not any((path / name).is_file() for name in (FILTERS, RULES)):
        raise SettingsError(f"{path}: no process.conf, no filter.conf and no filterrules.conf in it")
    for file in process[:1]:
        read_process(_text(file, findings), file.name, definition, findings)
    if (path / FILTERS).is_file():
        read_filters(_text(path / FILTERS, findings), FILTERS, definition, findings)
    called: dict[str, Path | None] = {}  # files by the names that directives use
    for line in definition.directives:
        for function, parameter in FILE_PARAMETERS.items():
            if line.function == function and parameter in line.parameters:
                name = line.parameters[parameter]
                found = called[name] = _find(path, name, is_confined=is_confined)
                if function == "filterrules-setup":
                    _read_rules(found, name, line.place, definition, findings)
                else:
                    _read_types(found, name, line.place, definition, findings)
    if (path / RULES).is_file() and path / RULES not in called.values():
        read_rules(_text(path / RULES, findings), RULES, definition, findings, called=RULES)
    return definition


def _read_rules(
    file: Path | None, name: str, place: str, definition: RobotDefinition, findings: FilterFindings
) -> None:
    if name in definition.rule_files:
        return
    if file is None:
        findings.error(place, f"config={name}: no such file, neither there nor beside the others")
        return
    read_rules(_text(file, findings), file.name, definition, findings, called=name)


def _read_types(
    file: Path | None, name: str, place: str, definition: RobotDefinition, findings: FilterFindings
) -> None:
    if any(table.file == name for table in definition.types):
        return
    if file is not None:
        types = read_types(_text(file, findings), file.name, findings)
    elif Path(name).name == TYPES:
        findings.warn(place, f"file={name}: no such file; the types that Python knows are used")
        types = known_types()
    else:
        findings.error(place, f"file={name}: no such file, neither there nor beside the others")
        return
    definition.types.append(TypeTable(name, types))


def _find(path: Path, name: str, *, is_confined: bool) -> Path | None:
    """Return the file of a name: relative to the directory or its parent, or by its last part alone."""
    here = path / Path(name).name
    places = (here,) if is_confined else (path / name, path.parent / name, here)
    return next((place for place in places if place.is_file()), None)


def _text(file: Path, findings: FilterFindings) -> str:
    with file.open("rb") as opened:
        content = opened.read(FILE_BYTES_MAX + 1)
    if len(content) > FILE_BYTES_MAX:
        findings.error(file.name, f"more than {FILE_BYTES_MAX} bytes")
        return ""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        findings.warn(file.name, "not UTF-8; read as ISO 8859-1")
        return content.decode("iso-8859-1")


def files_elsewhere(definition: RobotDefinition) -> list[tuple[str, str]]:
    """Return the places that name a file outside the directory, and the files."""
    named = [
        (line.place, line.parameters.get(FILE_PARAMETERS.get(line.function, ""), ""))
        for line in definition.directives
    ]
    return [(place, name) for place, name in named if Path(name).is_absolute() or ".." in Path(name).parts]


def robot_files(definition: RobotDefinition) -> dict[str, str]:
    """Return the text files that say the same, by their names in one directory."""
    files: dict[str, str] = {}
    if definition.has_process:
        files[PROCESS_NAMES[0]] = write_process(definition)
    if definition.filters or definition.modules:
        files[FILTERS] = write_filters(definition)
    for name in definition.rule_files:
        _put(files, Path(name).name, write_rules(definition, name))
    for table in definition.types:
        _put(files, Path(table.file).name, write_types(table.types))
    return files


def _put(files: dict[str, str], name: str, text: str) -> None:
    if files.setdefault(name, text) != text:
        raise SettingsError(f"two files of this robot are called {name}: they cannot lie in one directory")
