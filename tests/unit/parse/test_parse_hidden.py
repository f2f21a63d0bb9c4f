"""What pages hide, and when that is the page itself."""

import pytest

from tiptoe.parse.blocks import read_blocks
from tiptoe.parse.html import read_page
from tiptoe.parse.nesting import HEAVY_TAGS

STORY = "".join(f"<p>Sentence {number} of a story that is told at some length.</p>" for number in range(20))


HEAVY = "<b></b>" * HEAVY_TAGS
"""So many tags that a page is read tag by tag."""


def told(html: str) -> bool:
    """Tell whether the story is read, whichever way the page is read."""
    paragraphs = read_page(html, agent="t").paragraphs
    assert read_blocks(html).text == paragraphs
    assert read_page(html, agent="t", is_outlined=True).paragraphs == paragraphs
    return any("a story" in paragraph for paragraph in paragraphs)


@pytest.mark.parametrize(
    "html",
    [
        f"<body style='display:none'>{STORY}",
        f"<p>Loading<div id=app hidden>{STORY}</div>",
        f"<h1>News</h1><div style='display: none'>{STORY}",
        f"<div hidden><div style='display:none'>{STORY}</div></div><noscript>Scripts!</noscript>",
    ],
)
def test_a_page_that_hides_itself_until_a_script_shows_it_is_read(html: str) -> None:
    assert told(html)


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{'Enough to read is shown here. ' * 10}</p><div hidden>{STORY}</div>",
        f"<p>Loading</p><dialog>{STORY}</dialog>",
        f"<p>Loading</p><div hidden>{STORY[:300]}</div>",
        f"<p>Loading</p><template>{STORY}</template>",
    ],
)
def test_what_is_hidden_beside_a_page_is_not_read(html: str) -> None:
    """Menus, dialogs and notices wait to be asked for."""
    assert not told(html)


@pytest.mark.parametrize("element", ["div hidden", "section style='display:none'"])
def test_a_page_without_a_tree_that_hides_itself_is_read(element: str) -> None:
    """Where an element is never closed, all that comes after it is hidden."""
    assert told(f"<p>Loading</p>{HEAVY}<{element}>{STORY}")


@pytest.mark.parametrize("element", ["div hidden", "dialog"])
def test_a_page_without_a_tree_keeps_hidden_what_it_hides_beside_its_text(element: str) -> None:
    shown = "Enough to read is shown here. " * 10 if element != "dialog" else "Loading"
    assert not told(f"<p>{shown}</p>{HEAVY}<{element}>{STORY}</{element.split()[0]}>")


def test_dialogs_stay_hidden_where_the_page_is_shown() -> None:
    paragraphs = read_page(f"<div hidden>{STORY}<dialog>Cookies?</dialog></div>", agent="t").paragraphs
    assert "Cookies?" not in "".join(paragraphs)
