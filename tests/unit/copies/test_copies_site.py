"""A copy opens from a folder: every link leads to a file of it, or out into the web."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from copy_samples import Sent, write_archive

from tiptoe.cli.export_copy import export_copy
from tiptoe.cli.export_options import ExportOptions
from tiptoe.copies.archive_pages import entries_in, find_archive
from tiptoe.copies.file_names import FileNames
from tiptoe.copies.site_copy import SiteCopy
from tiptoe.errors import SettingsError

A = "https://a.example"
HOME = """<!DOCTYPE html><html><head><base href="/sub/"><meta charset="iso-8859-2">
<meta http-equiv="Content-Security-Policy" content="default-src https:">
<link rel="stylesheet" href="/style.css" integrity="sha256-x" crossorigin>
<style>body { background: url('/bg.png') }</style></head><body style="background:url(/bg.png)">
<a href="page?id=1&amp;x=2">one</a> <a href='/old'>moved</a> <a href=https://b.example/else#top>out</a>
<img src="/pic.png" srcset="/pic.png 1x, /pic@2x.png 2x"> <a href="/dir">dir</a> <a href="#here">here</a>
<script>var s = '<a href="/old">';</script><a href="javascript:alert(1)">no</a>
<form action="/search"></form><p>žluťoučký</p></body></html>"""

SITE = [
    Sent(f"{A}/", HOME),
    Sent(f"{A}/sub/page?id=1&x=2", "<p>first</p>"),
    Sent(f"{A}/sub/page?id=1&x=2", "<p>second <a href='/'>home</a></p>"),
    Sent(f"{A}/old", "", status=301, location="/sub/page?id=1&x=2"),
    Sent(
        f"{A}/style.css",
        "@import 'more.css'; b { src: url(/f.woff2) } i { background: url(/no.png) }",
        "text/css",
    ),
    Sent(f"{A}/more.css", "p { color: red }", "text/css"),
    Sent(f"{A}/f.woff2", b"font", "font/woff2"),
    Sent(f"{A}/bg.png", b"\x89PNG bg", "image/png"),
    Sent(f"{A}/pic.png", b"\x89PNG pic", "image/png"),
    Sent(f"{A}/dir", "<p>dir</p>"),
    Sent(f"{A}/dir/deeper", "<p>deeper <a href='../dir'>up</a></p>"),
    Sent(f"{A}/robots.txt", "User-agent: *", "text/plain"),
    Sent(f"{A}/gone", "nothing", status=404),
]


def copied(tmp_path: Path, sent: list[Sent] = SITE) -> Path:
    write_archive(tmp_path / "crawl", sent)
    out = tmp_path / "site"
    SiteCopy(tmp_path / "crawl", find_archive(tmp_path / "crawl")).write(out)
    return out


def test_links_lead_to_files_of_the_copy_or_out_of_it(tmp_path: Path) -> None:
    out = copied(tmp_path)
    home = (out / "a.example/index.html").read_text(encoding="utf-8-sig")

    shown = re.sub("<script>.*?</script>", "", home)
    links = [unescape(link) for link in re.findall(r'(?:href|src|action)="([^"]*)"', shown)]
    page = next(link for link in links if link.startswith("sub/page"))
    assert links.count(page) == 2, "a redirect leads where it led"
    assert "second" in (out / "a.example" / unquote(page)).read_text(), "the last answer counts"
    assert 'href="style.css"' in home
    assert 'href="https://b.example/else#top"' in home
    assert 'srcset="pic.png 1x, https://a.example/pic@2x.png 2x"' in home
    assert home.count("bg.png") == 2
    assert "url('bg.png')" in home
    assert 'href="#here"' in home
    assert """var s = '<a href="/old">'""" in home, "a script is left as it is"
    assert "<base" not in home
    assert "Content-Security-Policy" not in home
    assert "integrity" not in home
    assert "žluťoučký" in home, "in UTF-8, whatever the page says of itself"
    assert 'action="https://a.example/search"' in home
    for link in links:
        if not re.match(r"https?:|#|javascript:", link):
            assert (out / "a.example" / unquote(link)).is_file(), link


def test_style_sheets_lead_to_files_too(tmp_path: Path) -> None:
    style = (copied(tmp_path) / "a.example/style.css").read_text(encoding="utf-8-sig")

    assert (
        style == "@import 'more.css'; b { src: url(f.woff2) } i { background: url(https://a.example/no.png) }"
    )


def test_a_page_and_a_folder_of_one_name_lie_side_by_side(tmp_path: Path) -> None:
    out = copied(tmp_path)

    deeper = (out / "a.example/dir/deeper.html").read_text(encoding="utf-8-sig")
    assert 'href="../dir.html"' in deeper
    assert not (out / "a.example/robots.txt").exists()
    assert not list(out.rglob("gone*"))
    assert 'href="a.example/index.html"' in (out / "index.html").read_text()


def test_what_is_there_is_replaced_on_request_only(tmp_path: Path) -> None:
    out = copied(tmp_path)
    copy = SiteCopy(tmp_path / "crawl", find_archive(tmp_path / "crawl"), hosts=["a.example"])
    with pytest.raises(SettingsError, match="--force"):
        copy.write(out)
    (out / "mine.txt").write_text("x")

    copy.write(out, force=True)

    assert not (out / "mine.txt").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl", "site"]


@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_copy_is_never_replaced(tmp_path: Path, force: bool) -> None:
    """A slip in --out must not cost the crawl, or somebody's letters."""
    write_archive(tmp_path / "crawl", SITE)
    copy = SiteCopy(tmp_path / "crawl", find_archive(tmp_path / "crawl"))
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters/index.html").write_text("<!DOCTYPE html>\n<title>mine</title>")
    for name in ("letters", "crawl"):
        with pytest.raises(SettingsError, match="no copy of ours"):
            copy.write(tmp_path / name, force=force)
    assert (tmp_path / "letters/index.html").exists()
    assert find_archive(tmp_path / "crawl").archives


@pytest.mark.parametrize("name", [".", "..", "/"])
def test_a_folder_without_a_name_of_its_own_is_refused(tmp_path: Path, name: str) -> None:
    write_archive(tmp_path / "crawl", SITE)
    with pytest.raises(SettingsError, match="give a name"):
        SiteCopy(tmp_path / "crawl", find_archive(tmp_path / "crawl")).write(Path(name))


def test_folders_with_similar_names_stay(tmp_path: Path) -> None:
    (tmp_path / "site.old").mkdir()
    copied(tmp_path)
    assert (tmp_path / "site.old").is_dir()


def test_a_host_may_be_called_like_a_file_of_the_copy(tmp_path: Path) -> None:
    """In an intranet any name is possible."""
    hosts = ["index.html", "index.cdxj"]
    out = copied(tmp_path, [Sent(f"http://{host}/", "<p>home</p>") for host in hosts])
    links = re.findall(r'href="([^"]*)"', (out / "index.html").read_text())
    assert len(links) == 2
    assert all((out / link).is_file() for link in links)


def test_what_cannot_be_read_is_told_and_the_rest_is_copied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy that lacks pages must not look like a whole one."""
    write_archive(tmp_path / "crawl", SITE)
    files = find_archive(tmp_path / "crawl")
    damaged = {f"{A}/dir", f"{A}/old"}  # a page and a redirect
    with files.archives[0].open("r+b") as archive:
        for entry in entries_in(files.indexes[0]):
            if entry.url in damaged:
                archive.seek(entry.offset + 30)
                archive.write(b"\0" * 30)
    options = ExportOptions(format="site", out=tmp_path / "site")
    assert export_copy(tmp_path / "crawl", options, (), as_json=False) == 0
    assert "2 answers could not be read, and left out" in capsys.readouterr().out
    assert (tmp_path / "site/a.example/dir/deeper.html").is_file()


def test_of_other_hosts_only_what_the_pages_show_is_copied(tmp_path: Path) -> None:
    """Of the web of a country, a copy of one site must not have every picture."""
    b = "https://b.example"
    sent = [
        Sent(f"{A}/", f"<img src='{b}/moved.png'><link rel=stylesheet href='{b}/s.css'><a href='{b}/x.pdf'>"),
        Sent(f"{A}/own.pdf", b"%PDF", "application/pdf"),
        Sent(f"{b}/", f"<img src='{b}/other.png'>"),
        Sent(f"{b}/bg.png", b"bg", "image/png"),
        Sent(f"{b}/moved.png", "", status=301, location="/pic.png"),
        Sent(f"{b}/other.png", b"other", "image/png"),
        Sent(f"{b}/pic.png", b"pic", "image/png"),
        Sent(f"{b}/s.css", "b { background: url(bg.png) }", "text/css"),
        Sent(f"{b}/x.pdf", b"%PDF", "application/pdf"),
    ]
    write_archive(tmp_path / "crawl", sent)
    copy = SiteCopy(tmp_path / "crawl", find_archive(tmp_path / "crawl"), hosts=["a.example"])
    copy.write(tmp_path / "site")
    files = sorted(str(path.relative_to(tmp_path / "site")) for path in (tmp_path / "site").rglob("*.*"))
    assert [name for name in files if "/" in name] == [
        "a.example/index.html", "a.example/own.pdf", "b.example/bg.png", "b.example/pic.png",
        "b.example/s.css",
    ]  # fmt: skip


def test_a_host_without_pages_is_a_mistake_and_no_empty_copy(tmp_path: Path) -> None:
    """Its name may be misspelt."""
    copied(tmp_path)
    copy = SiteCopy(tmp_path / "crawl", find_archive(tmp_path / "crawl"), hosts=["wrong.example"])
    with pytest.raises(SettingsError, match=r"no page of wrong\.example is in the archive"):
        copy.write(tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl", "site"]


HOSTILE = [
    "https://a.example/../../etc/passwd",
    "https://a.example/%2e%2e/%2e%2e/x",
    "https://a.example/..%2f..%2fx",
    "https://a.example/CON",
    "https://a.example/.htaccess",
    "https://a.example/a:b%00c%0Ad|e",
    "https://a.example/" + "x" * 300,
    "https://a.example/" + "y/" * 200,
    "https://a.example/%F0%9F%98%80/" + "%C4%8D" * 90,
    "https://a.example/trailing./dots..",
    "https://a.example/q?" + "z" * 500,
]


def test_no_name_leads_out_or_is_too_much_for_a_file_system() -> None:
    names = FileNames()
    given = [names.give(url, "text/html") for url in HOSTILE]

    for name in given:
        parts = name.split("/")
        assert parts[0] == "a.example"
        assert all(part and part not in (".", "..") and not part.startswith(".") for part in parts), name
        assert all(len(part.encode()) < 120 for part in parts)
        assert len(name) <= 220
        assert not re.search(r"[\x00-\x1f<>:\"\\|?*]|[. ](/|$)|(?i:^|/)con(\.|/|$)", name), name
    assert len({name.casefold() for name in given}) == len(given)


def test_names_that_only_some_file_systems_tell_apart_are_made_different() -> None:
    names = FileNames()
    urls = [f"{A}/About", f"{A}/about", f"{A}/about.html", f"{A}/about.html/x", "http://a.example/about"]
    given = [names.give(url, "text/html") for url in urls]

    assert given[0] == "a.example/About.html"
    assert len({name.casefold() for name in given}) == len(urls)
    folders = {str(Path(name).parent).casefold() for name in given}
    assert not folders & {name.casefold() for name in given}, "none is a file and a folder"
    assert [names.find(url) for url in urls] == given
