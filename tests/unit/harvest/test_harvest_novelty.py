"""Whether a page says anything new."""

from tiptoe.harvest.novelty import HOSTS_MAX, PARAGRAPHS_MAX, Novelty

NOTICE = "We use cookies to make this site better for you, and so do some of our partners."


def article(number: int) -> list[str]:
    letters = "".join("abcdefghij"[int(digit)] for digit in str(number))
    return ["Home", NOTICE, f"The story of {letters} begins on a cold evening in the old town, by the river."]


def test_articles_are_new_each_time() -> None:
    """However many there are, and whatever stands on every page beside them."""
    novelty = Novelty()
    assert all(novelty.is_new("a.example", article(number)) for number in range(5000))


def test_the_same_again_is_not_new() -> None:
    novelty = Novelty()
    assert novelty.is_new("a.example", article(1))
    assert not novelty.is_new("a.example", article(1))
    assert novelty.is_new("b.example", article(1))


def test_titles_are_no_text() -> None:
    """A page of ever new links is not a page of ever new text."""
    novelty = Novelty()
    novelty.is_new("a.example", [NOTICE])
    assert not any(
        novelty.is_new("a.example", [NOTICE, *(f"word{number}-{fork}" for fork in range(20))])
        for number in range(100)
    )


def test_figures_alone_make_nothing_new() -> None:
    """Every day of an empty calendar has another date."""
    novelty = Novelty()
    days = [
        f"There are no events on day {day} of {1900 + day % 200}; choose another day." for day in range(500)
    ]
    assert sum(novelty.is_new("a.example", [day]) for day in days) == 1


def test_its_memory_is_bounded() -> None:
    novelty = Novelty()
    for number in range(HOSTS_MAX + 50):
        novelty.is_new(f"h{number}.example", article(number))
    for number in range(10 * PARAGRAPHS_MAX):
        novelty.is_new("a.example", article(number))
    assert len(novelty._hosts) == HOSTS_MAX
    assert len(novelty._hosts["a.example"]) == PARAGRAPHS_MAX


def test_halves_of_characters_do_no_harm() -> None:
    assert Novelty().is_new("a.example", ["\ud800" * 60 + "."])


def test_long_titles_are_no_text_and_scripts_without_marks_are() -> None:
    novelty = Novelty()
    assert not novelty.is_new(
        "a.example", ["The minister has said what he thinks of the bridge over the river Lužnice"]
    )
    assert novelty.is_new("a.example", ["แม่น้ำสายนี้ไหลผ่านเมืองเก่า" * 10])
    assert novelty.is_new(
        "a.example",
        [
            "この町の古い水車小屋は、六十年前から使われていないが、水が多い日には今でも回ることがあると、村の人たちは言っている。"
        ],
    )


def test_a_chinese_sentence_is_as_much_as_a_longer_one_in_letters() -> None:
    sentences = [
        f"{letter}城的老人们每天早晨都在河边的公园里散步，谈论着过去的日子。" for letter in "东南西北"
    ]
    assert max(map(len, sentences)) < 50
    novelty = Novelty()
    assert all(novelty.is_new("a.example", [sentence]) for sentence in sentences)
    assert not novelty.is_new("a.example", ["首页", "关于我们"])
