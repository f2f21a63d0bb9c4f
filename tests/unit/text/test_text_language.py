"""Languages of texts and documents, on sentences written for these tests."""

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiptoe.errors import SettingsError
from tiptoe.text.language import LABELLED_MAX, UND, DocumentLanguage, Guess, LanguageIdentifier

PROSE = {
    "cs": (
        "Když jsme včera přijeli na chalupu, bylo už pozdě a venku mrzlo, takže "
        "jsme nejdřív museli zatopit v kamnech."
    ),
    "sk": (
        "Keď sme včera prišli na chalupu, bolo už neskoro a vonku mrzlo, "
        "takže sme najprv museli zakúriť v peci."
    ),
    "pl": (
        "Kiedy wczoraj przyjechaliśmy do domku, było już późno i na dworze był "
        "mróz, więc musieliśmy napalić w piecu."
    ),
    "sl": (
        "Ko smo včeraj prišli v kočo, je bilo že pozno in zunaj je zmrzovalo, "
        "zato smo morali najprej zakuriti v peči."
    ),
    "hr": (
        "Kad smo jučer stigli u vikendicu, već je bilo kasno i vani se "
        "smrzavalo, pa smo prvo morali naložiti peć."
    ),
    "en": (
        "When we arrived at the cottage yesterday it was already late and "
        "freezing, so we had to light the stove first."
    ),
    "de": (
        "Als wir gestern in der Hütte ankamen, war es schon spät und draußen "
        "fror es, also mussten wir zuerst heizen."
    ),
    "hu": (
        "Amikor tegnap megérkeztünk a nyaralóba, már késő volt és kint "
        "fagyott, ezért először be kellett fűtenünk."
    ),
    "ro": (
        "Când am ajuns ieri la cabană, era deja târziu și afară era ger, așa "
        "că a trebuit mai întâi să facem focul."
    ),
    "it": (
        "Quando ieri siamo arrivati alla baita era già tardi e fuori gelava, "
        "quindi abbiamo dovuto accendere la stufa."
    ),
    "fr": (
        "Quand nous sommes arrivés hier au chalet, il était déjà tard et il gelait "
        "dehors, il a donc fallu faire du feu."
    ),
    "es": (
        "Cuando llegamos ayer a la cabaña ya era tarde y fuera helaba, así que "
        "primero tuvimos que encender la estufa."
    ),
    "nl": (
        "Toen we gisteren bij het huisje aankwamen was het al laat en het vroor "
        "buiten, dus we moesten de kachel aandoen."
    ),
    "uk": (
        "Коли ми вчора приїхали на дачу, було вже пізно і надворі морозило, "
        "тому спочатку довелося розпалити піч."
    ),
    "ru": (
        "Когда мы вчера приехали на дачу, было уже поздно и на улице морозило, "
        "поэтому сначала пришлось топить печь."
    ),
    "bg": (
        "Когато вчера пристигнахме във вилата, вече беше късно и навън беше "
        "студено, затова първо трябваше да запалим."
    ),
    "be": (
        "Калі мы ўчора прыехалі на дачу, было ўжо позна і на вуліцы марозіла, "
        "таму спачатку давялося паліць у печы."
    ),
    "el": "Όταν φτάσαμε χθες στο εξοχικό ήταν ήδη αργά και έξω έκανε παγωνιά.",
    "ja": "昨日山小屋に着いたときはもう遅く、外は凍えるほど寒かった。",
    "zh": "昨天我们到达小屋时已经很晚了，外面很冷。",
}

SHORT = {
    "cs": ("Dnes večer se sejdeme u nádraží.", "To jsem opravdu nečekal."),
    "sk": ("Dnes večer sa stretneme pri stanici.", "To som naozaj nečakal."),
    "pl": ("Dziś wieczorem spotkamy się przy dworcu.", "Tego się nie spodziewałem."),
    "sl": ("Danes zvečer se dobimo pri postaji.", "Tega res nisem pričakoval."),
    "hr": ("Večeras se nalazimo kod kolodvora.", "To stvarno nisam očekivao."),
    "en": ("We will meet at the station tonight.", "I really did not expect that."),
    "de": ("Heute Abend treffen wir uns am Bahnhof.", "Das habe ich wirklich nicht erwartet."),
}

WITHOUT_ACCENTS = {
    "cs": (
        "Kdyz jsme vcera prijeli na chalupu, bylo uz pozde a venku mrzlo, takze jsme nejdriv museli zatopit."
    ),
    "sk": (
        "Ked sme vcera prisli na chalupu, bolo uz neskoro a vonku mrzlo, takze sme najprv museli zakurit."
    ),
    "pl": (
        "Kiedy wczoraj przyjechalismy do domku, bylo juz pozno, wiec musielismy najpierw napalic w piecu."
    ),
    "sl": "Ko smo vceraj prisli v koco, je bilo ze pozno, zato smo morali najprej zakuriti v peci.",
    "hr": "Kad smo jucer stigli u vikendicu, vec je bilo kasno, pa smo prvo morali naloziti pec u kuci.",
}


@pytest.fixture(scope="module")
def identifier() -> LanguageIdentifier:
    return LanguageIdentifier.load()


# -- one text ------------------------------------------------------------


@pytest.mark.parametrize("language", PROSE)
def test_prose_is_recognised_with_confidence(identifier: LanguageIdentifier, language: str) -> None:
    guess = identifier.identify(PROSE[language])
    assert guess.language == language
    assert guess.confidence >= 0.8


@pytest.mark.parametrize("language", SHORT)
def test_short_sentences_of_near_languages_are_kept_apart(
    identifier: LanguageIdentifier, language: str
) -> None:
    """Thirty characters are what a comment or a headline has."""
    assert [identifier.identify(text).language for text in SHORT[language]] == [language] * 2


@pytest.mark.parametrize("language", WITHOUT_ACCENTS)
def test_text_typed_without_accents_is_recognised(identifier: LanguageIdentifier, language: str) -> None:
    """Forums and e-mails are full of it, and it must not pass for another language."""
    assert identifier.identify(WITHOUT_ACCENTS[language]).language == language


def test_capitals_and_decomposed_letters_change_nothing(identifier: LanguageIdentifier) -> None:
    """Headings are shouted, and some systems write an accent as a character of its own."""
    assert identifier.identify(PROSE["cs"].upper()).language == "cs"
    assert identifier.identify(unicodedata.normalize("NFD", PROSE["cs"])) == identifier.identify(PROSE["cs"])


def test_serbian_in_latin_letters_counts_as_croatian_and_in_cyrillic_as_serbian(
    identifier: LanguageIdentifier,
) -> None:
    latin = "Kada smo juče stigli u vikendicu već je bilo kasno i napolju se mrzlo."
    cyrillic = "Када смо јуче стигли у викендицу већ је било касно и напољу се мрзло."
    assert identifier.identify(latin).language == "hr"
    assert identifier.identify(cyrillic).language == "sr"


def test_more_text_gives_more_confidence(identifier: LanguageIdentifier) -> None:
    few, many = "na stole a v", "na stole a v kuchyni ležely hrnky, které jsem včera zapomněla umýt"
    assert identifier.identify(few).confidence < identifier.identify(many).confidence


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t", "12 345,60", "1. 5. 2024 | 14:30", "--- *** ///", "🎉🎉🎉 👍", "_", "\u0301\u0301"],
)
def test_where_there_are_no_words_nothing_is_said(identifier: LanguageIdentifier, text: str) -> None:
    assert identifier.identify(text) == Guess(UND, 0.0)


@pytest.mark.parametrize("text", ["x", "ok", "a", "да", "x 2024", "voda", "to je", "Kontakt"])
def test_of_a_few_letters_that_many_languages_have_nothing_is_said(
    identifier: LanguageIdentifier, text: str
) -> None:
    """They are in some lexicon or other; that says nothing."""
    assert identifier.identify(text) == Guess(UND, 0.0)
    assert identifier.identify_document([text]) == DocumentLanguage(UND, 0.0, {}, (UND,))


@pytest.mark.parametrize(("text", "language"), [("Děkuji", "cs"), ("się", "pl"), ("Über", "de")])
def test_a_short_word_of_one_language_is_enough(
    identifier: LanguageIdentifier, text: str, language: str
) -> None:
    assert identifier.identify(text).language == language


def test_languages_we_do_not_know_are_not_taken_for_near_ones(identifier: LanguageIdentifier) -> None:
    """A corpus of Hungarian should not fill up with Basque."""
    basque = (
        "Atzo etxolara iritsi ginenean berandu zen jada eta kanpoan izozten ari zuen, beraz sutegia piztu "
        "behar izan genuen lehenik eta gero afaria prestatu genuen elkarrekin sukaldean."
    )
    assert identifier.identify(basque).language == UND


# -- only some languages -------------------------------------------------


def test_among_chosen_languages_any_other_is_undetermined() -> None:
    """A crawl for Czech and Slovak must not call English text Czech."""
    chosen = LanguageIdentifier.load(("cs", "sk"))
    found = {language: chosen.identify(text).language for language, text in PROSE.items()}
    assert found == {**dict.fromkeys(PROSE, UND), "cs": "cs", "sk": "sk"}


def test_in_doubt_a_text_is_in_a_chosen_language(identifier: LanguageIdentifier) -> None:
    """Who knows that a site is Slovak gains from saying so."""
    text = "zhruba jednu miliardu eur na"
    assert identifier.identify(text).language == "cs"
    assert LanguageIdentifier.load(("sk", "en")).identify(text).language == "sk"


def test_an_unknown_code_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match=r"'cz' is no language we know: am, ar, be, .*\bcs\b"):
        LanguageIdentifier.load(("cz",))


# -- documents -----------------------------------------------------------


def test_a_document_has_the_language_of_its_paragraphs(identifier: LanguageIdentifier) -> None:
    document = [PROSE["cs"], "Kontakt", SHORT["cs"][0], "Radost", WITHOUT_ACCENTS["cs"]]
    found = identifier.identify_document(document)
    assert found == DocumentLanguage("cs", found.confidence, {}, ("cs",) * 5)
    assert found.confidence >= 0.9
    assert not found.is_mixed


@pytest.mark.parametrize(
    ("main", "other"), [("cs", "sk"), ("sk", "cs"), ("hr", "sl"), ("de", "en"), ("cs", "uk")]
)
def test_a_document_in_two_languages_says_so(identifier: LanguageIdentifier, main: str, other: str) -> None:
    """Bilingual pages are what parallel corpora are made of, and what spoils others."""
    document = [PROSE[main], PROSE[other], PROSE[main]]
    found = identifier.identify_document(document)
    assert found.paragraphs == (main, other, main)
    assert found.language == main
    assert list(found.others) == [other]
    assert found.others[other] == pytest.approx(1 / 3, abs=0.05)
    assert found.is_mixed


def test_a_paragraph_in_another_script_is_named(identifier: LanguageIdentifier) -> None:
    found = identifier.identify_document([PROSE["cs"], PROSE["ja"], PROSE["el"], PROSE["ru"]])
    assert found.paragraphs == ("cs", "ja", "el", "ru")
    assert found.language == "cs"


def test_a_short_paragraph_leans_to_its_document(identifier: LanguageIdentifier) -> None:
    """By itself a heading says little: "Motor a benzín" is as Slovak as it is Czech."""
    for language in ("cs", "sk"):
        document = [PROSE[language], "Auto", "Motor a benzín", "Read more", *SHORT[language]]
        assert set(identifier.identify_document(document).paragraphs) == {language}


def test_a_foreign_line_is_not_worth_mentioning(identifier: LanguageIdentifier) -> None:
    """Every other page says "All rights reserved"; that does not make it English."""
    document = [PROSE["cs"], PROSE["cs"], "All rights reserved by the authors of this site"]
    found = identifier.identify_document(document)
    assert found.paragraphs == ("cs", "cs", "en")
    assert found.others == {}


def test_paragraphs_without_words_are_undetermined_wherever_they_stand(
    identifier: LanguageIdentifier,
) -> None:
    found = identifier.identify_document([PROSE["pl"], "2024", "* * *", "12 345 678"])
    assert found.paragraphs == ("pl", UND, UND, UND)
    assert found.language == "pl"


def test_a_document_in_a_language_of_its_own_script_is_named_by_it(identifier: LanguageIdentifier) -> None:
    found = identifier.identify_document([PROSE["ja"] * 4, "東京", "2024", PROSE["en"]])
    assert found.paragraphs == ("ja", "ja", UND, "en")


def test_a_document_whose_longest_paragraph_is_a_quotation_keeps_its_language(
    identifier: LanguageIdentifier,
) -> None:
    found = identifier.identify_document([PROSE["cs"]] * 4 + [PROSE["ru"] + " " + PROSE["ru"]])
    assert found.language == "cs"
    assert found.paragraphs == ("cs", "cs", "cs", "cs", "ru")


@pytest.mark.parametrize("document", [[], [""], ["1", "2", "3"], ["🎉"] * 3])
def test_a_document_without_words_is_undetermined(
    identifier: LanguageIdentifier, document: list[str]
) -> None:
    assert identifier.identify_document(document) == DocumentLanguage(UND, 0.0, {}, (UND,) * len(document))


# -- hostile text --------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000_000,
        "á" * 10_000_000,
        "a " * 5_000_000,
        "že" * 5_000_000,
        "🎉" * 2_500_000,
        "語" * 3_000_000,
    ],
    ids=["one word", "one accented word", "one-letter words", "no space", "emoji", "ideographs"],
)
def test_only_the_beginning_of_a_huge_text_is_read(identifier: LanguageIdentifier, text: str) -> None:
    """Ten megabytes without a space are a page like any other."""
    identifier.identify("slova")  # the first text of its script has the tables made
    identifier.identify_document(["slova"])
    began = time.process_time()
    identifier.identify(text)
    identifier.identify_document([text, text])
    assert time.process_time() - began < 0.05


def test_the_weightiest_words_do_not_overflow(identifier: LanguageIdentifier) -> None:
    """A field that ran over would add to the language beside it."""
    assert identifier.identify("je " * 500 + "se " * 500).language in ("cs", "sl", "hr")
    assert identifier.identify("the " * 1000).language == "en"
    assert identifier.identify_document(["the " * 1000] * 100).language == "en"


TEXT = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("aeikž .")), max_size=80)


@settings(max_examples=150, deadline=None)
@given(text=TEXT)
def test_any_text_has_a_language_or_none(identifier: LanguageIdentifier, text: str) -> None:
    guess = identifier.identify(text)
    assert 0.0 <= guess.confidence <= 1.0
    assert (guess.language == UND) == (guess.confidence == 0.0)


@settings(max_examples=150, deadline=None)
@given(paragraphs=st.lists(TEXT | st.sampled_from(sorted(PROSE.values())), max_size=8))
def test_any_document_has_a_label_for_each_paragraph(
    identifier: LanguageIdentifier, paragraphs: list[str]
) -> None:
    found = identifier.identify_document(paragraphs)
    assert len(found.paragraphs) == len(paragraphs)
    assert found.language == UND or found.language in found.paragraphs
    assert set(found.others) <= set(found.paragraphs) - {found.language}
    assert sum(found.others.values()) <= 1.0


def test_paragraphs_beyond_all_reason_are_taken_for_the_language_of_the_document(
    identifier: LanguageIdentifier,
) -> None:
    """A page of a few kilobytes may unfold into millions, and each look costs."""
    found = identifier.identify_document([*[PROSE["cs"]] * LABELLED_MAX, PROSE["en"]])
    assert (found.language, found.paragraphs[-1]) == ("cs", "cs")
    assert identifier.identify_document([*[PROSE["cs"]] * 9, PROSE["en"]]).paragraphs[-1] == "en"


def test_languages_share_a_document_by_what_they_say_and_not_by_characters(
    identifier: LanguageIdentifier,
) -> None:
    """A Chinese article is shorter, in characters, than the English notice below it."""
    article = [
        "关门三年之后，城南那家旧书店上个星期又亮起了灯。",
        "第一天来的大多是老顾客，有人带来了自己多年的藏书。",
    ]
    notice = "All rights reserved by the owner of this site and the authors of its texts."
    assert len(notice) > len("".join(article))
    assert identifier.identify_document([*article, notice]).language == "zh"
