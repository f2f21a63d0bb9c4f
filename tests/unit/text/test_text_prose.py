"""Which paragraphs read like text."""

from tiptoe.text.prose import PROSE_BYTES, PROSE_MAX, prose_of

NOTICE = "We use cookies to make this site better for you, and so do some of our partners."


def test_titles_are_no_text() -> None:
    assert prose_of(["Home", *(f"word{number}" for number in range(20))]) == b""
    assert prose_of(["The minister has said what he thinks of the bridge over the river Lužnice"]) == b""
    assert len(prose_of(["Home", NOTICE])) == PROSE_BYTES


def test_figures_alone_make_no_other_text() -> None:
    """Every day of an empty calendar has another date."""
    days = [
        f"There are no events on day {day} of {1900 + day % 200}; choose another day." for day in range(9)
    ]
    assert len({prose_of([day]) for day in days}) == 1


def test_what_stands_twice_is_told_once() -> None:
    assert prose_of([NOTICE, NOTICE]) == prose_of([NOTICE])


def paragraphs(count: int) -> list[str]:
    return [f"Paragraph {chr(0x4E00 + n)} is as long as it has to be here, and ends." for n in range(count)]


def test_it_ends_with_the_third_that_was_not_said_before() -> None:
    """A page is known by them; what stands above them on every page of its site says nothing of it."""
    said = b"".join(prose_of([paragraph]) for paragraph in paragraphs(20))
    assert prose_of(paragraphs(99)) == prose_of(paragraphs(3)) == said[: 3 * PROSE_BYTES]
    assert len(prose_of(paragraphs(99), said)) == 23 * PROSE_BYTES
    assert prose_of(paragraphs(20), said) == said


def test_it_is_bounded() -> None:
    """Of a page that is longer, the beginning speaks."""
    said = b"".join(prose_of([paragraph]) for paragraph in paragraphs(2 * PROSE_MAX))
    assert prose_of(paragraphs(2 * PROSE_MAX), said) == said[: PROSE_MAX * PROSE_BYTES]


def test_halves_of_characters_do_no_harm() -> None:
    assert prose_of(["\ud800" * 60 + "."])


def test_scripts_without_marks_have_texts() -> None:
    assert prose_of(["แม่น้ำสายนี้ไหลผ่านเมืองเก่า" * 10])
    assert prose_of(
        [
            "この町の古い水車小屋は、六十年前から使われていないが、水が多い日には今でも回ることがあると、村の人たちは言っている。"
        ]
    )


def test_a_chinese_sentence_is_as_much_as_a_longer_one_in_letters() -> None:
    sentences = [
        f"{letter}城的老人们每天早晨都在河边的公园里散步，谈论着过去的日子。" for letter in "东南西北"
    ]
    assert max(map(len, sentences)) < 50
    assert len({prose_of([sentence]) for sentence in sentences} - {b""}) == len(sentences)
    assert prose_of(["首页", "关于我们"]) == b""
