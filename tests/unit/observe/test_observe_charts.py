"""Figures as drawings: escaped, bounded, and right."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from tiptoe.observe.charts import Amount, bars, cards, histogram, line, table

HOSTILE = "<script>alert('1')</script>\"&"


def parsed(html: str) -> ElementTree.Element:
    """Everything we draw is also XML, so nothing can be left open."""
    return ElementTree.fromstring(f"<div>{html}</div>")


def text_of(html: str) -> str:
    return " ".join("".join(parsed(html).itertext()).split())


DRAWINGS = [
    bars([(HOSTILE, 1.0)], unit=HOSTILE, total=2.0, hints={HOSTILE: HOSTILE}),
    histogram([(HOSTILE, 1.0)], unit=HOSTILE),
    line({HOSTILE: [(0.0, 1.0), (9.0, 2.0)]}, unit=HOSTILE),
    table([HOSTILE], [[HOSTILE]]),
    cards([(HOSTILE, HOSTILE)]),
]


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_what_comes_from_the_web_is_escaped(drawing: str) -> None:
    """A host can call itself anything, and the report is opened in a browser."""
    assert "<script" not in drawing
    assert "script" not in {element.tag for element in parsed(drawing).iter()}
    assert HOSTILE in text_of(drawing)


@pytest.mark.parametrize(
    "drawing", [bars([], unit=""), histogram([], unit=""), line({}, unit=""), table(["a"], [])]
)
def test_nothing_can_be_drawn(drawing: str) -> None:
    assert parsed(drawing) is not None
    assert "nan" not in drawing


def test_bars_are_as_long_as_their_amounts() -> None:
    html = bars([("a", 200.0), ("b", 50.0), ("c", 0.0)], unit="pages", total=250)
    assert re.findall(r'width="([\d.]+)%"', html) == ["100.00", "25.00", "0.00"]
    assert "200 80.0 %" in text_of(html)
    assert "a: 200 pages" in text_of(html)  # under the pointer


def test_columns_stand_on_a_round_scale() -> None:
    html = histogram([("0", 130.0), ("1", 65.0)], unit="documents")
    assert re.findall(r">([\d ]+)</text>", html) == ["0", "50", "100", "150", "0", "1"]
    assert re.findall(r'class="fill1".*? height="([\d.]+)"', html) == ["164.67", "82.33"]


def test_labels_are_left_out_where_they_would_collide() -> None:
    html = histogram([(f"label {number}", 1.0) for number in range(100)], unit="")
    assert 4 <= len(re.findall(r">label \d+</text>", html)) <= 6
    assert len(re.findall("<title>label", html)) == 100


@pytest.mark.parametrize(
    ("seconds", "labels"),
    [
        (40, ["00:00:00", "00:00:10", "00:00:20", "00:00:30", "00:00:40"]),
        (7200, ["00:00", "00:30", "01:00", "01:30", "02:00"]),
        (4 * 86400, ["1 Jan", "2 Jan", "3 Jan", "4 Jan", "5 Jan"]),
    ],
)
def test_moments_on_the_axis_are_round(seconds: int, labels: list[str]) -> None:
    html = line({"requests": [(0.0, 1.0), (float(seconds), 2.0)]}, unit="")
    shown = re.findall(r">([^<]+)</text>", html)
    assert shown[-len(labels) :] == labels


def test_the_pointer_tells_the_figures_of_all_curves() -> None:
    html = line({"requests": [(0.0, 5.0), (60.0, 7.0)], "pages": [(0.0, 4.0), (60.0, 6.0)]}, unit="")
    assert "<title>1970-01-01 00:01:00 UTC\nrequests: 7\npages: 6</title>" in html


def test_one_moment_is_a_curve_too() -> None:
    html = line({"requests": [(5.0, 0.0)]}, unit="")
    assert parsed(html) is not None
    assert "nan" not in html


def test_numbers_stand_to_the_right_and_text_to_the_left() -> None:
    html = table(["host", "size"], [["a.example", Amount(1500, "bytes")], ["b.example", "-"]])
    assert '<th>host</th><th class="n">size</th>' in html
    assert '<td>a.example</td><td class="n">1.5 kB</td>' in html


def test_labels_of_ranges_stand_at_the_edges_of_their_columns() -> None:
    """Under the middle of a column, where it begins reads as what it holds."""
    html = histogram([("1 s", 5.0), ("2 s", 3.0)], unit="requests", end="4 s")
    places = re.findall(r'<text x="([\d.]+)%"[^>]*>(\d s)</text>', html)
    assert places == [("0.000", "1 s"), ("50.000", "2 s"), ("100.000", "4 s")]
    assert "<title>1 s to 2 s: 5 requests</title>" in html
    assert "<title>2 s to 4 s: 3 requests</title>" in html


def test_long_labels_leave_room_for_each_other() -> None:
    """On a phone there is room for some forty letters below a plot, however few the columns are."""
    rows = [(f"{number} ms to {2 * number} ms", 1.0) for number in (100, 200, 300, 400, 500, 600, 700)]
    shown = re.findall(r">(\d+ ms to \d+ ms)</text>", histogram(rows, unit=""))
    assert 1 <= len(shown) <= 3


def test_rows_of_many_columns_can_be_told_as_paragraphs() -> None:
    """Else the last columns lie beyond the edge of a narrow screen: each cell names its column."""
    head = ["host", "requests", "received", 'a "b"']
    html = table(head, [["a.example", 5, Amount(1500, "bytes"), "x"]])
    assert '<table class="broad">' in html
    cells = parsed(html).iter("td")
    assert [cell.get("data-head") for cell in cells] == head
    assert "data-head" not in table(head[:3], [["a.example", 5, 6]])


def test_the_last_edge_of_a_histogram_is_not_cut_off() -> None:
    drawn = histogram([("1 s", 3.0), ("2 s", 4.0)], unit="pages", end="1 min 04 s")
    assert 'text-anchor="end">1 min 04 s<' in drawn
