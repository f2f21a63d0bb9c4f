"""By what a text is known again."""

import xxhash
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.text.fingerprint import HASH_BYTES, PARAGRAPHS_MAX, Fingerprint, fingerprint_of

TEXT_HASH = bytes(HASH_BYTES)
LONG = "Starosta otevřel nový most přes řeku a pozval na slavnost celé město."
OTHER = "The mayor opened the new bridge and invited the whole town to the feast."


def taken(*paragraphs: str, chars_min: int = 50) -> Fingerprint:
    return fingerprint_of(paragraphs, TEXT_HASH, chars_min=chars_min)


def hashes_of(mark: Fingerprint) -> list[bytes]:
    """Return the hashes of the paragraphs."""
    return [mark.hashes[i : i + HASH_BYTES] for i in range(HASH_BYTES, len(mark.hashes), HASH_BYTES)]


def test_only_long_paragraphs_have_a_hash() -> None:
    """Menus and captions are alike everywhere and would make everything a duplicate (INC-5)."""
    found = taken("Domů", LONG, "Kontakt", OTHER)
    assert found.hashes[:HASH_BYTES] == TEXT_HASH
    assert (len(hashes_of(found)), found.places, found.weights) == (2, [1, 3], [len(LONG), len(OTHER)])
    assert found.text_chars == len("Domů" + LONG + "Kontakt" + OTHER)
    assert hashes_of(taken("x" * 49)) == []
    assert len(hashes_of(taken("x" * 50))) == 1


def test_letters_and_digits_in_lower_case_are_hashed() -> None:
    """As INC-5 has it: what is left does not depend on who typeset the copy."""
    letters = "starostaotevřelnovýmostpřesřekuapozvalnaslavnostcelé" + "město"
    assert hashes_of(taken(LONG)) == [xxhash.xxh3_64_digest(letters.encode())]


def test_typography_makes_no_other_text() -> None:
    plain = 'He said - "come, all of you" - and 20 people came to the bridge...'
    fancy = (
        "HE SAID \u2013 \u201ecome, all of you\u201c \u2014 and 20 people came\u00b7to the \u00abbridge\u00bb"
    )
    assert hashes_of(taken(plain)) == hashes_of(taken(fancy))
    assert hashes_of(taken(plain)) != hashes_of(taken(plain.replace("20", "21")))


def test_case_is_folded_in_every_alphabet() -> None:
    assert hashes_of(taken(LONG.upper())) == hashes_of(taken(LONG))
    russian = "Мэр открыл новый мост через реку и пригласил весь город на праздник."
    assert hashes_of(taken(russian.upper())) == hashes_of(taken(russian))


def test_a_paragraph_that_stands_twice_is_hashed_once() -> None:
    found = taken(LONG, OTHER, LONG)
    assert (len(hashes_of(found)), found.places, found.echoes) == (2, [0, 1], [2])
    assert found.weights == [2 * len(LONG), len(OTHER)]


def test_lines_of_dashes_are_no_paragraphs() -> None:
    assert hashes_of(taken("-" * 80, "\u2014 " * 40)) == []


def test_of_a_long_text_every_copy_has_the_same_sample() -> None:
    """Whatever stands around it and in whichever order."""
    many = [f"{LONG} Zpráva číslo {number}." for number in range(3 * PARAGRAPHS_MAX)]
    found, copy = taken(*many), taken(*reversed(many))
    assert len(hashes_of(found)) == PARAGRAPHS_MAX
    assert set(hashes_of(found)) == set(hashes_of(copy))
    assert found.text_chars < sum(map(len, many)) / 2.9


@given(st.lists(st.text(max_size=80), max_size=8))
def test_any_text_has_a_fingerprint(paragraphs: list[str]) -> None:
    """Also halves of characters and line breaks inside a paragraph must not shift one hash to another."""
    found = taken(*paragraphs, chars_min=5)
    alone = {key for paragraph in paragraphs for key in hashes_of(taken(paragraph, chars_min=5))}
    assert set(hashes_of(found)) == alone
    assert len(found.weights) == len(found.places) == len(hashes_of(found))


def test_half_characters_do_no_harm() -> None:
    assert len(hashes_of(taken("\ud83d broken page " + LONG))) == 1


def test_scripts_beside_the_signs_are_letters() -> None:
    """Texts in Tifinagh, Coptic or Glagolitic would all be copies of one another."""
    for first, second in (("ⵜⴰⵎⴰ", "ⴰⴷⵍⵉ"), ("ⲁⲃⲅ", "ⲇⲉⲍ"), ("ⰰⰱⰲ", "ⰳⰴⰵ"), ("⺀⺁", "⼀⼁")):
        assert hashes_of(taken(first * 50)) != hashes_of(taken(second * 50))


def test_hashes_of_stored_crawls_stay() -> None:
    """A crawl that is resumed must know its own texts again."""
    typeset = "„Most“ – za 5 € – otevřeli… Мост открыт — «наконец» • 橋が開いた ⸺ → ½ ™"
    letters = "mostza5otevřeliмостоткрытнаконец橋が開いた"
    assert hashes_of(taken(typeset)) == [xxhash.xxh3_64_digest(letters.encode())]


def test_a_chinese_character_is_as_long_as_some_letters() -> None:
    """Fifty letters are a short sentence; fifty Chinese characters are a long one (INC-5)."""
    sentence = "小城的旧书店上个星期又亮起了灯，大家都很高兴。"
    assert len(sentence) < 50
    assert taken(sentence).weights == [2.5 * (len(sentence) - 1) + 1]  # the comma is no more than a letter
    assert taken("联系我们", "关于我们的产品介绍").weights == []


def test_punctuation_of_every_script_is_no_letter() -> None:
    """A copy may have other marks: wide or narrow ones, or none."""
    for first, second in (
        ("小城的旧书店上个星期又亮起了灯，大家、都很高兴。", "小城的旧书店上个星期又亮起了灯,大家都很高兴！"),
        (
            "「島の灯台」に新しい守り人・東京から来た夫婦です。",
            "『島の灯台』に新しい守り人（東京から来た夫婦です｡",
        ),
        ("गाँव के स्कूल में नया पुस्तकालय खुला। सब बच्चे बहुत खुश हैं॥", "गाँव के स्कूल में नया पुस्तकालय खुला, सब बच्चे बहुत खुश हैं।"),
        (
            "افتتحت المدينة الجديدة اليوم، وحضر الجميع إلى الحفل الكبير؟",
            "افتتحت المدينة الجديدة اليوم وحضر الجميع إلى الحفل الكبير.",
        ),
    ):
        assert hashes_of(taken(first)) == hashes_of(taken(second)) != []
