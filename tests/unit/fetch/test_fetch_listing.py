"""Lines of FTP servers, and the pages made of them."""

import time

from tiptoe.fetch.listing import ListingEntry, directory_page, read_list


def test_unix_and_dos_lines_are_understood() -> None:
    listing = (
        b"total 8\n"
        b"drwxr-xr-x   5 1000     1000         4096 Nov 11 12:30 pub\r\n"
        b"-rw-r--r--+  1 owner    group     1234567 Feb  3  2019 two words.pdf\n"
        b"-rw-r--r--   1 owner              1234567 Feb  3  2019 no group\n"
        b"02-03-19  01:15PM       <DIR>          Docs\r\n"
        b"02-03-2019  13:15                 1234 read me.txt\r\n"
        b"what is this\r\n"
    )
    assert list(read_list(listing)) == [
        ListingEntry(b"pub", True),
        ListingEntry(b"two words.pdf", False),
        ListingEntry(b"no group", False),
        ListingEntry(b"Docs", True),
        ListingEntry(b"read me.txt", False),
    ]


def test_a_hostile_line_takes_no_time() -> None:
    """The patterns must not backtrack through a line of megabytes."""
    line = b"-rw-r--r-- 1 a" + b" 1" * 1_000_000
    began = time.process_time()
    assert list(read_list(line)) == []
    assert time.process_time() - began < 1


def test_names_that_lead_elsewhere_are_left_out() -> None:
    names = [b"", b".", b"..", b"a/b", b"javascript:x", b"\xff\"'"]
    page, has_all = directory_page("/", [ListingEntry(name, False) for name in names], bytes_max=10_000)
    assert page.count(b"<a ") == 2
    assert b'href="javascript%3Ax"' in page
    assert b'href="%FF%22%27"' in page
    assert has_all


def test_a_page_keeps_its_limit() -> None:
    page, has_all = directory_page("/", [ListingEntry(b"x" * 100, False)] * 100, bytes_max=1000)
    assert (len(page) <= 1000, has_all) == (True, False)
