"""Descriptions in the format of Harvest: what we write is read back, what others write is understood."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiptoe.catalog.description import ResourceDescription, from_soif, merge_fields, moment_of, to_soif
from tiptoe.catalog.soif import ATTRIBUTES_MAX, SoifFault, SoifObject, read_soif, write_soif

EXAMPLE = (
    "@DOCUMENT { http://docs.example.org/tides/\n"
    "title{27}:\tTide tables for the harbour\n"
    "author-1{10}:\tM. Ferrant\n"
    "author-2{12}:\tJürgen Löb\n"
    "classification-1{9}:\tSea:Tides\n"
    "content-type{9}:\ttext/html\n"
    "rd-last-modified{29}:\tTue, 03 Mar 2026 08:15:00 GMT\n"
    "partial-text{32}:\tHigh water 04:12\nLow water 10:31\n"
    "}\n"
)

NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
OBJECTS = st.builds(
    SoifObject,
    st.sampled_from(["DOCUMENT", "RDMHeader", "FILE"]),
    st.from_regex(r"[a-z]{2,5}://[!-z|~é]{1,40}", fullmatch=True),
    st.lists(
        st.tuples(NAMES, TEXTS | st.sampled_from(["}\n@DOCUMENT { x", "a{3}:\tabc\n", "\r\n", "}"]))
    ).map(tuple),
)


def read(text: bytes) -> tuple[list[SoifObject], list[SoifFault]]:
    faults: list[SoifFault] = []
    return list(read_soif(io.BytesIO(text), told=faults.append)), faults


@settings(max_examples=40)
@given(st.lists(OBJECTS, max_size=3))
def test_what_is_written_is_read_back(objects: list[SoifObject]) -> None:
    """Values may hold anything, also what looks like the end of an object."""
    written = b"".join(map(write_soif, objects))
    assert read(written) == (objects, [])


def test_the_example_of_the_guides_is_understood() -> None:
    (found,), faults = read(EXAMPLE.encode())
    assert faults == []
    assert from_soif(found) == ResourceDescription(
        url="http://docs.example.org/tides/", title="Tide tables for the harbour",
        author=("M. Ferrant", "Jürgen Löb"), classification=("Sea:Tides",), content_type="text/html",
        partial_text="High water 04:12\nLow water 10:31", rd_last_modified="2026-03-03T08:15:00Z",
    )  # fmt: skip


def test_wrong_lengths_and_blanks_for_tabs_are_put_up_with() -> None:
    """As they are printed in books, where nobody counts bytes."""
    text = b"@DOCUMENT { http://a.example/\r\ntitle{5}: Tide tables\r\nauthor{99}:    M. Ferrant\r\n}\r\n"
    (found,), faults = read(text + EXAMPLE.encode())[0][:1], read(text)[1]
    assert found.attributes == (("title", "Tide tables"), ("author", "M. Ferrant"))
    assert [fault.problem for fault in faults] == ["the length of a value is wrong"] * 2


@pytest.mark.parametrize(
    "text",
    [
        b"junk\n" + EXAMPLE.encode(),
        b"@DOCUMENT { http://cut.example/\ntitle{3}:\tabc\n" + EXAMPLE.encode(),
        b"@DOCUMENT { http://odd.example/\nthis is no attribute\n}\n" + EXAMPLE.encode(),
        b"@DOCUMENT { http://long.example/\ntitle{999999999999}:\tabc\n}\n" + EXAMPLE.encode(),
    ],
)
def test_what_makes_no_sense_is_told_of_and_costs_no_other_object(text: bytes) -> None:
    objects, faults = read(text)
    assert objects[-1].url == "http://docs.example.org/tides/"
    assert faults
    assert text[: faults[0].offset] != text


class Endless:
    """A file that says the same for ever, and counts."""

    def __init__(self, part: bytes, size: int) -> None:
        self.left = size
        self.asked = 0
        self._part = part

    def read(self, size: int) -> bytes:
        self.asked = max(self.asked, size)
        taken = min(size, self.left)
        self.left -= taken
        return (self._part * (taken // len(self._part) + 1))[:taken]


@pytest.mark.parametrize("part", [b"\0", b"@", b"a{1}:\tb\n", b"@A { x\n", b"{", b"\n", b" "])
def test_a_hostile_file_ends(part: bytes) -> None:
    objects = list(read_soif(Endless(part, 300_000)))
    assert all(len(found.attributes) <= ATTRIBUTES_MAX for found in objects)


@given(
    st.binary(max_size=300)
    | st.lists(st.sampled_from([b"@A { u\n", b"a{2}:\t", b"}", b"xx\n", b"{9}:"])).map(b"".join)
)
def test_no_input_is_an_error(text: bytes) -> None:
    for found in read(text)[0]:
        from_soif(found)


def test_names_that_could_not_be_read_back_are_not_written() -> None:
    for bad in (
        SoifObject("A B", "u", ()),
        SoifObject("A", "u\nv", ()),
        SoifObject("A", "u", (("a:b", ""),)),
    ):
        with pytest.raises(ValueError, match=r"no name|no template|line break"):
            write_soif(bad)


# -- descriptions ------------------------------------------------------------


def test_a_description_keeps_everything_on_its_way_out_and_in() -> None:
    described = ResourceDescription(
        url="https://a.example/", title="T", author=("A", "B"), author_email=("a@example",), phone=("1",),
        description="D", keywords=("k", "l"), classification=("a:b", "c"), partial_text="p\n}",
        full_text="f\n\n@",
        content_type="text/html", content_length=7, content_encoding="gzip", content_charset="utf-8",
        content_language="cs", last_modified="2026-01-02T03:04:05Z", expires="2027-01-01T00:00:00Z",
        read_acl="all", virtual_db="v", md5="00", depth=3, ip="192.0.2.1",
        rd_last_modified="2026-01-02T03:04:05Z",
        rd_expires="2026-04-02T03:04:05Z",
        other={"price": ("1", "2", "3"), "colour": ("red",), "isbn-10": ("x",), "isbn-13": ("y",)},
    )  # fmt: skip
    (found,), faults = read(write_soif(to_soif(described)))
    assert (from_soif(found), faults) == (described, [])


def test_foreign_names_are_understood_and_unknown_ones_kept() -> None:
    plain = ResourceDescription(url="u", title="before")
    given_fields = {
        "Abstract": ["short"], "File-Size": ["12"], "DC.Creator": ["X"], "Keywords": ["a, b; c"],
        "depth": ["no"],
        "Colour": ["red"], "bad name": ["x"], "url": ["other"], "title": [""],
    }  # fmt: skip
    assert merge_fields(plain, given_fields) == ResourceDescription(
        url="u", title="before", description="short", content_length=12, author=("X",),
        keywords=("a", "b", "c"),
        other={"colour": ("red",)},
    )  # fmt: skip


def test_other_objects_are_no_descriptions() -> None:
    assert from_soif(SoifObject("RDMHeader", "-", (("rdm-version", "1.0"),))) is None


@given(st.text(max_size=40))
def test_whatever_stands_in_place_of_a_moment_is_one_or_none(text: str) -> None:
    moment = moment_of(text)
    assert moment is None or moment >= 0
