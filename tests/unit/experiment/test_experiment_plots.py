"""Are the pictures pictures?"""

import re
from xml.etree import ElementTree

from tiptoe.experiment.finding import Plot, number_text
from tiptoe.experiment.plots import drawn
from tiptoe.observe.page import html_page


def test_a_plot_is_well_formed_and_names_its_curves() -> None:
    plot = Plot("x", "A <title> & more", "across", "upward", "%", {"one <b>": [(0.0, 0.1), (1.0, 0.35)]})
    picture = ElementTree.fromstring(drawn(plot))
    texts = [text.text for text in picture.iter() if text.text and text.text.strip()]
    assert "A <title> & more" in texts
    assert "one <b>" in texts
    assert {"10 %", "35 %"} <= set(texts)


def test_a_curve_that_is_one_point_can_be_drawn() -> None:
    assert "<circle" in drawn(Plot("x", "t", "a", "u", "", {"one": [(3.0, 0.0)]}))


def test_numbers_are_said_with_their_units() -> None:
    assert number_text(0.6153, "%") == "61.53 %"
    assert number_text(198.4, "s") == "198 s"
    assert number_text(24000, "n") == "24 000"
    assert number_text(0.05, "x") == "0.05"
    assert number_text(None, "%") == "-"


def test_a_page_gives_a_picture_its_own_colours_of_sheet_and_letters_together() -> None:
    """On a dark page, a white sheet blinds; light letters on a white sheet cannot be read at all."""
    picture = drawn(Plot("x", "t", "a", "u", "", {"one": [(3.0, 0.0)]}))
    page = html_page("t", "l", [("s", picture)])
    for rule in (".drawn { fill: var(--ink); }", ".drawn .sheet { fill: var(--paper); }"):
        assert rule in page
    assert ['class="drawn"' in picture, 'class="sheet"' in picture] == [True, True]


def test_names_of_curves_stand_below_the_plot() -> None:
    """Beside it they would be cut off on a narrow screen."""
    plot = Plot("x", "t", "a", "u", "", {f"curve {n}": [(0.0, 0.0), (1.0, 1.0)] for n in range(5)})
    picture = ElementTree.fromstring(drawn(plot))
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    named = [text for text in picture.iter() if (text.text or "").startswith("curve ")]
    assert len(named) == 5
    lowest = max(float(circle.attrib["cy"]) for circle in picture.iter() if circle.tag.endswith("circle"))
    for text in named:
        assert lowest < float(text.attrib["y"]) < height
        assert float(text.attrib["x"]) < 0.6 * width


def test_no_page_recolours_a_picture_that_has_colours_of_its_own() -> None:
    """Letters in the colour of a page would stand on the white of the picture."""
    picture = drawn(Plot("x", "t", "a", "u", "", {"one": [(3.0, 0.0)]}))
    assert 'fill="#fff"' in picture
    page = html_page("t", "l", [("s", picture)])
    rules = re.findall(r"([^{}]*)\{([^{}]*)\}", page.partition("<style>")[2].partition("</style>")[0])
    colouring = {name.strip() for names, body in rules if "fill:" in body for name in names.split(",")}
    assert [name for name in colouring if not name.split("*/")[-1].strip().startswith(".")] == []
