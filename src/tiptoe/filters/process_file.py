"""What does process.conf, also called robot.conf, contain?

One block, `<Process csid="…"> … </Process>`, with one parameter per line. The first tag may lack its `>`: in
the file as shipped, its line ends with a backslash, and the parameters follow.
"""

from typing import Final

from tiptoe.filters.conf_lines import Statement, quote, read_depth, read_statements, tags_balanced
from tiptoe.filters.definition import ProcessParameter, RobotDefinition, StartingPoint
from tiptoe.filters.filter_problem import FilterFindings

__all__ = ["read_process", "read_start", "write_process"]

HEADS: Final = frozenset({"<Process", "</Process", "URL"})
BAD_SCHEME, SCHEME = "x-catalog//", "x-catalog://"


def read_process(text: str, file: str, definition: RobotDefinition, findings: FilterFindings) -> None:
    """Add the parameters and starting points of a file to a definition."""
    definition.has_process = True
    statements = read_statements(text, file, HEADS, findings, joins=False)
    blocks = 0
    for inside, statement in tags_balanced(statements, findings):
        if statement.head == "<Process":
            blocks += 1
            if blocks > 1:
                findings.error(statement.place, "a second <Process>: one file is one robot")
        elif statement.head.startswith("<"):
            findings.error(statement.place, f"{statement.head}> is not known here; <Process> is")
            continue
        elif not inside:
            findings.error(statement.place, "stands outside of <Process …> and </Process>")
        if statement.head == "URL":
            read_start(statement, definition, findings)
        else:
            _read_parameters(statement, definition, findings)
    if not blocks:
        findings.error(f"{file}:1", 'no <Process csid="…"> in this file')


def _read_parameters(statement: Statement, definition: RobotDefinition, findings: FilterFindings) -> None:
    for name, value in statement.parameters.items():
        if before := definition.parameter(name):
            findings.error(statement.place, f"{name} is given twice, first at {before.place}")
            continue
        if name == "csid" and value.startswith(BAD_SCHEME):
            findings.warn(statement.place, f"{BAD_SCHEME} is taken as {SCHEME}")
            value = SCHEME + value.removeprefix(BAD_SCHEME)
        definition.parameters.append(ProcessParameter(name, value, statement.place))


def read_start(statement: Statement, definition: RobotDefinition, findings: FilterFindings) -> None:
    """Add a starting point to a definition."""
    given = dict(statement.parameters)
    url = given.pop("href", "")
    written = given.pop("depth", "")
    depth = read_depth(written) if written else None
    if not url:
        findings.error(statement.place, "URL needs href, the address to start from")
    if written and depth is None:
        findings.error(statement.place, f"depth={written}: a number of links, or -1 for no limit")
    for name in given:
        findings.error(statement.place, f"{name}: URL has href and depth")
    definition.starts.append(StartingPoint(url, depth, statement.place))


def write_process(definition: RobotDefinition) -> str:
    """Return the text of a file with the same contents."""
    lines = ["<Process>"]
    for given in definition.parameters:
        if given.name == "csid":
            lines[0] = f"<Process csid={quote(given.value)}>"
        else:
            lines.append(f"    {given.name}={quote(given.value)}")
    for start in definition.starts:
        depth = f" depth={start.depth}" if start.depth is not None else ""
        lines.append(f"    URL href={quote(start.url)}{depth}")
    return "\n".join([*lines, "</Process>"]) + "\n"
