"""Which lines of printed pages make a paragraph?"""

from tiptoe.convert.reflow import Line, reflow

FULL = "a full line of the text, from one edge to the other one"
WIDTH = 280.0


def line(text: str, bottom: float, left: float = 50.0, size: float = 10.0) -> Line:
    return Line(text, left, left + WIDTH * len(text) / len(FULL), bottom, size)


def column(*texts: str, left: float = 50.0, top: float = 700.0) -> list[Line]:
    return [line(text, top - 12 * number, left) for number, text in enumerate(texts)]


def test_a_line_that_had_room_for_the_next_word_ends_a_paragraph() -> None:
    """Also without a full stop, as in lists whose marks are drawings."""
    lines = column(FULL, FULL, "first entry", "second entry", FULL)
    assert list(reflow([lines])) == [f"{FULL} {FULL} first entry", "second entry", FULL]


def test_a_ragged_edge_ends_no_paragraph() -> None:
    """The next word was too long for what is left of the line."""
    ragged, long_word = FULL[:-6], "extraordinarily" + FULL[15:]
    assert list(reflow([column(FULL, ragged, long_word, FULL)])) == [f"{FULL} {ragged} {long_word} {FULL}"]


def test_columns_are_read_one_after_the_other() -> None:
    """Each has an edge of its own, and a sentence goes on from one to the next."""
    left, right = column(FULL, FULL), column("goes on here.", FULL, left=350.0)
    assert list(reflow([left + right])) == [f"{FULL} {FULL} goes on here.", FULL]


def test_a_new_column_may_begin_a_paragraph() -> None:
    left, right = column(FULL, f"{FULL[:-1]}."), column("Another one.", left=350.0)
    assert list(reflow([left + right])) == [f"{FULL} {FULL[:-1]}.", "Another one."]


def test_a_line_that_is_set_in_begins_a_paragraph_unless_it_follows_a_mark() -> None:
    lines = [line(FULL, 700), line("Set in " + FULL[9:], 688, left=62), line(FULL, 676)]
    assert list(reflow([lines])) == [FULL, f"Set in {FULL[9:]} {FULL}"]
    marked = [line("• " + FULL[2:], 700), line("set in " + FULL[9:], 688, left=62)]
    assert list(reflow([marked])) == [f"• {FULL[2:]} set in {FULL[9:]}"]


def test_a_sentence_goes_on_with_a_date_or_an_abbreviation() -> None:
    date, page, dash = f"28. října {FULL[10:]}", f"s. 15 a {FULL[8:]}", f"– jak {FULL[6:]}"
    lines = column(FULL, date, FULL, page, dash, FULL)
    assert list(reflow([lines])) == [f"{FULL} {date} {FULL} {page} {dash} {FULL}"]


def test_numbered_entries_stand_apart_also_when_their_lines_are_full() -> None:
    head, first, second = f"{FULL[:-1]}:", f"1. {FULL[3:]}", f"2. {FULL[3:]}"
    assert list(reflow([column(FULL, head, first, FULL, second)])) == [
        f"{FULL} {head}", f"{first} {FULL}", second,
    ]  # fmt: skip


def test_lines_beside_a_picture_are_one_paragraph() -> None:
    """They are all short, and the sentence goes on."""
    narrow = FULL[: len(FULL) // 2]
    *_, last = reflow([column(*[FULL] * 40, *[narrow] * 12)])
    assert last.count(narrow) >= 10
    assert FULL not in last


def test_cells_of_a_table_stand_apart() -> None:
    cells = [
        line("name", 700),
        line("value", 700, left=200),
        line("other", 688),
        line("thing", 688, left=200),
    ]
    assert list(reflow([cells])) == ["name", "value", "other", "thing"]


def test_words_are_made_whole_and_double_names_keep_their_hyphen() -> None:
    one, two = FULL[:-5] + "para-", "graph" + FULL[8:-3] + "Rak-"
    assert list(reflow([column(one, two, "Uhersko.")])) == [f"{FULL[:-5]}paragraph{FULL[8:-3]}Rak-Uhersko."]


def test_what_is_repeated_in_the_middle_of_pages_stays() -> None:
    """A chorus is no running head."""
    pages = [
        column(f"Head {n}", "a", f"verse {n}", "The chorus.", f"verse {n + 9}", "b", str(n)) for n in range(5)
    ]
    text = " ".join(reflow(pages))
    assert text.count("The chorus.") == 5
    assert "Head" not in text


def test_what_short_pages_repeat_is_their_text() -> None:
    """Slides, or the articles of a law, would come out empty."""
    pages = [column(f"Article {n}", "Everybody has this right.", "The law says more.") for n in range(5)]
    text = " ".join(reflow(pages))
    assert text.count("Everybody has this right.") == text.count("Article") == 5


def test_a_short_last_page_has_the_running_head_of_the_others() -> None:
    pages = [column(f"Head {n}", *[f"{FULL[:-2]} {n}"] * 6) for n in range(5)]
    assert "Head" not in " ".join(reflow([*pages, column("Head 5", "The end.")]))


def test_no_page_is_no_paragraph() -> None:
    assert list(reflow([])) == list(reflow([[], []])) == []
