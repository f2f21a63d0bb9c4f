"""Do messages give their text, in whatever form they come?"""

import gzip
import io
import time
from pathlib import Path

import pytest
from made_sources import WORDS, intake

from tiptoe.ingest.file_position import BEGINNING
from tiptoe.ingest.mail_intake import take_message
from tiptoe.ingest.mailbox import Message, looks_like_mail, read_messages
from tiptoe.ingest.mime import read_message
from tiptoe.ingest.page_intake import ReadText
from tiptoe.write.corpus import Document

PLAIN = f"""From: a@a.example
Subject: =?utf-8?q?Dobr=C3=BD_den?=
Message-ID: <1@a.example>
Date: Fri, 02 Jan 2026 03:04:05 +0100
Content-Type: text/plain; charset=iso-8859-2
Content-Transfer-Encoding: 8bit

{WORDS} vše.

Dne 1. ledna napsal Karel:
> {WORDS} jen citát,
> který nikdo nechce.

Hezký den.
--
Podpis
""".encode("iso-8859-2")

MULTIPART = b"""From: a@a.example
Content-Type: multipart/mixed; boundary="out er"

preamble
--out er
Content-Type: multipart/alternative; boundary=in

--in
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64

PHA+SFRNTDwvcD4=
--in
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

P=C5=99=C3=ADli=C5=A1 =
=C5=BElu=C5=A5ou=C4=8Dk=C3=BD
--in--
--out er
Content-Type: text/plain
Content-Disposition: attachment; filename=x.txt

attached
--out er--
"""


def messages(data: bytes, **given: int) -> list[Message]:
    return list(read_messages(io.BytesIO(data), BEGINNING, **{"bytes_max": 1 << 20, **given}))


def document(data: bytes, **given: object) -> Document:
    (message,) = messages(data)
    with intake(**given) as reader:
        found = take_message(message, Path(__file__), reader)
    assert isinstance(found, ReadText), found
    return found.document


def test_an_mbox_is_cut_at_lines_that_open_a_message_only() -> None:
    """A sentence may begin with that word; so may a quoted line."""
    first = b"From a@a.example Fri Jan  2 03:04:05 2026\nSubject: one\n\nFrom here on\n>From there\n\n"
    box = first + b"From b@b.example Fri Jan  2 03:04:05 2026\nSubject: two\n\nx\n"
    for data in (box, gzip.compress(box), gzip.compress(first) + gzip.compress(box[len(first) :])):
        found = messages(data)
        assert [message.data.split(b"\n")[0] for message in found] == [b"Subject: one", b"Subject: two"]
        assert found[0].data.endswith(b"From here on\nFrom there\n\n")
        again = list(read_messages(io.BytesIO(data), found[0].end, bytes_max=1 << 20))
        assert [message.data for message in again] == [found[1].data]


def test_news_batches_single_messages_and_long_ones_are_cut_right() -> None:
    batch = b"#! rnews 11\nSubject: a\n#! rnews 14\nSubject: b\n\nc\n"
    assert [message.data for message in messages(batch)] == [b"Subject: a\n", b"Subject: b\n\nc\n"]
    (single,) = messages(PLAIN)
    assert single.data == PLAIN
    (cut,) = messages(PLAIN, bytes_max=100)
    assert (cut.data, cut.is_cut) == (PLAIN[:100], True)


def test_mail_is_known_by_its_head() -> None:
    assert looks_like_mail(PLAIN)
    assert looks_like_mail(b"Path: x\nNewsgroups: a.b\nFrom: c\nSubject: d\n\ne")
    assert not looks_like_mail(b"From: a letter\nthat goes on")
    assert not looks_like_mail(b"<html><p>Subject: x")


def test_a_plain_message_gives_its_words_and_labels_what_it_quotes() -> None:
    found = document(PLAIN, text__extraction="marked")
    assert found.title == "Dobrý den"
    assert (found.url, found.type, found.fetched_at[:19]) == (
        "mid:1@a.example", "message/rfc822", "2026-01-02T02:04:05",
    )  # fmt: skip
    assert found.main_text == f"{WORDS} vše.\nHezký den."
    assert "který nikdo nechce" in found.text
    assert found.id == document(PLAIN).id
    assert document(PLAIN, text__extraction="main").text == found.main_text
    assert "Podpis" in document(PLAIN).text


def test_of_several_parts_the_plain_one_is_read_and_no_attachment() -> None:
    assert document(MULTIPART).text == "Příliš žluťoučký"
    html = MULTIPART.replace(b"text/plain; charset=utf-8", b"image/png")
    assert document(html).text == "HTML"


def test_a_subject_is_in_the_charset_of_its_text() -> None:
    """Czech news of the nineties have bytes of ISO-8859-2 in their heads, and no encoded words."""
    raw = PLAIN.replace(b"=?utf-8?q?Dobr=C3=BD_den?=", "Dobrý večer".encode("iso-8859-2"))
    assert document(raw).title == "Dobrý večer"
    assert document(raw.replace(b"; charset=iso-8859-2", b"")).title == "Dobrý večer"
    assert read_message(b"Subject: a\xe9\nContent-Type: image/png\n\n").subject == "a\ufffd"


ENCLOSED = {
    "uuencoded": b"begin 644 a.gif\nM" + b"9&]E" * 15 + b"\n%:&5L;&\\ \n`\nend\n",
    "the second of three parts": (b"M" + b"9&]E" * 15 + b"\n") * 5,
    "yEnc": b"=ybegin line=128 size=3 name=a.gif\n\x90\xff\x00\n=yend size=3\n",
    "PGP": b"-----BEGIN PGP SIGNATURE-----\nVersion: 1\n\niQEzBAEB\n-----END PGP SIGNATURE-----\n",
}


@pytest.mark.parametrize("form", ENCLOSED)
def test_files_within_the_text_of_a_message_are_not_read(form: str) -> None:
    """News archives are full of pictures that look like lines of text."""
    said = f"{WORDS} vše.\n".encode()
    head = b"Subject: x\nFrom: a@a.example\n\n"
    found = document(head + said + b"\n" + ENCLOSED[form] + b"\nKonec.\n")
    assert found.text == f"{WORDS} vše.\nKonec."


def test_words_that_look_like_an_enclosure_stay() -> None:
    said = b"Subject: x\nFrom: a@a.example\n\nWe\nbegin 644 times to\nwrite this.\nend\n"
    assert "begin 644 times" in document(said).text


def test_a_signed_message_is_read_without_its_armour() -> None:
    said = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n" + WORDS + "\n"
    found = document(b"Subject: x\nFrom: a@a.example\n\n" + said.encode() + ENCLOSED["PGP"])
    assert found.text == WORDS


def test_parts_in_parts_without_end_cost_nothing() -> None:
    """A library that recurses, or looks for every boundary in every line, would take hours."""
    nested = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (depth, depth) for depth in range(20_000)
    )
    many = (
        b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\nContent-Type: text/plain\n\nx\n" * 100_000
    )
    began = time.process_time()
    assert read_message(nested).part is None
    assert read_message(many).part is not None
    for bad in (b"", b"\n\n", b"Content-Type: multipart/mixed; boundary=\n\nx", b"a" * 10**6, b":\n" * 10**5):
        read_message(bad)
    broken = read_message(
        b"Subject: =?x?b?\xff?= =?utf-8?b?!!?=\nDate: 99\nContent-Transfer-Encoding: base64\n\n=a"
    )
    assert (broken.sent_at, broken.part) == (None, None)
    assert time.process_time() - began < 3.0
