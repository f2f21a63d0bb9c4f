"""From bytes to text, whatever the labels say."""

import tracemalloc

import pytest

from tiptoe.parse.charset import decode
from tiptoe.parse.labels import find_codec

CZECH = (
    "Příliš žluťoučký kůň úpěl ďábelské ódy. Šťastný a žíznivý člověk šel přes řeku k ještě větší věži. " * 5
)
WESTERN = "Où est passé le garçon? Les élèves français étaient très fatigués après la fête à la forêt. " * 5


def page(text: str, label: str | None = None) -> str:
    return f"<html><head>{f'<meta charset={label}>' if label else ''}</head><body><p>{text}</p></body></html>"


def test_utf8_needs_no_label_and_believes_no_other() -> None:
    """Servers put iso-8859-1 on everything; bytes that are UTF-8 are not so by chance."""
    decoded = decode(page(CZECH, "windows-1250").encode(), "iso-8859-1")
    assert (decoded.charset, decoded.source) == ("utf-8", "utf-8")
    assert CZECH in decoded.text


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_decides_and_is_removed(codec: str) -> None:
    """Also that of UTF-32, which browsers do not read, but editors write."""
    decoded = decode(("\ufeff" + CZECH).encode(codec), "windows-1250")
    assert (decoded.text, decoded.charset, decoded.source) == (CZECH, codec, "bom")
    assert not decoded.is_garbled


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_is_known_by_its_zeros(codec: str) -> None:
    decoded = decode(page(CZECH).encode(codec), None)
    assert (decoded.text, decoded.charset) == (page(CZECH), codec)


WIDE = {
    "cs": CZECH,
    "ru": "Мэр открыл новый мост через реку и пригласил весь город на праздник. " * 5,
    "zh": "关门三年之后，城南那家旧书店上个星期又亮起了灯。老板姓林，今年六十二岁。" * 5,
    "ja": "島の灯台に新しい守り人が来た。二人は東京の会社をやめ、古い家を直した。" * 5,
    "th": "ชาวบ้านริมแม่น้ำช่วยกันซ่อมบ้านไม้หลังเก่าให้เป็นห้องสมุด พวกเขาไม่มีเงินมากนัก " * 5,
    "ko": "섬의 등대에 새로운 등대지기가 왔다. 두 사람은 오래된 집을 고쳤다. " * 5,
}


@pytest.mark.parametrize("label", ["utf-16", "utf-16le", "UTF-16BE", "ucs-2", "unicode"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("language", WIDE)
def test_utf16_without_a_mark_is_read_in_the_order_it_has(label: str, codec: str, language: str) -> None:
    """Servers say utf-16 and send either order; some name the wrong one."""
    text = WIDE[language]
    for sent in (text, page(text), f"<p>{text}</p>"):
        decoded = decode(sent.encode(codec), label)
        assert (decoded.text, decoded.charset, decoded.source) == (sent, codec, "http")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("language", WIDE)
def test_utf16_without_mark_or_label_is_known_by_the_zeros_of_its_markup(codec: str, language: str) -> None:
    html = f"<html><title>{WIDE[language]}</title><p>{WIDE[language]}</p>"
    assert decode(html.encode(codec), None).text == html
    assert decode(html.encode(codec), "iso-8859-1").text == html


def test_a_label_of_utf16_on_another_encoding_means_nothing() -> None:
    assert decode(page(CZECH).encode(), "utf-16").text == page(CZECH)
    assert decode(page(CZECH, "windows-1250").encode("windows-1250"), "utf-16").text == page(
        CZECH, "windows-1250"
    )
    assert decode(page(CZECH, "utf-16").encode(), None).text == page(CZECH, "utf-16")


def test_what_is_full_of_nul_characters_is_garbled() -> None:
    assert decode(b"\x00\x01\x02\x00\x00\x07ab\x00\x00" * 100, None).is_garbled
    assert not decode(b"a page with one \x00 that has slipped in somehow, and nothing else", None).is_garbled


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_body_cut_inside_a_character_is_still_utf8(cut: int) -> None:
    """Our own limits do that."""
    decoded = decode((CZECH + "😀").encode()[:-cut], "windows-1250")
    assert (decoded.text, decoded.charset) == (CZECH, "utf-8")


def test_a_few_bad_bytes_do_not_unmake_utf8() -> None:
    """One advertisement in another encoding must not garble the page around it."""
    decoded = decode(CZECH.encode() + b"\xe8\xf8 " + CZECH.encode(), None)
    assert decoded.charset == "utf-8"
    assert decoded.text.startswith(CZECH)


@pytest.mark.parametrize("label", ["windows-1250", "iso-8859-2"])
def test_labels_of_header_and_page_are_believed(label: str) -> None:
    by_http = decode(CZECH.encode(label), label.upper())
    by_meta = decode(page(CZECH, label).encode(label), None)
    assert (by_http.text, by_http.charset, by_http.source) == (CZECH, label, "http")
    assert (by_meta.text, by_meta.charset, by_meta.source) == (page(CZECH, label), label, "meta")


def test_the_label_of_a_page_is_not_sought_in_plain_text() -> None:
    text = page(CZECH, "koi8-r")
    assert decode(text.encode("windows-1250"), None, is_html=False).text == text


@pytest.mark.parametrize(
    ("real", "claimed"), [("windows-1250", "iso-8859-2"), ("iso-8859-2", "windows-1250")]
)
def test_the_two_czech_encodings_taken_for_each_other_are_told_apart(real: str, claimed: str) -> None:
    """The commonest wrong label of the Czech web."""
    decoded = decode(page(CZECH, claimed).encode(real), claimed)
    assert (decoded.text, decoded.charset) == (page(CZECH, claimed), real)


def test_the_server_default_does_not_beat_the_page() -> None:
    """AddDefaultCharset iso-8859-1 stood in every Apache."""
    decoded = decode(page(CZECH, "windows-1250").encode("windows-1250"), "iso-8859-1")
    assert (decoded.text, decoded.source) == (page(CZECH, "windows-1250"), "meta")


@pytest.mark.parametrize("label", ["iso-8859-1", "utf-8", "windows-1254", "koi8-r"])
@pytest.mark.parametrize("codec", ["windows-1250", "iso-8859-2"])
def test_no_label_makes_a_czech_page_unreadable(codec: str, label: str) -> None:
    """Not even where header and page agree on it: both may come from one wrong template."""
    decoded = decode(page(CZECH, label).encode(codec), label)
    assert (decoded.text, decoded.charset, decoded.source) == (page(CZECH, label), codec, "detected")


@pytest.mark.parametrize("label", [None, "iso-8859-1"])
def test_prices_and_measures_of_an_english_page_stay_what_they_are(label: str | None) -> None:
    """In the encodings of Central Europe these symbols are letters."""
    text = page("The room has 60 m² or 150 m³, costs £900 or ¥150, and ½ of that for Windows® users.¹ " * 4)
    assert decode(text.encode("windows-1252"), label).text == text


def test_a_label_decides_where_letters_do_not() -> None:
    """An English page with one foreign name says nothing about its encoding."""
    text = "<p>" + "The prize of the town went to Dvořák for all of his works. " * 3
    assert decode(text.encode("windows-1250"), "windows-1250").text == text
    assert decode(text.encode("iso-8859-2"), "iso-8859-2").text == text


def test_a_label_of_which_letters_tell_nothing_is_believed() -> None:
    text = "<p>" + "Œuvre complète d'un cœur fidèle : dix € par sœur, à l'été. " * 5
    assert decode(text.encode("iso-8859-15"), "iso-8859-15").text == text


def test_letters_far_down_a_long_page_count() -> None:
    """A page may begin with a megabyte of markup."""
    text = page("<br>" * 400_000 + CZECH)
    assert decode(text.encode("windows-1250"), "iso-8859-1").charset == "windows-1250"


def test_a_western_page_stays_western() -> None:
    decoded = decode(page(WESTERN).encode("windows-1252"), "ISO-8859-1")
    assert (decoded.text, decoded.charset, decoded.source) == (page(WESTERN), "windows-1252", "http")


@pytest.mark.parametrize("codec", ["windows-1250", "iso-8859-2"])
def test_without_a_label_the_encoding_is_detected(codec: str) -> None:
    decoded = decode(page(CZECH).encode(codec), None)
    assert (decoded.text, decoded.charset, decoded.source) == (page(CZECH), codec, "detected")


@pytest.mark.parametrize(
    ("text", "codec", "label"),
    [
        ("Широкая электрификация южных губерний даст мощный толчок", "windows-1251", "windows-1251"),
        ("Широкая электрификация южных губерний даст мощный толчок", "koi8-r", "koi8-r"),
        ("日本語の文章です。これは試験です。", "cp932", "Shift_JIS"),
        ("日本語の文章です。これは試験です。", "euc_jp", "euc-jp"),
        ("日本語の文章です。これは試験です。", "iso2022_jp", "iso-2022-jp"),
        ("中文網頁測試", "big5hkscs", "big5"),
        ("中文网页测试", "gb18030", "gb2312"),
        ("한국어 문서입니다", "cp949", "euc-kr"),
    ],
)
def test_other_scripts_are_read_by_their_labels(text: str, codec: str, label: str) -> None:
    decoded = decode(page(text, label).encode(codec), None)
    assert (decoded.text, decoded.charset) == (page(text, label), codec)


ARABIC = "تعلن المكتبة عن مواعيد العمل الجديدة في أيام العطلة"
RUSSIAN = "Станция закрыта на время ремонта, поезда идут мимо неё. Я знаю"


@pytest.mark.parametrize("label", ["iso-8859-6", "windows-1256", None])
def test_arabic_has_two_encodings_that_are_told_apart(label: str | None) -> None:
    """They share some letters, so that one taken for the other still looks like Arabic."""
    for codec in ("iso-8859-6", "windows-1256"):
        decoded = decode(page(ARABIC).encode(codec), label)
        assert (decoded.text, decoded.charset) == (page(ARABIC), codec)


def test_the_encoding_of_old_macs_is_believed_where_it_is_named() -> None:
    """It is windows-1251 but for the capitals and the last letter of the alphabet."""
    decoded = decode(page(RUSSIAN).encode("mac_cyrillic"), "x-mac-cyrillic")
    assert (decoded.text, decoded.source) == (page(RUSSIAN), "http")


def test_japanese_in_seven_bits_needs_no_label() -> None:
    """Its bytes are all ASCII: taken for that, a page would be `$3$l$O` from top to bottom."""
    text = page("これは試験です。")
    decoded = decode(text.encode("iso2022_jp"), "utf-8")
    assert (decoded.text, decoded.charset, decoded.source) == (text, "iso2022_jp", "detected")


def test_other_escapes_are_no_japanese() -> None:
    """The colours of a terminal begin with the same byte."""
    log = "\x1b[31mcosts \x1b$5\x1b[0m"
    assert decode(log.encode(), None).text == log


@pytest.mark.parametrize(
    "label",
    ["utf-7", "base64", "rot13", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "mbcs",
     "oem", "zip", "hex", "undefined", "x" * 100_000, "", "\0", "utf-8\0", "../x", "č"],
)  # fmt: skip
def test_labels_outside_the_table_reach_no_codec(label: str) -> None:
    """Some of Python's codecs run code paths no page should choose."""
    assert find_codec(label) is None
    assert decode(CZECH.encode("windows-1250"), label).text == CZECH


@pytest.mark.parametrize(
    ("labels", "codec"),
    [
        ("CSISOLatinArabic iso-8859-6-e ISO-IR-127 iso_8859-6:1987", "iso-8859-6"),
        ("csISOLatinHebrew iso-8859-8-e iso-ir-138 csiso88598i", "iso-8859-8"),
        ("iso-ir-126 csISOLatinGreek iso_8859-7:1987", "iso-8859-7"),
        ("iso-ir-148 iso_8859-9:1989", "windows-1254"),
        ("csKSC56011987 iso-ir-149", "cp949"),
        ("csISO58GB231280", "gb18030"),
        ("unicodeFEFF", "utf-16-le"),
    ],
)
def test_rare_names_of_the_standard_are_known(labels: str, codec: str) -> None:
    """Whoever declares an encoding by its number in the registry has declared it."""
    assert {find_codec(label) for label in labels.split()} == {codec}


def test_every_codec_in_the_table_exists() -> None:
    for label in (
        "latin1",
        "ISO-8859-9",
        "tis-620",
        "koi8-u",
        "mac",
        "gbk",
        "big5",
        "ks_c_5601-1987",
        "cp852",
        "l2",
    ):
        codec = find_codec(label)
        assert codec is not None
        assert "a".encode(codec)


def test_nul_characters_are_removed() -> None:
    assert decode(b"a\0b", None).text == "ab"


def test_no_bytes_at_all_are_an_empty_text() -> None:
    assert decode(b"", None).text == ""


def test_what_nobody_can_read_is_read_somehow() -> None:
    """A page of noise is not an error of ours."""
    decoded = decode(bytes(range(128, 256)) * 3, "utf-8")
    assert decoded.text


def test_broken_utf8_costs_little_more_than_its_size() -> None:
    """Whoever looks for the characters in it must not keep each of them."""
    data = "é".encode() * 500_000 + b"\xff\xff"
    tracemalloc.start()
    decoded = decode(data, None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (decoded.charset, decoded.text.count("é")) == ("utf-8", 500_000)
    assert peak < 8 * len(data)


@pytest.mark.parametrize("label", [None, "utf-16"])
@pytest.mark.parametrize(
    "body",
    [
        b"<p>left\0right</p>",
        b"<p>A short page.\0</p><p>And\0 another one, by the same program.</p>",
        "<p>Žluťoučký\0kůň</p>".encode(),
    ],
)
def test_a_stray_zero_makes_no_utf_16(body: bytes, label: str | None) -> None:
    """By bytes two and two, a short page would be a line of Chinese that nobody wrote."""
    assert decode(body, label).text == body.replace(b"\0", b"").decode()


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", ["Ano", "<p>Да.</p>", "Да, это наша станция", "これはらりる、 試験", "Ở đây"]
)
def test_short_texts_of_any_script_are_utf_16_by_their_zeros(text: str, codec: str) -> None:
    """The better half of a rule against stray zeros is what it leaves alone."""
    assert decode(text.encode(codec), None).text == text
