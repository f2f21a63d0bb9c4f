"""Can a concordance be read on any terminal, and by programs as ever?"""

import io
from collections.abc import Iterator

import pytest
from rich.cells import cell_len
from rich.console import Console

from tiptoe.catalog.search import Concordance, ConcordanceLine
from tiptoe.cli.concordance_lines import print_concordance

URL = "https://www.example.cz/" + "cesta/" * 10


def concordance(*matches: str) -> Concordance:
    lines = tuple(
        ConcordanceLine("levý kontext " * 4, match, " pravý kontext" * 4, "0", URL, "") for match in matches
    )
    return Concordance(
        lines=lines, total=len(lines), documents=1, documents_read=1, page=1, limit=20, is_partial=False
    )


def printed(
    found: Concordance, columns: int, width: int | None = None, *, is_piped: bool = False
) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=columns, force_terminal=not is_piped, color_system=None)
    print_concordance(console, found, width)
    return out.getvalue().splitlines()[: len(found.lines)]


def places(lines: list[str], *words: str) -> Iterator[int]:
    for line, word in zip(lines, words, strict=True):
        yield cell_len(line[: line.index(word)])


@pytest.mark.parametrize("columns", [30, 60, 80, 100, 130, 200])
def test_lines_fit_a_terminal_with_the_words_below_each_other(columns: int) -> None:
    words = ("voda", "日本語", "vodovod")
    lines = printed(concordance(*words), columns)
    assert all(cell_len(line) <= columns for line in lines)
    assert len(set(places(lines, *words))) == 1


def test_a_wide_terminal_shows_what_a_pipe_gets() -> None:
    found = concordance("voda", "vodovod")
    assert printed(found, 300) == printed(found, 300, is_piped=True)


@pytest.mark.parametrize("columns", [40, 200])
def test_a_pipe_gets_all_of_a_line_however_narrow(columns: int) -> None:
    (line,) = printed(concordance("voda"), columns, is_piped=True)
    assert line.endswith(URL)
    assert line.index("voda") == 40


def test_a_width_that_was_asked_for_is_kept() -> None:
    (line,) = printed(concordance("voda"), 60, 50)
    assert line.index("voda") == 50
    assert line.endswith(URL)
