"""What pages hide, and when that is the page itself."""

import time

import pytest

from tiptoe.parse.html import read_page
from tiptoe.parse.nesting import HEAVY_TAGS
from tiptoe.parse.tree_blocks import read_blocks

STORY = "".join(f"<p>Sentence {number} of a story that is told at some length.</p>" for number in range(20))


SHOWN = "Enough to read is shown here. " * 10
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
        f"<p>{SHOWN}</p><div hidden role=dialog>{STORY}</div>",
        f"<p>{SHOWN}</p><div hidden class='cookie-consent'>{STORY}</div>",
        f"<p>{SHOWN}</p><div class=modal><div style='display:none'>{STORY}</div></div>",
        f"<p>{SHOWN}</p><div hidden><a href=/a>{STORY}</a></div>",
        f"<p>{SHOWN}</p><nav hidden class=panel>{STORY}</nav>",
        f"<p>{SHOWN}</p><div hidden class=tab-pane><ul><li><a href=/>{STORY}</a></ul>x</div>",
        f"<p>{SHOWN}</p><div hidden><p>Dear {{{{name}}}}</p>{STORY}</div>",
        f"<p>{SHOWN}</p><div hidden>A notice, a story.</div>",
        f"<p>{SHOWN}</p><div hidden>{'cheap a story pills ' * 50}</div>",
        f"<p>{SHOWN}</p><div hidden><script>'{STORY}'</script>a story</div>",
        f"<p>Loading</p><dialog>{STORY}</dialog>",
        f"<p>Loading</p><template>{STORY}</template>",
    ],
)
def test_what_is_hidden_beside_a_page_is_not_read(html: str) -> None:
    """Menus, dialogs and notices wait to be asked for."""
    assert not told(html)


FOLDED = [
    f"<div hidden>{STORY}</div>",
    f"<div style='display:none'>{STORY}</div>",
    "<dl><dt>Why?<dd style='display: none' class=faq-answer>It is a story.</dl>",
    "<div role=tabpanel hidden>Yes, a story</div>",
    "<div class='tab-pane fade' style='display:none'>a story <a href=/>more</a></div>",
    "<button>More</button><div class='accordion__panel' hidden><table><tr><td>a story</table></div>",
    "<details><summary>More</summary>a story</details>",
    "<div hidden=until-found>a story</div>",
    "<div role=tabpanel aria-hidden=true>a story</div>",
    f"<p>It goes on<span style='display:none'>{STORY.replace('p>', 'b>')}</span></p>",
    "<div hidden>从前有一座山，山上有一座庙，庙里有一个老和尚在讲故事。老和尚讲的是什么呢？"
    "他说从前有一座山，山上有一座庙。a story</div>",
]


@pytest.mark.parametrize("folded", FOLDED)
@pytest.mark.parametrize("heavy", ["", HEAVY], ids=["a tree", "no tree"])
def test_what_a_click_shows_is_text_of_the_page(folded: str, heavy: str) -> None:
    """Half of a page of questions is answers, and each is folded away."""
    assert told(f"<p>{SHOWN}</p>{heavy}{folded}<p>end</p>")


def test_a_panel_may_be_known_by_its_control_alone() -> None:
    panel = "<div id=x1 hidden>a story</div>"
    assert told(f"<p>{SHOWN}</p><button aria-controls='x0 x1'>+</button>{panel}")
    assert not told(f"<p>{SHOWN}</p><button>+</button>{panel}")


def test_what_is_hidden_within_a_panel_is_judged_by_itself() -> None:
    html = f"<p>{SHOWN}</p><div role=tabpanel hidden>Yes.<div hidden class=modal>{STORY}</div></div>"
    assert not told(html)
    assert "Yes." in read_page(html, agent="t").paragraphs


@pytest.mark.parametrize(
    "html",
    [
        "<div hidden>" * 7_000 + "x. " * 1_000,
        "<p hidden>a" * 14_000,
        f"{HEAVY}{'<div hidden>' * 60_000}<!--{'x' * 1_000_000}",
        f"{HEAVY}{'<div hidden>x' * 60_000}<script>{'x' * 1_000_000}",
        f"{HEAVY}{'<div hidden>' + 'x' * 100}" * 2,
        "<div hidden id=a>" * 3_000 + " aria-controls=" * 50_000,
        "<b style=display:flex>" * 7_000 + "<i>x</i>" * 5_000,
    ],
    ids=["deep", "many", "comment", "script", "long", "controls", "grids"],
)
def test_judging_what_is_hidden_costs_no_more_than_its_length(html: str) -> None:
    begun_at = time.process_time()
    read_page(html, agent="t", is_outlined=True)
    assert time.process_time() - begun_at < 4


@pytest.mark.parametrize("element", ["div hidden", "section style='display:none'"])
def test_a_page_without_a_tree_that_hides_itself_is_read(element: str) -> None:
    """Where an element is never closed, all that comes after it is hidden."""
    assert told(f"<p>Loading</p>{HEAVY}<{element}>{STORY}")


@pytest.mark.parametrize("element", ["div hidden class=popup", "dialog"])
def test_a_page_without_a_tree_keeps_hidden_what_it_hides_beside_its_text(element: str) -> None:
    shown = SHOWN if element != "dialog" else "Loading"
    assert not told(f"<p>{shown}</p>{HEAVY}<{element}>{STORY}</{element.split()[0]}>")


def test_dialogs_stay_hidden_where_the_page_is_shown() -> None:
    paragraphs = read_page(f"<div hidden>{STORY}<dialog>Cookies?</dialog></div>", agent="t").paragraphs
    assert "Cookies?" not in "".join(paragraphs)
