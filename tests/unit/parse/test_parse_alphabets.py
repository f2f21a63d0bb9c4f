"""Which encoding bytes read well in."""

import time

import pytest

from tiptoe.parse.alphabets import ALPHABETS, UNWEIGHED, weigh
from tiptoe.parse.labels import find_codec

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
    nats = weigh(sample).nats
    return max(nats, key=nats.__getitem__)


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


def test_other_scripts_do_not_fit() -> None:
    for text, encoding in (
        ("Широкая электрификация южных губерний", "windows-1251"),
        ("日本語の文章です。これは試験です。", "cp932"),
        (TEXTS["cs"], "cp852"),
    ):
        assert not weigh(text.encode(encoding)).fits


def test_symbols_beside_no_word_say_nothing() -> None:
    """They are letters in other encodings: £ is Ł, ³ is ł, ¹ is š."""
    nats = weigh(b"It costs \xa320 for 5 m\xb3 of it \xb9 and half that, \xbd, for less.").nats
    assert set(nats.values()) == {0.0}


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
    assert (evidence.fit, evidence.high_share) == (0.0, 0.0)
    assert set(evidence.nats) == set(ALPHABETS)


def test_all_encodings_are_known_by_their_labels() -> None:
    assert {find_codec(encoding) for encoding in ALPHABETS} == set(ALPHABETS)
    assert not UNWEIGHED & set(ALPHABETS)
