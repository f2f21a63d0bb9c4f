"""How do settings stand in a file?"""

from pathlib import Path

import pytest

from tiptoe.settings.tomlfile import FILE_BYTES_MAX, read_toml


def read(folder: Path, content: str | bytes) -> tuple[dict[str, str], list[str]]:
    path = folder / "crawl.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    found = read_toml(path)
    origins = {name: given.origin.replace(str(path), "crawl.toml") for name, given in found.given.items()}
    return origins, [problem.replace(str(path), "crawl.toml") for problem in found.problems]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("[crawl]\nout = 'x'\n", 2),
        ("\ufeff[crawl]\r\nout = 'x'\r\n", 2),  # as editors of Windows save it
        ("crawl.out = 'x'\n", 1),
        ("\ufeff[crawl]\nout = 'x'\n", 2),  # as an editor of Windows begins it
        ("[fetch]\nproxy = ''\n[ crawl ] # mine\n\n  \"out\"='x'\n", 5),
        ("# out = 1\ncrawl = { out = 'x' }\n", 2),
        ("[politeness]\n[crawl]\nseeds = [\n'out'\n]\nout = 'x'\n", 6),
    ],
)
def test_the_line_of_a_value_is_found(tmp_path: Path, content: str, line: int) -> None:
    """tomllib does not tell, but a complaint without a line is half a complaint."""
    origins, problems = read(tmp_path, content)
    assert f"crawl.toml:{line}" == origins["crawl.out"]
    assert problems == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[crawl]\nout = \n", "crawl.toml:2: Invalid value (column 7)"),
        ("[crawl\n", "crawl.toml:1: "),
        ("[crawl]\nout = 'a'\nout = 'b'\n", "crawl.toml:3: Cannot overwrite a value"),
        ("out = 'a'\n", "crawl.toml:1: out: stands outside of a section; did you mean crawl.out?"),
        ("[[crawl]]\nout = 'a'\n", "crawl.toml:1: crawl: expected a section [crawl]"),
        ("[crawl.deep]\nout = 'a'\n", "crawl.toml: crawl.deep: no such setting"),
        (
            "[crawl]\nmax-pages = 1\n",
            "crawl.toml:2: crawl.max-pages: no such setting; did you mean crawl.max_pages?",
        ),
        ("[zzz]\n", "crawl.toml:1: [zzz]: no such section"),
        (b"\xff\xfe", "crawl.toml: not UTF-8 at byte 0"),
        ("a = " + "[" * 5000, "crawl.toml"),
        (b"#" * (FILE_BYTES_MAX + 1), "crawl.toml: longer than"),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_place(
    tmp_path: Path, content: str | bytes, problem: str
) -> None:
    origins, problems = read(tmp_path, content)
    assert origins == {}
    assert problems[0].startswith(problem)


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    assert [f"{path}: cannot be read: No such file or directory"] == read_toml(path).problems
