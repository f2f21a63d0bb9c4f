"""What does filter.conf contain?"""

from typing import Final

from tiptoe.filters.conf_lines import Statement, quote, read_bool, read_statements, tags_balanced
from tiptoe.filters.definition import PHASES, Directive, ModuleLine, NamedFilter, RobotDefinition
from tiptoe.filters.filter_problem import FilterFindings

__all__ = ["read_directive", "read_filters", "write_filters"]

HEADS: Final = frozenset({"<Filter", "</Filter", "Init", *PHASES})
MISSPELT: Final = {"generate-last-modified": "generate-rd-last-modified"}
"""Names of functions that are misprinted in the guides of that robot."""

MODULES: Final = "load-modules"


def read_filters(text: str, file: str, definition: RobotDefinition, findings: FilterFindings) -> None:
    """Add the filters of a file to a definition."""
    name = ""
    for inside, statement in tags_balanced(read_statements(text, file, HEADS, findings), findings):
        if statement.head == "<Filter":
            name = _read_head(statement, definition, findings)
        elif statement.head == "Init":
            _read_module(statement, definition, findings)
        elif statement.head not in PHASES:
            findings.error(statement.place, f"{statement.head or 'this line'} is not known here")
        elif not inside:
            findings.error(statement.place, f"{statement.head} stands outside of a <Filter>")
        else:
            read_directive(statement, name, definition, findings)


def _read_head(statement: Statement, definition: RobotDefinition, findings: FilterFindings) -> str:
    name = statement.parameters.get("name", "")
    if not name:
        findings.error(statement.place, '<Filter> needs a name: <Filter name="enumeration-default">')
    if extra := ", ".join(statement.parameters.keys() - {"name"}):
        findings.error(statement.place, f"{extra}: <Filter> has a name and nothing else")
    if any(known.name == name for known in definition.filters):
        findings.error(statement.place, f"a second filter is called {name}")
    definition.filters.append(NamedFilter(name, statement.place))
    return name


def _read_module(statement: Statement, definition: RobotDefinition, findings: FilterFindings) -> None:
    given = dict(statement.parameters)
    function = given.pop("fn", "")
    if function != MODULES:
        findings.error(statement.place, f"Init fn={function}: only {MODULES} can be called here")
        return
    library, names = given.pop("shlib", ""), given.pop("funcs", "")
    functions = tuple(filter(None, (name.strip() for name in names.split(","))))
    if not functions:
        findings.error(statement.place, f"{MODULES} needs funcs, the names of functions")
    for name in given:
        findings.error(statement.place, f"{name}: {MODULES} has shlib and funcs")
    definition.modules.append(ModuleLine(library, functions, statement.place))


def read_directive(
    statement: Statement, name: str, definition: RobotDefinition, findings: FilterFindings
) -> None:
    """Add a line of the filter with this name to a definition."""
    given = dict(statement.parameters)
    switch, function = given.pop("enable", "true"), given.pop("fn", "")
    is_enabled = read_bool(switch)
    if is_enabled is None:
        findings.error(statement.place, f"enable={switch}: true, false, on or off")
    if not function:
        findings.error(statement.place, f"{statement.head} calls nothing: fn is missing")
        return
    if function in MISSPELT:
        findings.warn(statement.place, f"{function} is taken as {MISSPELT[function]}")
        function = MISSPELT[function]
    definition.directives.append(
        Directive(name, statement.head, function, given, statement.place, is_enabled is not False)
    )


def write_filters(definition: RobotDefinition) -> str:
    """Return the text of a file with the same contents."""
    lines = []
    for module in definition.modules:
        library = f" shlib={quote(module.library)}" if module.library else ""
        lines.append(f"Init fn={MODULES}{library} funcs={quote(','.join(module.functions))}")
    for head in definition.filters:
        lines += ["", f"<Filter name={quote(head.name)}>"]
        lines += [_written(line) for line in definition.directives if line.filter == head.name]
        lines.append("</Filter>")
    return "\n".join(lines).lstrip("\n") + "\n"


def _written(line: Directive) -> str:
    switch = "" if line.is_enabled else " enable=false"
    given = "".join(f" {name}={quote(value)}" for name, value in line.parameters.items())
    return f"    {line.stage}{switch} fn={quote(line.function)}{given}"
