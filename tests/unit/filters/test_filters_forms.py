"""The same filters as text files and in TOML; the set to start from."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.errors import SettingsError
from tiptoe.filters.default_set import default_files, default_rules
from tiptoe.filters.definition import (
    Directive,
    NamedFilter,
    ProcessParameter,
    RobotDefinition,
    to_lines,
)
from tiptoe.filters.filter_directory import read_robot, robot_files
from tiptoe.filters.filter_file import read_filters, write_filters
from tiptoe.filters.filter_problem import FilterFindings
from tiptoe.filters.process_file import read_process, write_process
from tiptoe.filters.robot_filters import RobotFilters
from tiptoe.filters.toml_form import read_toml_filters, write_toml_filters
from tiptoe.filters.types_file import read_types

EXAMPLES = Path(__file__).parent / "examples"
VALUES = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), max_size=20).filter(str.isprintable)


def placeless(definition: RobotDefinition) -> object:
    """Return what a definition says, wherever it was written."""

    def blank(plain: object) -> object:
        if isinstance(plain, dict):
            return {key: "" if key == "place" else blank(value) for key, value in plain.items()}
        return [blank(item) for item in plain] if isinstance(plain, list | tuple) else plain

    return blank(msgspec.to_builtins(definition))


def write_to(directory: Path, files: dict[str, str]) -> Path:
    directory.mkdir(exist_ok=True)
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
    return directory


@pytest.mark.parametrize("source", ["examples", "default"])
def test_text_files_and_toml_are_made_of_each_other_without_loss(tmp_path: Path, source: str) -> None:
    first = EXAMPLES if source == "examples" else write_to(tmp_path / "new", default_files())
    read = read_robot(first).definition
    toml = tmp_path / "filters.toml"
    toml.write_text(write_toml_filters(read), encoding="utf-8")
    by_toml = read_robot(toml)
    assert by_toml.findings.errors == []
    assert placeless(by_toml.definition) == placeless(read)
    again = read_robot(write_to(tmp_path / "again", robot_files(by_toml.definition))).definition
    assert placeless(again) == placeless(read)


@given(st.dictionaries(st.from_regex(r"[a-z][a-z-]{0,9}", fullmatch=True), VALUES, max_size=4))
def test_any_value_survives_either_form(parameters: dict[str, str]) -> None:
    named = {f"p-{name}": value for name, value in parameters.items()}
    robot = RobotDefinition(
        has_process=True,
        parameters=[ProcessParameter(name, value, "") for name, value in named.items()],
        filters=[NamedFilter("a b", "")],
        directives=[
            Directive(
                "a b", "Data", "x", {f"p-{name}": value for name, value in parameters.items()}, "", False
            )
        ],
    )
    findings, by_text = FilterFindings(), RobotDefinition()
    read_process(write_process(robot), "p", by_text, findings)
    read_filters(write_filters(robot), "f", by_text, findings)
    by_toml, _ = read_toml_filters(write_toml_filters(robot), "t", findings)
    assert findings.problems == []
    assert placeless(by_text) == placeless(robot) == placeless(by_toml)


@given(st.text(max_size=300))
def test_whatever_stands_in_a_toml_file_is_read_or_told(text: str) -> None:
    read_toml_filters(text, "t", FilterFindings())


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a =", "Invalid value"),
        ("colour = 1", "colour: not known here"),
        ("[[filter]]\n", "name is missing"),
        ("[process]\ndepth = 1.5", "neither a text nor a number"),
        ("[[rules]]\nfile='r'\n[[rules.rule]]\nid='a'\ncolour=1", "colour is not known here"),
        ("filter = 1", "not as `tiptoe filters import` writes it"),
    ],
)
def test_a_toml_file_that_is_wrong_is_told(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / "f.toml").write_text(text)
    assert any(error in str(problem) for problem in read_robot(tmp_path / "f.toml").findings.errors)


RULES_IN_TOML = """
[[rules]]
file = "r"
rule = [{{id = "a", {rule}, match = [{{src = "url", {match}}}]}}]
site = [{{id = "s", {site}, server = [{{host = "A.example.", {server}}}]}}]
"""
IN_ORDER = {
    "rule": "default = true", "match": 'by = "contains", value = "x"', "site": "depth = 2",
    "server": "port = 80",
}  # fmt: skip


@pytest.mark.parametrize(
    ("part", "said", "error"),
    [
        ("rule", 'action = "Deny"', "action=Deny: one of deny, allow"),
        ("rule", 'default = "maybe"', "default=maybe: true or false"),
        ("match", 'by = "contain", value = "x"', "by=contain: one of exact, contains"),
        ("match", 'by = "exact"', "value is missing"),
        ("site", 'depth = "deep"', "depth=deep: a number of links"),
        ("server", "port = 99999", "port=99999: a number up to 65535"),
    ],
)
def test_rules_in_toml_are_checked_like_those_in_text(
    tmp_path: Path, part: str, said: str, error: str
) -> None:
    """A slip of the pen must not make a rule that never matches, or that allows what it should deny."""
    (tmp_path / "f.toml").write_text(RULES_IN_TOML.format(**{**IN_ORDER, part: said}))
    (problem,) = read_robot(tmp_path / "f.toml").findings.errors
    assert error in str(problem)


def test_rules_in_toml_name_hosts_as_those_in_text_do(tmp_path: Path) -> None:
    """A host is the same in capital letters, and with a dot at its end."""
    (tmp_path / "f.toml").write_text(RULES_IN_TOML.format(**IN_ORDER))
    robot = read_robot(tmp_path / "f.toml")
    assert robot.findings.problems == []
    assert [server.host for server in robot.definition.sites[0].servers] == ["a.example"]


def test_numbers_and_switches_may_be_written_as_toml_has_them(tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text("[process]\ndepth = 3\nenable-ip = false\n")
    robot = read_robot(tmp_path / "f.toml")
    assert [given.value for given in robot.definition.parameters] == ["3", "false"]


def test_the_set_to_start_from_is_in_order_and_denies_what_is_no_text(tmp_path: Path) -> None:
    robot = read_robot(write_to(tmp_path, default_files()))
    assert robot.findings.problems == []
    filters = RobotFilters(robot.definition, {})
    assert filters.refuses_link("https://a.example/text.html?x=1", 50) is None
    for path in (
        "a.zip",
        "a.mp3",
        "a~",
        "a.exe",
        "cgi-bin/a",
        "a.JPG",
        "a.css",
        "a.log",
        "CVS/a",
        "a.c",
        "a.tmp",
        "a.mp4",
    ):
        assert filters.refuses_link(f"https://a.example/{path}", 0) is not None, path
    for path in ("a.pps", "etc/a", "a.xlsx", "winnt/a", "a.swf", "a.nsf?OpenView"):  # off by default
        assert filters.refuses_link(f"https://a.example/{path}", 0) is None, path
    assert len(default_rules()) == 19


def test_a_definition_fits_into_a_setting(tmp_path: Path) -> None:
    robot = read_robot(write_to(tmp_path, default_files()))
    assert max(map(len, to_lines(robot.definition))) < 10_000


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({}, "no process.conf, no filter.conf and no filterrules.conf in it"),
        ({"x.conf": ""}, "no process.conf, no filter.conf and no filterrules.conf in it"),
    ],
)
def test_a_directory_without_filters_is_no_directory_of_filters(
    tmp_path: Path, files: dict[str, str], error: str
) -> None:
    with pytest.raises(SettingsError, match=error):
        read_robot(write_to(tmp_path, files))
    with pytest.raises(SettingsError, match="tiptoe filters new"):
        read_robot(tmp_path / "nowhere")


def test_files_are_found_where_they_are_named_or_in_the_directory(tmp_path: Path) -> None:
    """Paths are relative to the instance directory, one above that of the files."""
    rule = "<Rule id={}>\nMatch src=path by=exact value=/x\n</Rule>\n"
    line = "Setup fn=filterrules-setup config={}\n"
    other = tmp_path / "other.conf"
    other.write_text(rule.format("absolute"))
    conf = write_to(tmp_path / "conf", {"a.conf": rule.format("beside"), "b.conf": rule.format("above")})
    lines = "".join(line.format(name) for name in ("./gone/a.conf", "./conf/b.conf", other, "c.conf"))
    write_to(conf, {"filter.conf": f"<Filter name=enumeration-default>\n{lines}</Filter>\n"})
    robot = read_robot(conf)
    assert [rule.id for rule in robot.definition.rules] == ["beside", "above", "absolute"]
    assert "config=c.conf: no such file" in str(robot.findings.errors[0])


def test_files_that_somebody_sent_name_no_files_of_this_machine(tmp_path: Path) -> None:
    """What is wrong in a file is told with its words; those of other files are nobody's business."""
    secret = tmp_path / "secret"
    secret.write_text("geheim 1")
    lines = f"Setup fn=filterrules-setup config={secret}\nSetup fn=setup-type-by-extension file=../secret\n"
    conf = write_to(tmp_path / "c", {"filter.conf": f"<Filter name=enumeration-default>\n{lines}</Filter>\n"})
    assert any("geheim" in str(error) for error in read_robot(conf).findings.errors)
    confined = read_robot(conf, is_confined=True).findings
    assert not any("geheim" in str(problem) for problem in confined.problems)
    assert sum("no such file" in str(error) for error in confined.errors) == 2


def test_both_names_of_one_file_are_one_too_many(tmp_path: Path) -> None:
    block = "<Process>\n</Process>"
    robot = read_robot(write_to(tmp_path, {"process.conf": block, "robot.conf": block}))
    assert [error.place for error in robot.findings.errors] == ["robot.conf"]


def test_old_files_in_another_encoding_are_read_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "robot.conf").write_bytes("<Process csid=é>\n</Process>".encode("latin-1"))
    robot = read_robot(tmp_path)
    assert robot.definition.parameter("csid").value == "é"  # type: ignore[union-attr]
    assert [warning.what for warning in robot.findings.warnings] == ["not UTF-8; read as ISO 8859-1"]


def test_a_downlist_beside_the_files_is_found(tmp_path: Path) -> None:
    robot = read_robot(
        write_to(tmp_path, {"robot.conf": "<Process>\n</Process>", "downlist.txt": "http://a/"})
    )
    assert robot.downlist == tmp_path / "downlist.txt"


def test_types_are_read_in_both_spellings(tmp_path: Path) -> None:
    text = "# comment\ntext/html html htm # pages\ntype=image/png exts=png,PNG2\n"
    text += "enc=x-gzip exts=gz\nnonsense x\n"
    findings = FilterFindings()
    assert read_types(text, "m", findings) == {
        "html": "text/html", "htm": "text/html", "png": "image/png", "png2": "image/png",
    }  # fmt: skip
    assert [str(error) for error in findings.errors] == ["m:5: 'nonsense' is no type such as text/html"]
