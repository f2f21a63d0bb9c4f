"""Lists of what robots have: read, written and merged, however long they are."""

import itertools
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.errors import SettingsError
from tiptoe.observe import downlist_merge
from tiptoe.observe.downlist_file import DownlistLine, ListHead, read_lines, write_list
from tiptoe.observe.downlist_merge import Merged, merge_lists
from tiptoe.url.address import host_of

X, Y = "http://a.example/x", "http://a.example/y"


def listed(path: Path, *lines: DownlistLine, mark: float = 0.0) -> Path:
    write_list(path, ListHead(robot="r", mark=mark), lines)
    return path


def merged(tmp_path: Path, *lists: list[DownlistLine], **more: object) -> list[DownlistLine]:
    paths = [listed(tmp_path / f"list-{number}", *lines) for number, lines in enumerate(lists)]
    merge_lists(paths, tmp_path / "merged", **more)  # type: ignore[arg-type]
    return list(read_lines(tmp_path / "merged"))


def test_a_list_is_read_as_it_was_written(tmp_path: Path) -> None:
    lines = [DownlistLine(X, 1767225600.125, "sha1:ABC", "prague"), DownlistLine(Y, robot="brno")]
    path = listed(tmp_path / "list", *lines, mark=12.5)
    assert list(read_lines(path)) == lines
    assert ListHead.read(path) == ListHead(robot="r", mark=12.5)


def test_a_plain_list_of_addresses_is_one_of_downloads(tmp_path: Path) -> None:
    """As other robots write their downlist."""
    (tmp_path / "downlist.txt").write_text(f"\ufeff# theirs\n{X}\r\n\n{Y}\n")
    assert [(line.url, line.at > 0) for line in read_lines(tmp_path / "downlist.txt")] == [
        (X, True),
        (Y, True),
    ]
    assert ListHead.read(tmp_path / "downlist.txt") is None


@pytest.mark.parametrize(
    "line",
    [
        "no address", f"{X}\tyesterday", f"{X}\tnan", f"{X}\tinf", f"{X}\t-1", f"{X}\t1\t2\t3\t4", f"{X} {Y}",
        "x" * 200_000,
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "list").write_text(f"{X}\n{line}\n")
    with pytest.raises(SettingsError, match="list:2: "):
        list(read_lines(tmp_path / "list"))


def test_a_download_counts_more_than_a_claim_and_the_earlier_more_than_the_later(tmp_path: Path) -> None:
    a, b, c = DownlistLine(X, robot="a"), DownlistLine(X, 20.0, "", "b"), DownlistLine(X, 10.0, "", "c")
    assert merged(tmp_path, [a], [b], [c]) == [c]


def test_of_two_claims_one_wins_unless_the_other_is_known(tmp_path: Path) -> None:
    """Who has been given something keeps it, also when a robot comes later that would have got it."""
    a, b = DownlistLine(X, robot="a"), DownlistLine(X, robot="b")
    [winner] = merged(tmp_path, [b], [a])
    loser = b if winner == a else a
    known = listed(tmp_path / "known", loser)
    assert merged(tmp_path, [winner], known=known) == [loser]
    assert merged(tmp_path, [winner], known=known, left=[loser.robot]) == [winner]


def test_what_all_claim_at_once_is_shared_out_evenly_and_by_host(tmp_path: Path) -> None:
    """The pages of a host go to one robot, which keeps the pauses between them."""
    urls = [f"http://h{host}.example/{page}" for host in range(300) for page in range(2)]
    found = merged(tmp_path, *([DownlistLine(url, robot=robot) for url in urls] for robot in "abc"))
    shares = Counter(line.robot for line in found)
    assert min(shares.values()) > 150
    assert len({(host_of(line.url), line.robot) for line in found}) == 300


def test_a_known_list_that_no_merge_has_written_is_refused(tmp_path: Path) -> None:
    known = listed(tmp_path / "known", DownlistLine(Y, 1.0), DownlistLine(X, 1.0))
    with pytest.raises(SettingsError, match="not in order"):
        merged(tmp_path, [], known=known)
    assert not (tmp_path / "merged").exists()


LINES = st.lists(
    st.builds(
        DownlistLine,
        st.integers(0, 8).map(lambda number: f"http://a.example/{number}"),
        st.sampled_from([0.0, 1.5, 2.5, 3.5]),
        st.just(""),
        st.sampled_from(["a", "b", "c"]),
    ),
    max_size=12,
)


@given(st.lists(LINES, min_size=1, max_size=4), st.integers(0, 99))
def test_neither_order_nor_repetition_nor_parts_change_what_comes_out(
    tmp_path_factory: pytest.TempPathFactory, lists: list[list[DownlistLine]], chance: int
) -> None:
    tmp_path = tmp_path_factory.mktemp("merge")
    first = merged(tmp_path, *lists)
    shuffled = [*lists, *lists]
    random.Random(chance).shuffle(shuffled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(downlist_merge, "PART_LINES", 3)
        assert merged(tmp_path, *shuffled) == first
    everything = list(itertools.chain(*lists))
    assert [line.url for line in first] == sorted({line.url for line in everything})
    assert all(line in everything for line in first)


def test_what_was_downloaded_twice_is_counted(tmp_path: Path) -> None:
    paths = [listed(tmp_path / robot, DownlistLine(X, 1.0, "", robot)) for robot in ("a", "b")]
    paths.append(listed(tmp_path / "c", DownlistLine(Y, 1.0, "", "c")))
    assert merge_lists(paths, tmp_path / "merged") == Merged(2, 2, 1)


def test_a_line_is_quoted_as_a_person_reads_it(tmp_path: Path) -> None:
    """Whoever names a wrong file is shown its text, not the bytes of a program."""
    (tmp_path / "page.html").write_text("<!doctype html>\n")
    with pytest.raises(SettingsError, match=r"page\.html:1: '<!doctype html>': expected an address"):
        list(read_lines(tmp_path / "page.html"))
