"""How usable is each kind of text?"""

from collections.abc import Sequence

import pytest
import segment_samples as samples

from tiptoe.segment.scorer import Parts, Scorer


def usability(paragraphs: Sequence[str], language: str = "", *, scorer: Scorer | None = None) -> float:
    found = (scorer or Scorer()).rate(paragraphs, language).usability
    assert found is not None
    return found


@pytest.mark.parametrize("article", [samples.ARTICLE_CS, samples.ARTICLE_EN], ids=["Czech", "English"])
def test_an_article_is_usable(article: list[str]) -> None:
    assert usability(article) > 0.85


def test_a_statute_is_usable() -> None:
    """Paragraph signs, numbers and items that end in commas are language too."""
    assert usability(samples.LEGAL) > 0.8


def test_a_poem_is_worth_something() -> None:
    """Its lines are short and few of them end in a full stop."""
    assert 0.3 < usability(samples.POETRY) < 0.9


def test_a_text_without_spaces_is_read_by_its_full_stops() -> None:
    assert usability(samples.CHINESE) > 0.2


@pytest.mark.parametrize("name", ["ARTICLE_ZH", "ARTICLE_JA", "ARTICLE_TH", "ARTICLE_HI"])
def test_an_article_is_as_usable_in_any_script(name: str) -> None:
    """Neither spaces nor Latin full stops are needed to tell sentences from labels."""
    assert usability(getattr(samples, name)) > 0.85


@pytest.mark.parametrize("name", ["ARTICLE_ZH", "ARTICLE_JA", "ARTICLE_TH", "ARTICLE_HI"])
def test_no_part_of_a_score_depends_on_the_script(name: str) -> None:
    parts = Scorer().rate(getattr(samples, name)).annotations()
    assert {part: value for part, value in parts.items() if value < 0.8} == {}


def test_a_decimal_point_is_not_the_only_stop_of_a_chinese_text() -> None:
    article = [paragraph.replace("三百", "3.5") for paragraph in samples.ARTICLE_ZH]
    assert usability(article) > 0.85


@pytest.mark.parametrize("article", ["ARTICLE_ZH", "ARTICLE_TH", "ARTICLE_CS"])
def test_an_article_that_says_the_same_over_and_over_is_worth_little(article: str) -> None:
    sentence = getattr(samples, article)[1]
    assert usability([f"{sentence} {number}{sentence}" for number in range(30)]) < 0.3


@pytest.mark.parametrize("name", ["MENU", "PRODUCTS", "TAG_CLOUD", "BOILERPLATE", "MENU_ZH", "MENU_TH"])
def test_of_pages_without_running_text_nothing_is_said(name: str) -> None:
    """They lead to the texts; zero would end the way there (TXT-6)."""
    assert Scorer().rate(getattr(samples, name)).usability is None


def test_a_notice_does_not_make_a_text_of_a_list() -> None:
    """Every page of a site has the same sentence about cookies, in whatever language."""
    notice = "Používáme soubory cookie, abychom vám mohli nabídnout co nejlepší služby. " * 3
    titles = [f"Kapitola {number}: jak jsme stavěli most" for number in range(100)]
    assert Scorer().rate([*titles, notice]).usability is None
    assert Scorer().rate([*titles[:10], notice]).usability is not None


@pytest.mark.parametrize("language", ["de", ""])
def test_a_list_is_unknown_in_any_language(language: str) -> None:
    scorer = Scorer(lambda paragraphs: ("de", 1.0), wanted={"cs"})
    assert scorer.rate(samples.MENU * 20, language).usability is None


@pytest.mark.parametrize(
    ("name", "at_most"),
    [("CODE", 0.05), ("SPAM", 0.3), ("REPEATED", 0.1), ("SPOILT", 0.05)],
)
def test_what_looks_like_text_and_is_none_is_worth_little(name: str, at_most: float) -> None:
    assert usability(getattr(samples, name)) <= at_most


def test_no_text_is_not_judged() -> None:
    assert [Scorer().rate(none).usability for none in ([], [""], ["", " "], ["."], ["...", "!?"])] == [
        None
    ] * 5


def test_a_menu_around_an_article_costs_a_little() -> None:
    article, framed = usability(samples.ARTICLE_CS), usability(samples.MENU + samples.ARTICLE_CS)
    assert 0.6 * article < framed <= article


def test_an_article_lost_in_a_list_of_products_is_worth_half() -> None:
    framed = usability(samples.PRODUCTS + samples.ARTICLE_CS)
    assert 0.2 < framed < 0.6 * usability(samples.ARTICLE_CS)


@pytest.mark.parametrize("between", [" ", ", "])
def test_words_in_a_row_are_no_sentence(between: str) -> None:
    """Lists of key words may end in a full stop."""
    words = between.join(" ".join(samples.TAG_CLOUD).split())
    assert usability([f"{words}{between}{more}." for more in ("jaro", "léto", "podzim")]) < 0.1


def test_a_row_of_shouts_is_no_text() -> None:
    shouts = [
        "Sleva! Akce! Nové! Jen u nás! Hned! Ihned! Ber! Kup! Zdarma! Top! Hit! Wow! Dnes! Super! Levně!"
    ]
    assert usability([*shouts, *(shout.lower() for shout in shouts)]) == 0.0


def test_short_texts_that_repeat_are_found_too() -> None:
    """A compressor says little about them."""
    sentence = samples.ARTICLE_CS[1]
    assert Scorer().rate([sentence] * 2).originality == 0.5


def test_more_of_the_same_kind_is_worth_more() -> None:
    """One sentence says less about a page than ten."""
    scores = [usability(samples.ARTICLE_EN[: count + 1]) for count in range(1, 5)]
    assert scores == sorted(scores)
    assert scores[0] < 0.5 < scores[-1]


@pytest.mark.parametrize("closer", ["“", "»", ")", '"'])
def test_a_sentence_may_end_in_a_closing_quote_or_bracket(closer: str) -> None:
    closed = [paragraph + closer for paragraph in samples.ARTICLE_CS]
    assert usability(closed) == pytest.approx(usability(samples.ARTICLE_CS), abs=0.01)


def test_white_space_at_the_end_changes_nothing() -> None:
    """Our paragraphs have none, but others may send us theirs."""
    loose = [
        paragraph + ending
        for paragraph, ending in zip(samples.ARTICLE_CS, (" ", "\n", "\t", "“ ", ""), strict=True)
    ]
    assert usability(loose) == pytest.approx(usability(samples.ARTICLE_CS), abs=0.01)
    assert Scorer().rate([" " * 500]).usability is None


def test_a_few_spoilt_characters_are_forgiven_and_many_are_not() -> None:
    text = " ".join(samples.ARTICLE_CS * 3)
    scorer = Scorer()
    assert scorer.rate([text]).intact == 1.0
    assert scorer.rate([text.replace("Opozice", "Opozi\ufffde", 1)]).intact > 0.9
    assert scorer.rate([text.replace("ě", "\ufffd")]).intact < 0.05


@pytest.mark.parametrize("charset", ["windows-1250", "windows-1252", "iso-8859-1"])
def test_text_read_in_the_wrong_charset_is_recognised(charset: str) -> None:
    spoilt = [paragraph.encode().decode(charset, "replace") for paragraph in samples.ARTICLE_CS]
    assert Scorer().rate(spoilt).intact < 0.3


@pytest.mark.parametrize(
    "text",
    [
        "São Paulo é a maior cidade do país; a população não para de crescer há décadas, dizem os irmãos.",
        "Åsa gick till ån för att se på fåglarna, och där träffade hon en gammal vän från Ängelholm.",
        "În orașul Călărași, Ăsta era numele pe care îl știau toți locuitorii din împrejurimi, zice lumea.",
        "Ľubica povedala, že sa vráti až večer, lebo cesta do Ĺadovej doliny je dlhá a zasnežená.",
    ],
)
def test_letters_of_other_languages_are_no_damage(text: str) -> None:
    assert Scorer().rate([text] * 3).intact == 1.0


def test_the_same_text_has_always_the_same_usability() -> None:
    assert usability(samples.ARTICLE_CS) == usability(list(samples.ARTICLE_CS))


def test_the_parts_explain_the_score() -> None:
    parts = Scorer().rate(samples.MENU + samples.LEGAL)
    product = 1.0
    for part in parts.annotations().values():
        assert 0.0 <= part <= 1.0
        product *= part
    assert product == pytest.approx(parts.usability, abs=0.01)
    assert parts.annotations().keys() == set(Parts.__slots__)


def test_halves_of_characters_do_no_harm() -> None:
    """Broken pages hold surrogates, which UTF-8 cannot write."""
    assert usability([f"{samples.ARTICLE_EN[1]} \ud800"]) > 0


# -- language ------------------------------------------------------------


def test_only_wanted_languages_are_usable() -> None:
    scorer = Scorer(wanted={"cs", "sk"})
    assert usability(samples.ARTICLE_CS, "cs", scorer=scorer) > 0.85
    assert scorer.rate(samples.ARTICLE_EN, "en").usability == 0.0


def test_a_language_that_is_not_given_is_identified() -> None:
    scorer = Scorer(lambda paragraphs: ("cs", 0.9), wanted={"cs"})
    assert usability(samples.ARTICLE_CS, scorer=scorer) > 0.85
    assert scorer.rate(samples.ARTICLE_CS, "en").usability == 0.0


def test_a_text_in_no_certain_language_is_worth_less() -> None:
    """Rows of random words have the shape of sentences."""
    sure, unsure = Scorer(lambda paragraphs: ("cs", 0.9)), Scorer(lambda paragraphs: ("cs", 0.1))
    least = usability(samples.ARTICLE_CS, scorer=unsure)
    assert least < 0.7 * usability(samples.ARTICLE_CS, scorer=sure)


def test_no_language_is_identified_where_there_is_no_text() -> None:
    """Identifying costs more than everything else."""
    asked: list[Sequence[str]] = []

    def identify(paragraphs: Sequence[str]) -> tuple[str, float]:
        asked.append(paragraphs)
        return "cs", 1.0

    Scorer(identify).rate(samples.MENU)
    assert asked == []
