"""Addresses are found where browsers find them, and replacing none changes nothing."""

import time

import pytest

from tiptoe.parse.url_places import ADDRESSES_MAX, AddressRole, addresses_in, replace_in_page

PIECES = {
    "<a href=x>": [("link", "x")],
    "<A HREF = 'x&amp;y' >": [("link", "x&y")],
    '<img src="a" srcset="b 1x, c,d 2x">': [("image", "a"), ("image", "b"), ("image", "c,d")],
    "<link rel='alternate stylesheet' href=s>": [("style", "s")],
    "<link rel=preload as=font href=f>": [("font", "f")],
    "<link data-rel=stylesheet rel='icon' href=i>": [("image", "i")],
    "<link rel=preload data-as=font title='as=font' as=style href=s>": [("style", "s")],
    "<meta name=description content='1; refresh'>": [],
    "<style>@import url(a); @import 'b'; p { x: url( 'c' ) url(d.woff2?x) }</style>": [
        ("style", "a"), ("style", "b"), ("image", "c"), ("font", "d.woff2?x"),
    ],
    '<p style="background: url(&quot;a&quot;)">': [("image", "a")],
    "<script src=s>'<img src=no>'</script>": [("script", "s")],
    "<!-- <img src=no> --><textarea><img src=no></textarea>": [],
    "<meta http-equiv=refresh content='0; URL=x'>": [("link", "x")],
    "<video src=v poster=p><source src=s></video>": [("media", "v"), ("image", "p"), ("media", "s")],
    "<img alt='>' src=x": [],
}  # fmt: skip


@pytest.mark.parametrize("markup", PIECES)
def test_addresses_are_found_with_their_roles(markup: str) -> None:
    assert [(role.value, url) for role, url in addresses_in(markup)] == PIECES[markup]


def test_a_page_in_which_nothing_is_replaced_stays_as_it_is() -> None:
    page = "".join(PIECES)

    assert replace_in_page(page, lambda role, value: None) == page


def test_what_takes_the_place_of_an_address_cannot_break_out_of_it() -> None:
    """Names of files come from the web."""
    evil = "\"'><script>alert(1)</script> )"
    pages = ["<a href=x>", "<a href='x'>", '<img srcset="x 1x">', "<style>p { a: url(x) }</style>"]
    pages += ['<p style="a: url(x)">']

    for page in pages:
        new = replace_in_page(page, lambda role, value: evil)
        assert "<script" not in new, new
        assert len(addresses_in(new)) == 1, new


def test_urls_in_styles_count_like_all_others() -> None:
    many = "url(x) " * (ADDRESSES_MAX - 1)
    page = f"<style>{many}</style><p style='a: url(x) url(x)'><style>{many}</style><a href=x>"

    assert len(addresses_in(page)) == ADDRESSES_MAX


HOSTILE = [
    "<meta content='1;x' ",
    "<link rel=x href=y>",
    "<a " + "href=x " * 1000,
    "<img srcset='a ,",
    "<style>url(",
    "<base ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_pages_take_linear_time_and_bounded_memory(piece: str) -> None:
    page = piece * (1_000_000 // len(piece))
    began = time.process_time()

    found = addresses_in(page)

    assert len(found) <= ADDRESSES_MAX
    assert time.process_time() - began < 5.0
    assert {role for role, _ in found} <= set(AddressRole)
