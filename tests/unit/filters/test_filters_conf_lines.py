"""The lines of the robot's text files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.filters.conf_lines import Statement, quote, read_statements, tags_balanced
from tiptoe.filters.filter_problem import FilterFindings

HEADS = {"<Filter", "</Filter", "Setup", "MetaData"}


def read(text: str, *, joins: bool = True) -> tuple[list[Statement], list[str]]:
    findings = FilterFindings()
    statements = read_statements(text, "f", HEADS, findings, joins=joins)
    return statements, [str(problem) for problem in findings.problems]


def said(text: str) -> list[tuple[str, dict[str, str]]]:
    statements, problems = read(text)
    assert problems == []
    return [(statement.head, statement.parameters) for statement in statements]


def test_a_statement_is_a_word_and_its_parameters() -> None:
    assert said('  Setup fn=x  config="a b" ') == [("Setup", {"fn": "x", "config": "a b"})]


def test_comments_stand_on_lines_of_their_own_and_a_hash_in_a_value_is_data() -> None:
    assert said("# one\n   # two\nSetup fn=a#b\n") == [("Setup", {"fn": "a#b"})]


@pytest.mark.parametrize(
    "text", ["Setup fn=x \\\na=1", "Setup fn=x\n   a=1", "Setup fn=x \\\n\n# why\n  a=1"]
)
def test_a_line_goes_on_by_a_backslash_or_by_a_blank_at_its_beginning(text: str) -> None:
    """The guides show one way for these files, and the other for those of the web server."""
    assert said(text) == [("Setup", {"fn": "x", "a": "1"})]


def test_an_indented_line_that_begins_with_a_known_word_is_a_new_statement() -> None:
    """All printed examples are indented."""
    assert [head for head, _ in said("Setup fn=x\n   MetaData fn=y")] == ["Setup", "MetaData"]


def test_backslashes_of_regular_expressions_stay_as_they_are() -> None:
    assert said(r'Setup fn="\.gif$" b="a\\b" c="say \"x\"" d="end\\"')[0][1] == {
        "fn": r"\.gif$", "b": r"a\\b", "c": 'say "x"', "d": "end\\",
    }  # fmt: skip


@given(st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), max_size=30).filter(str.isprintable))
def test_what_is_written_is_read_back(value: str) -> None:
    line = f"Setup fn={quote(value)}"
    if value.endswith("\\") and not line.endswith('"'):
        line += " x=1"
    assert said(line)[0][1]["fn"] == value


@given(st.text(max_size=200))
def test_whatever_stands_in_a_file_is_read_or_told(text: str) -> None:
    statements, _ = read(text)
    list(tags_balanced(statements, FilterFindings()))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<Filter name="enumeration1>',
         "f:1: warning: the quote before 'enumeration1' is not closed; taken as if it were"),
        ("MetaData fn-filter-by-max a=1", "f:1: warning: fn-filter-by-max is taken as fn=filter-by-max"),
        ("metadata fn=x", "f:1: warning: metadata is taken as MetaData"),
        ('Setup fn="x', "f:1: the quote before 'x' is not closed"),
        ("Setup fn = x", "f:1: 'fn' is no parameter: those are written name=value"),
        ("Setup fn=x fn=y", "f:1: fn is given twice"),
        ("Setup fn=x\nSetpu fn=y", "f:2: 'Setpu' begins no line here; known are MetaData, Setup"),
        ("Setup fn=\x01", "f:1: there are control characters in this line"),
        ("Setup fn=" + "x" * 10_000, "f:1: more than 200000 lines, or than 10000 characters in one"),
    ],
)  # fmt: skip
def test_what_is_odd_is_told_with_its_line(text: str, problem: str) -> None:
    """Misprints of the guides are warnings: their examples are what people copy."""
    assert read(text)[1] == [problem]


def test_a_tag_without_a_quote_at_its_end_is_understood() -> None:
    statements, _ = read('<Filter name="enumeration1>\n</Filter>')
    assert statements[0].parameters == {"name": "enumeration1"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<Filter name=a>\nSetup fn=x", "f:1: <Filter> is not closed; </Filter> ends it"),
        ("<Filter name=a>\n<Filter name=b>\n</Filter>", "f:1: <Filter> is not closed before f:2"),
        ("</Filter>", "f:1: </Filter> closes nothing"),
    ],
)
def test_tags_are_closed(text: str, problem: str) -> None:
    findings = FilterFindings()
    list(tags_balanced(read(text)[0], findings))
    assert [str(problem) for problem in findings.problems] == [problem]
