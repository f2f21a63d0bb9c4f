"""Which encoding bytes read like words in."""

import time

import pytest

from tiptoe.parse.alphabets import ENCODINGS
from tiptoe.parse.charset_evidence import weigh

TEXTS = {
    "cs": "Když přijel večer vlak, na nádraží nikdo nečekal, protože město žilo závodem o řeku.",
    "sk": "Keď večer prišiel vlak, na stanici nikto nečakal, lebo mesto žilo pretekmi o ľudí.",
    "pl": "Kiedy wieczorem przyjechał pociąg, na dworcu nikt nie czekał, bo miasto żyło wyścigiem.",
    "hu": "Amikor este megérkezett a vonat, senki sem várt az állomáson, mert a város őszi ünnepre gyűlt.",
    "sl": "Ko je zvečer pripeljal vlak, na postaji ni čakal nihče, saj je mesto živelo za tekmo še dolgo.",
    "hr": "Kad je navečer došao vlak, na kolodvoru nitko nije čekao, jer je grad živio od utrke kući.",
}
WESTERN = {
    "fr": "Quand le train est arrivé le soir, personne n'attendait à la gare, car la ville était très fière.",
    "it": "Quando la sera arrivò il treno, alla stazione non c'era nessuno: la città viveva già la gara.",
    "de": "Als der Zug am Abend einfuhr, wartete niemand, denn alle Straßen waren für das Rennen gesperrt.",
    "sv": "När tåget kom på kvällen väntade ingen på stationen, eftersom hela staden följde loppet på ån.",
}


def best(sample: bytes) -> str:
    costs = weigh(sample).costs
    return min(costs, key=costs.__getitem__)


@pytest.mark.parametrize("language", ["cs", "sk", "pl"])
@pytest.mark.parametrize("encoding", ["windows-1250", "iso-8859-2"])
def test_one_sentence_tells_the_two_encodings_of_central_europe_apart(language: str, encoding: str) -> None:
    """They differ in a handful of letters."""
    assert best(TEXTS[language].encode(encoding)) == encoding


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("encoding", ["windows-1250", "iso-8859-2"])
def test_the_east_is_not_taken_for_the_west(language: str, encoding: str) -> None:
    """The letters without accents tell the language."""
    sample = TEXTS[language].encode(encoding)
    assert sample.decode(best(sample)) == TEXTS[language]
    assert weigh(sample).fits


@pytest.mark.parametrize("language", WESTERN)
def test_the_west_is_not_taken_for_the_east(language: str) -> None:
    assert best(WESTERN[language].encode("windows-1252")) == "windows-1252"


OTHERS = {
    "windows-1257": "Kai vakare atvažiavo traukinys, stotyje niekas nelaukė, nes visi žiūrėjo lenktynes.",
    "iso-8859-4": "Kai vakare atvažiavo traukinys, stotyje niekas nelaukė, nes visi žiūrėjo lenktynes.",
    "windows-1254": "Akşam tren geldiğinde istasyonda kimse beklemiyordu, çünkü şehir yarışı yaşıyordu.",
    "windows-1253": "Όταν έφτασε το τρένο το βράδυ, κανείς δεν περίμενε στον σταθμό.",
    "iso-8859-7": "Όταν έφτασε το τρένο το βράδυ, κανείς δεν περίμενε στον σταθμό. Άλλοι πήγαν αλλού.",
    "windows-1251": "Когда вечером пришёл поезд, на вокзале никто не ждал, потому что город жил гонкой.",
    "koi8-r": "Когда вечером пришёл поезд, на вокзале никто не ждал, потому что город жил гонкой.",
    "koi8-u": "Коли ввечері прийшов поїзд, на вокзалі ніхто не чекав, бо місто жило перегонами є ґрунт.",
    "iso-8859-5": "Когда вечером пришёл поезд, на вокзале никто не ждал, потому что город жил гонкой.",
    "cp866": "Когда вечером пришёл поезд, на вокзале никто не ждал, потому что город жил гонкой.",
    "cp852": TEXTS["cs"],
    "windows-1255": "כשהרכבת הגיעה בערב איש לא חיכה בתחנה כי כל העיר חיה את המירוץ",
    "windows-1256": "عندما وصل القطار في المساء لم يكن أحد ينتظر في المحطة لأن المدينة كانت تعيش السباق",
}


@pytest.mark.parametrize("encoding", OTHERS)
def test_one_sentence_tells_other_alphabets(encoding: str) -> None:
    sample = OTHERS[encoding].encode(encoding)
    assert best(sample) == encoding
    assert weigh(sample).fits


def test_vietnamese_is_known_with_its_tones_apart() -> None:
    """windows-1258 has no character for most letters with a tone."""
    sample = "Khi tàu đê\u0301n va\u0300o buô\u0309i tô\u0301i, không ai đợi ơ\u0309 ga".replace(
        "ợ", "ơ\u0323"
    )
    assert best(sample.encode("windows-1258")) == "windows-1258"


def test_quoted_words_in_ascii_say_nothing_against_another_script() -> None:
    """Manuals quote the names of buttons."""
    text = "Рисунок: кнопка «Print» и «Save as» или «Brushes», «Docking» и «Light Filters», раздел «Render»"
    assert best(text.encode("windows-1251")) == "windows-1251"


def test_scripts_without_an_alphabet_do_not_fit() -> None:
    for text, encoding in (
        ("日本語の文章です。これは試験です。", "cp932"),
        ("这是一个用来试验的中文句子。", "gb18030"),
        ("이것은 시험을 위한 한국어 문장입니다", "cp949"),
        ("นี่คือประโยคภาษาไทยสำหรับการทดสอบ", "cp874"),
    ):
        assert not weigh(text.encode(encoding)).fits


def test_a_foreign_name_does_not_change_the_encoding_of_a_page() -> None:
    """Antonín Dvořák is known in Germany, too."""
    text = "Die Werke von Antonín Dvořák hört man überall, am häufigsten in Böhmen und natürlich in Wien."
    assert best(text.encode("windows-1250")) == "windows-1250"
    text = text.replace("Dvořák", "Citroën").replace("Antonín", "André Citroën aus Besançon")
    assert best(text.encode("windows-1252")) == "windows-1252"


def test_one_word_far_down_that_tells_is_found_among_thousands_that_do_not() -> None:
    """Hungarian reads alike in both encodings, but for quotes."""
    text = f"{TEXTS['hu']} " * 400
    assert best(f"{text}„{TEXTS['hu']}” {text}".encode("windows-1250")) == "windows-1250"


def test_symbols_beside_no_word_say_nothing() -> None:
    """They are letters in other encodings: £ is Ł, ³ is ł, ¹ is š."""
    costs = weigh(b"It costs \xa320 for 5 m\xb3 of it \xb9 and half that, \xbd, for less.").costs
    assert {costs[encoding] for encoding in ("windows-1252", "windows-1250", "iso-8859-2")} == {0.0}


def test_a_symbol_in_a_page_in_ascii_is_no_letter_of_another_script() -> None:
    """Alone, × would be a word of Russian."""
    assert best(b"Click \xd7 to close it, then click \xd7. Or type \xe0\xe9 " + b"as said above " * 20) in (
        "windows-1252",
        "windows-1250",
    )


def test_code_around_the_words_does_not_speak_for_their_language() -> None:
    """Manuals are full of it."""
    code = "if (value == False) then return the_length_of(this.document) else while (index) { print }; " * 20
    sample = f"{code} Funkce převede proměnné na řetězec. {code}".encode("windows-1250")
    assert best(sample) == "windows-1250"


def test_a_word_without_end_is_weighed_in_linear_time() -> None:
    begun_at = time.process_time()
    weigh(b"a" * 2_000_000 + b"\xe8" + b"b\xe8" * 500_000)
    assert time.process_time() - begun_at < 2


def test_nothing_can_be_weighed() -> None:
    evidence = weigh(b"")
    assert (evidence.cost, evidence.high_share) == (0.0, 0.0)
    assert set(evidence.costs) == set(ENCODINGS)
