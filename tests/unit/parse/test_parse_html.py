"""From markup to paragraphs, title and the rest."""

import pytest

from tiptoe.parse.flat import flatten
from tiptoe.parse.html import PARAGRAPHS_MAX, read_page


def paragraphs(html: str) -> list[str]:
    return read_page(html, agent="tiptoe").paragraphs


def test_blocks_end_a_paragraph_and_inline_elements_do_not() -> None:
    """A sentence cannot run across a block, and a word may run across a tag."""
    html = "a<div>b <b>bo</b>ld<p>c</div>d<ul><li>e<li>f</ul><span>g</span>h"
    assert paragraphs(html) == ["a", "b bold", "c", "d", "e", "f", "gh"]


def test_a_line_break_ends_a_line() -> None:
    """Addresses and verse are lines, not sentences."""
    assert paragraphs("<p>Jan Novák<br>Dlouhá 1<br/><br>Praha<hr>x") == [
        "Jan Novák",
        "Dlouhá 1",
        "Praha",
        "x",
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("A sentence that is<br>broken.", ["A sentence that is broken."]),
        ("A sentence, this one,<br/>\nIs broken.", ["A sentence, this one, Is broken."]),
        ("Build better<br>software", ["Build better software"]),
        ("One.<br>Two.", ["One.", "Two."]),
        ("One thing<br><br>goes.", ["One thing", "goes."]),
        ("One thing<br>&nbsp; <br>goes.", ["One thing", "goes."]),
        ("One thing<br><!-- --><span> </span><br>goes.", ["One thing", "goes."]),
        ("We sell:<br>apples<br>pears<br>plums", ["We sell:", "apples", "pears", "plums"]),
        ("It has<br>- wheels<br>1. an engine.", ["It has", "- wheels", "1. an engine."]),
        ("<b>Note</b><br>This is so.", ["Note", "This is so."]),
        (
            "Die Sonne scheint heute den ganzen Tag auf den<br>Balkon der alten Frau. Sie schläft.",
            ["Die Sonne scheint heute den ganzen Tag auf den Balkon der alten Frau. Sie schläft."],
        ),
        ("今日は天気がいいので、<br>散歩に行きます。", ["今日は天気がいいので、散歩に行きます。"]),
        (
            "Tyger Tyger, burning bright<br>In the forests of the night<br>What immortal hand or eye<br>"
            "Could frame thy fearful symmetry?",
            ["Tyger Tyger, burning bright", "In the forests of the night", "What immortal hand or eye",
             "Could frame thy fearful symmetry?"],
        ),
    ],
)  # fmt: skip
def test_a_line_break_in_a_sentence_is_a_space(html: str, expected: list[str]) -> None:
    """TXT-1: nothing but a block ends a sentence; two line breaks are as good as one."""
    assert paragraphs(f"<div>{html}</div>") == expected
    assert read_page(f"<div>{html}</div>", agent="t", is_outlined=True).outline.text == expected  # type: ignore[union-attr]
    assert paragraphs(flatten(f"<div>{html}</div>").html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<nav><a href=1>One</a><a href=2>Two</a></nav>", ["One Two"]),
        ("<i><a href=1>One</a></i><i><a href=2>Two</a></i>", ["One Two"]),
        ("<a href=1>One</a><!-- --><a href=2>Two</a>", ["One Two"]),
        ("<my-card>One</my-card><my-card>Two</my-card>", ["One", "Two"]),
        ("<p>a <x-w>red</x-w><x-w>fox</x-w>", ["a red fox"]),
        ("<span style='display:block'>One</span><span style='display:block'>Two</span>", ["One", "Two"]),
        ("One<b style='display: table-cell'>Two</b>Three", ["One", "Two", "Three"]),
        ("<div style='display:flex'><span>One</span><span>Two</span></div>", ["One", "Two"]),
        (
            "<span>O</span>nce <a href=1>wiki</a>s <b>foo</b>bar <x-m>mark</x-m>ed",
            ["Once wikis foobar marked"],
        ),
        ("<span style='float:left'>O</span>nce", ["Once"]),
        ("<a href=1>un</a><b>do</b><a href=2>able</a>", ["undoable"]),
    ],
)
def test_words_stand_apart_where_a_reader_sees_them_apart(html: str, expected: list[str]) -> None:
    assert paragraphs(html) == expected
    assert read_page(html, agent="t", is_outlined=True).outline.text == expected  # type: ignore[union-attr]
    assert paragraphs(flatten(html).html) == expected


def test_each_table_cell_is_a_paragraph() -> None:
    """Cells side by side are not words of one sentence."""
    html = "a<table><caption>t</caption><tr><th>b<td>c<tr><td>d <i>e</i></table>f<table></table>g"
    assert paragraphs(html) == ["a", "t", "b", "c", "d e", "f", "g"]


def test_cells_without_text_do_not_join_their_neighbours() -> None:
    assert paragraphs("<table><tr><td>a</td><td></td><td>b</td></tr></table>") == ["a", "b"]


@pytest.mark.parametrize(
    "html",
    [
        "<script>if (a<b) document.write('<p>x</p>')</script>",
        "<script><!-- <script> </script> x --></script>",
        "<style>p{color:red}</style>",
        "<!-- x -->",
        "<!--x",
        "<!x><?x ?>",
        "<svg><title>x</title><text>x</text><script>x</script></svg>",
        "<template><p>x</p></template>",
        "<select><option>x</select><datalist><option>x</datalist>",
        "<textarea><b>x</b></textarea>",
        "<iframe><p>x</p></iframe><noframes><p>x</p></noframes><noembed>x</noembed>",
        "<object>x</object><canvas>x</canvas><video>x</video><audio>x</audio>",
        "<math><mi>x</mi></math>",
        "<p hidden>x</p><div style='display: none'>x<p>x</div><dialog>x</dialog>",
        "<P HIDDEN>x</P><div style='display:n&#111;ne'>x</div><DIALOG>x</DIALOG>",
        "<ruby><rp>(</rp><rt>x</rt><rp>)</rp></ruby>",
        "<img alt=x title=x><input value=x>",
        "<xmp><b>x</b></xmp>",
        "<svg><g style='display:none'><style>x</style></g></svg>",
        "<div hidden><svg><text>x</text></svg><script>x</script></div>",
    ],
)
def test_what_is_not_text_is_left_out(html: str) -> None:
    """Neither code nor controls nor what nobody sees belongs in a corpus."""
    assert paragraphs(f"<p>before</p>{html}<p>after</p>")[:1] == ["before"]
    assert "x" not in "".join(paragraphs(f"<p>before</p>{html}<p>after</p>"))


def test_entities_become_characters_once() -> None:
    """What an author escaped is text, also when it looks like a tag."""
    assert paragraphs("<p>&lt;b&gt; &amp;amp; &aacute;&#269;&#x10D; caf&eacute R&D") == [
        "<b> &amp; áčč café R&D"
    ]


def test_text_for_browsers_without_scripts_is_read() -> None:
    """We are such a browser."""
    assert paragraphs("<noscript><p>a <b>b</b></p></noscript>c") == ["a b", "c"]


def test_lines_of_preformatted_text_are_kept_apart() -> None:
    assert paragraphs("<pre>a\n<b>b</b> c\n\nd</pre>e\nf") == ["a", "b c", "d", "e f"]


def test_the_title_is_one_bounded_line() -> None:
    """Titles go into one field of a table."""
    assert read_page("<title> a\n &amp;\u00a0b </title>", agent="t").title == "a & b"
    assert len(read_page(f"<title>{'x' * 9999}", agent="t").title or "") == 500
    assert read_page("<p>x", agent="t").title is None


def test_the_title_of_a_drawing_is_not_the_title_of_the_page() -> None:
    """Every icon has one."""
    page = read_page("<body><svg><g><title>icon</title></g></svg><title>late</title>", agent="t")
    assert page.title == "late"


def test_links_and_metadata_come_with_the_text() -> None:
    html = """<html lang=cs><head><base href=/b/><link rel=canonical href=/c>
    <meta name=robots content=noarchive><link rel=alternate type=application/rss+xml href=/feed>
    <meta name=tdm-reservation content=1><meta name=description content=" d  e "></head>
    <body><a href=1>x</a><a rel=nofollow href=2>y</a></body>"""
    page = read_page(html, agent="tiptoe")
    described = page.described
    assert (described.language, described.description, page.base_href) == ("cs", "d e", "/b/")
    assert (page.links, page.nofollow_links, page.feeds) == (["1"], 1, ["/feed"])
    assert (page.directives, page.tdm_reservation, page.paragraphs) == (["noarchive"], True, ["x y"])


def test_links_in_what_is_left_out_are_still_links() -> None:
    """Menus wait hidden until they are opened."""
    assert read_page(
        "<div hidden><a href=a>x</a></div><object><a href=b>y</a></object>", agent="t"
    ).links == ["a", "b"]


@pytest.mark.parametrize("heavy", ["", "<b></b>" * 15_001], ids=["a tree", "no tree"])
@pytest.mark.parametrize(
    "html",
    [
        "<noframes><p><a href='/a?b&amp;c'>x</a><area href=/d></noframes>",
        "<noscript><a href='/a?b&amp;c'>x</a><map><area href=/d></map></noscript>",
        "<a href='/a?b&amp;c'></a><iframe src=/d></iframe>",
        "<link rel=next href='/a?b&amp;c'><meta http-equiv=refresh content='0; /d'>",
    ],
)
def test_links_for_readers_without_frames_and_scripts_are_links(html: str, heavy: str) -> None:
    """We are such a reader."""
    assert read_page(html + heavy, agent="t").links == ["/a?b&c", "/d"]


def test_a_page_of_frames_leads_to_them_and_to_what_stands_instead() -> None:
    html = (
        "<frameset><frame src=/a><frame src=/b><noframes><body>x<a href=/c>y</a></body></noframes></frameset>"
    )
    page = read_page(html, agent="t")
    assert (page.links, page.paragraphs) == (["/a", "/b", "/c"], [])


@pytest.mark.parametrize(
    "html", ["", " ", "<", "<>", "</", "<!", "<frameset><frame src=a></frameset>", "\x00", "&"]
)
def test_fragments_of_pages_are_pages(html: str) -> None:
    """Bodies are cut by limits, and servers send anything."""
    assert read_page(html, agent="t").title is None


def test_a_page_that_came_in_utf8_is_read_from_its_own_bytes() -> None:
    """The same text either way; only the work of encoding it again is spared."""
    html = "<title>Kůň</title><p>žluťoučký <b>kůň</b><a href='/á'>úpěl</a>"
    assert read_page(html, agent="tiptoe", utf8=html.encode()) == read_page(html, agent="tiptoe")


def test_a_page_of_countless_lines_is_cut_and_says_so() -> None:
    """Thirty kilobytes, compressed, hold fifteen million of them."""
    page = read_page("<pre>" + "a\n" * (PARAGRAPHS_MAX + 1), agent="t")
    assert (len(page.paragraphs), page.is_cut) == (PARAGRAPHS_MAX, True)
    page = read_page("<pre>" + "a\n" * PARAGRAPHS_MAX, agent="t")
    assert (len(page.paragraphs), page.is_cut) == (PARAGRAPHS_MAX, False)


def test_a_page_whose_outline_is_cut_says_so() -> None:
    """The main content is chosen from the outline: what is not there cannot be chosen."""
    lines = "<pre>" + "a\n" * 20_000
    assert not read_page(lines, agent="t", is_outlined=True).is_cut
    assert read_page(lines + "b", agent="t", is_outlined=True).is_cut
    assert not read_page(lines + "b", agent="t").is_cut
    assert read_page("<pre>" + "\n" * 300_000 + "b", agent="t", is_outlined=True).is_cut


def test_a_control_separates_the_words_beside_it() -> None:
    """It takes up room on the page; a script or a reading does not."""
    assert paragraphs("in<select><option>x</select>out") == ["in out"]
    assert paragraphs("<label>Name</label><input><label>Phone</label>") == ["Name Phone"]
    assert paragraphs("a <input> b<video>x</video>c") == ["a b c"]
    assert paragraphs("o<script>x</script>ne <ruby>漢<rt>x</rt>字</ruby>") == ["one 漢字"]


def test_metadata_are_the_same_whether_or_not_a_page_is_outlined() -> None:
    """Marks with numbers of elements are in the tree then, and must not get into names."""
    html = (
        "<body><h1>Voda <a href=/x>v krajině</a></h1><div class=byline><div><b>Jana</b> Malá"
        "</div></div><p><time datetime=2024-05-01>1. května 2024</time></p><p>Text má několik slov.</p>"
    )
    plain, outlined = (read_page(html, agent="tiptoe", is_outlined=one).described for one in (False, True))
    assert plain == outlined
    assert (plain.title, plain.authors, plain.published) == ("Voda v krajině", ["Jana Malá"], "2024-05-01")
