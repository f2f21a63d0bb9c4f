"""What do the files of a robot contain?

Plain values, each with the place where it was written. They are passed to harvesters, and to the next run, as
lines of a setting: one line of JSON for each value (`to_lines`, `from_lines`).
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from tiptoe.errors import SettingsError

__all__ = [
    "ENUMERATION",
    "GENERATION",
    "LINE_CHARS_MAX",
    "PHASES",
    "Directive",
    "FilterRule",
    "MatchLine",
    "ModuleLine",
    "NamedFilter",
    "ProcessParameter",
    "RobotDefinition",
    "RuleUse",
    "Site",
    "SiteServer",
    "StartingPoint",
    "TypeTable",
    "from_lines",
    "to_lines",
]  # fmt: skip

PHASES: Final = ("Setup", "MetaData", "Data", "Enumerate", "Generate", "Shutdown")
"""The stages of a filter, in the order in which a resource passes them."""

ENUMERATION: Final = "enumeration"
GENERATION: Final = "generation"

LINE_CHARS_MAX: Final = 10_000
"""Maximum length of one value as a line: a setting accepts none above it."""

TYPES_A_LINE: Final = 100


class ProcessParameter(msgspec.Struct, frozen=True, tag="parameter"):
    """A line of process.conf."""

    name: str
    value: str
    place: str


class StartingPoint(msgspec.Struct, frozen=True, tag="start"):
    """Where a crawl begins, and how many links may be followed from there; -1 is unlimited."""

    url: str
    depth: int | None  # None: that of its site, or of the robot
    place: str


class ModuleLine(msgspec.Struct, frozen=True, tag="module"):
    """Functions of other packages that the file names."""

    library: str
    functions: tuple[str, ...]
    place: str


class NamedFilter(msgspec.Struct, frozen=True, tag="filter"):
    """The head of a filter; its directives follow."""

    name: str
    place: str


class Directive(msgspec.Struct, frozen=True, tag="directive"):
    """One line of a filter: in this stage, call this function."""

    filter: str
    stage: str
    function: str
    parameters: dict[str, str]
    place: str
    is_enabled: bool = True

    @property
    def source(self) -> str:
        """The source that it looks at; empty if it names none."""
        return self.parameters.get("src", "").lower()


class MatchLine(msgspec.Struct, frozen=True):
    """One test of a rule."""

    src: str  # url, protocol, host, path or type
    by: str  # exact, contains, prefix, suffix or regex
    value: str
    place: str


class FilterRule(msgspec.Struct, frozen=True, tag="rule", kw_only=True):
    """A rule: what any of its lines matches is excluded, or included without looking further."""

    file: str
    id: str
    name: str = ""
    description: str = ""
    is_enabled: bool = True
    is_default: bool = False  # for every new site, and if there are no sites
    action: str = "deny"
    matches: tuple[MatchLine, ...] = ()
    place: str


class SiteServer(msgspec.Struct, frozen=True):
    """A server of a site, or a domain."""

    host: str
    port: int = 0  # 0: any
    is_domain: bool = False  # the host and all its subdomains


class RuleUse(msgspec.Struct, frozen=True):
    """A rule that applies to a site."""

    rule: str
    place: str
    is_enabled: bool = True


class Site(msgspec.Struct, frozen=True, tag="site", kw_only=True):
    """Servers that belong together, where to start there, and the rules for them."""

    file: str
    id: str
    name: str = ""
    is_enabled: bool = True
    depth: int | None = None  # None: that of the robot
    database: str = ""
    servers: tuple[SiteServer, ...] = ()
    starts: tuple[StartingPoint, ...] = ()
    uses: tuple[RuleUse, ...] = ()
    place: str


class TypeTable(msgspec.Struct, frozen=True, tag="types"):
    """Types by extension, as mime.types has them."""

    file: str
    types: dict[str, str]


Part = ProcessParameter | StartingPoint | ModuleLine | NamedFilter | Directive | FilterRule | Site | TypeTable


class RobotDefinition(msgspec.Struct):
    """Everything that the files of one robot say."""

    has_process: bool = False  # there was a process.conf: omitted parameters have the defaults of that robot
    parameters: list[ProcessParameter] = []
    starts: list[StartingPoint] = []  # from process.conf; sites have their own
    modules: list[ModuleLine] = []
    filters: list[NamedFilter] = []
    directives: list[Directive] = []
    rules: list[FilterRule] = []
    sites: list[Site] = []
    types: list[TypeTable] = []

    def parameter(self, name: str) -> ProcessParameter | None:
        """Return a parameter by its name."""
        return next((given for given in self.parameters if given.name == name), None)

    def filter_name(self, kind: str) -> str:
        """Return the name of the filter that is used for enumeration, or for generation."""
        given = self.parameter(f"{kind}-filter")
        return given.value if given is not None else f"{kind}-default"

    def directives_of(self, name: str) -> list[Directive]:
        """Return the enabled directives of a filter, in order."""
        return [line for line in self.directives if line.filter == name and line.is_enabled]

    @property
    def rule_files(self) -> list[str]:
        """The files of rules and sites, by the names that directives use."""
        named = [*(rule.file for rule in self.rules), *(site.file for site in self.sites)]
        return list(dict.fromkeys(named))

    def types_in(self, file: str) -> dict[str, str]:
        """Return the types by extension in a file, given by the name that a directive uses."""
        return {
            extension: type
            for table in self.types
            if table.file == file
            for extension, type in table.types.items()
        }

    def parts(self) -> Iterator[Part]:
        """Yield all its parts, in order."""
        yield from self.parameters
        yield from self.starts
        yield from self.modules
        yield from self.filters
        yield from self.directives
        yield from self.rules
        yield from self.sites
        for table in self.types:
            entries = list(table.types.items())
            for first in range(0, max(len(entries), 1), TYPES_A_LINE):
                yield TypeTable(table.file, dict(entries[first : first + TYPES_A_LINE]))


class _Head(msgspec.Struct, frozen=True, tag="robot"):
    """The first line."""

    has_process: bool


_decoder: Final = msgspec.json.Decoder(_Head | Part)


def to_lines(definition: RobotDefinition) -> list[str]:
    """Return a definition as lines of text."""
    head = _Head(definition.has_process)
    return [msgspec.json.encode(part).decode() for part in (head, *definition.parts())]


def from_lines(lines: Iterable[str]) -> RobotDefinition:
    """Return the definition in these lines; SettingsError if they are not what `to_lines` returns."""
    definition = RobotDefinition()
    homes: dict[type, list[Part]] = {
        ProcessParameter: definition.parameters,  # type: ignore[dict-item]
        StartingPoint: definition.starts,  # type: ignore[dict-item]
        ModuleLine: definition.modules,  # type: ignore[dict-item]
        NamedFilter: definition.filters,  # type: ignore[dict-item]
        Directive: definition.directives,  # type: ignore[dict-item]
        FilterRule: definition.rules,  # type: ignore[dict-item]
        Site: definition.sites,  # type: ignore[dict-item]
        TypeTable: definition.types,  # type: ignore[dict-item]
    }
    for number, line in enumerate(lines, start=1):
        try:
            part = _decoder.decode(line)
        except msgspec.DecodeError as error:
            raise SettingsError(f"filters.definition, line {number}: {error}; give --filters again") from None
        if isinstance(part, _Head):
            definition.has_process = part.has_process
        else:
            homes[type(part)].append(part)
    return definition
