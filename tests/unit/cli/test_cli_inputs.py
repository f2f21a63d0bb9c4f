"""What a crawl is given to read: seeds, downlist, secret."""

import io
from pathlib import Path

import pytest

from tiptoe.cli.inputs import Downlist, Seeds, check_out, read_downlist, read_seeds, refuse_crawls
from tiptoe.cli.near_seeds import places_of
from tiptoe.errors import SettingsError
from tiptoe.settings.layers import Settings
from tiptoe.url.canonical import Canonicalizer, CanonicalRules

WEB = Canonicalizer(CanonicalRules(schemes=frozenset({"http", "https"})))


def seeds(*words: str, **settings: object) -> list[str]:
    return found(*words, **settings).urls


def found(*words: str, **settings: object) -> Seeds:
    given = {name.replace("__", "."): value for name, value in settings.items()}
    return read_seeds(Settings.load(None, given), words, WEB)


def faults(*words: str, **settings: object) -> list[str]:
    with pytest.raises(SettingsError) as refused:
        seeds(*words, **settings)
    return str(refused.value).splitlines()


def pipe(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """Let this come on the standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_addresses_come_from_words_files_and_settings_each_once(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("# ours\nhttps://b.example https://a.example/\n")
    assert seeds("https://A.example/#top", str(file), crawl__seeds=["https://c.example/"]) == [
        "https://a.example/",
        "https://b.example/",
        "https://c.example/",
    ]


def test_sitemaps_to_start_from_are_seeds() -> None:
    """What they are shows when they are there."""
    assert seeds(crawl__sitemaps=["a.example/sitemap.xml"]) == ["http://a.example/sitemap.xml"]
    assert "--sitemap nowhere" in faults(crawl__sitemaps=["nowhere"])[0]


def test_places_near_the_seeds_count_those_of_earlier_runs(tmp_path: Path) -> None:
    """Who adds a seed means to widen the crawl, not to move it."""
    (tmp_path / "crawl.json").write_text('{"seeds": ["http://www.a.co.uk/"], "is_seeded": true}')
    given: dict[str, object] = {"crawl.out": str(tmp_path), "scope.within": "site"}
    settings = Settings.load(None, given)
    assert places_of(settings, ["https://b.example/x"]) == {"scope.seed_places": ["a.co.uk", "b.example"]}
    assert places_of(Settings.load(None, {"crawl.out": str(tmp_path)}), ["https://b.example/x"]) == {}


def test_a_file_of_seeds_may_begin_with_a_mark(tmp_path: Path) -> None:
    """Editors on Windows write one, and nobody sees it."""
    (tmp_path / "seeds.txt").write_bytes(b"\xef\xbb\xbfhttps://a.example/\r\nhttps://b.example/\r\n")
    assert seeds(str(tmp_path / "seeds.txt")) == ["https://a.example/", "https://b.example/"]


@pytest.mark.parametrize("content", [b"", b"\n \n", b"# nothing yet\n"])
def test_a_file_without_an_address_is_said(tmp_path: Path, content: bytes) -> None:
    """Not that no seed was named: one was, and this is where to look."""
    file = tmp_path / "seeds.txt"
    file.write_bytes(content)
    assert faults(str(file)) == [f"{file}: there is no address in this file"]


# -- standard input ------------------------------------------------------


def test_seeds_may_come_on_the_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, b"https://b.example/\nhttps://c.example/ https://a.example/\n")
    assert seeds("https://a.example/", "-") == [
        "https://a.example/",
        "https://b.example/",
        "https://c.example/",
    ]


@pytest.mark.parametrize("content", [b"", b"\n \n", b"# nothing yet\n"])
def test_a_standard_input_without_an_address_is_said(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """A pipe whose other end has failed must not look like a crawl that has nothing to do."""
    pipe(monkeypatch, content)
    assert faults("-") == ["-: no address came on the standard input"]


def test_a_standard_input_that_is_closed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert faults("-") == ["-: no address came on the standard input"]


def test_what_comes_in_and_is_no_address_is_named_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, b"https://a.example/\ngopher://b.example/\n")
    (fault,) = faults("-")
    assert fault.startswith("standard input, line 2: 'gopher://b.example/' cannot be requested")


# -- what is no address --------------------------------------------------


@pytest.mark.parametrize("word", ["", "  "])
def test_an_empty_word_is_no_address(word: str) -> None:
    """As it comes from a variable of the shell that was never set."""
    assert faults(word) == ["'' is no address; one looks like https://www.example.org/"]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://a.example:99999/", "ports end at 65535"),
        ("http://a b.example/", "there is a space in the name of its host"),
    ],
)
def test_an_address_that_cannot_be_says_why(address: str, why: str) -> None:
    assert faults(address) == [f"{address!r} is no address: {why}"]


def test_a_file_in_another_coding_says_what_to_do(tmp_path: Path) -> None:
    """Notepad and Excel write UTF-16."""
    file = tmp_path / "seeds.txt"
    file.write_bytes("http://a.example/".encode("utf-16"))
    assert faults(str(file)) == [f"{file}: it is in UTF-16; save it as UTF-8"]
    file.write_bytes("http://a.example/š".encode("iso-8859-2"))
    assert faults(str(file)) == [f"{file}: not a UTF-8 text file; save it as UTF-8"]


@pytest.mark.parametrize(
    "address",
    [
        "https://a.example/\0",
        "https://a\0b.example/",
        "https://a.example/\x1b[2J",
        "https://a.example/\udcff",
    ],
)
def test_what_cannot_be_typed_makes_no_address(address: str) -> None:
    """A browser would drop or escape it: the address asked for would not be the one that was meant."""
    (fault,) = faults(address)
    assert fault.startswith(f"{address!r} is no address: there are control characters")
    assert fault.isprintable()


@pytest.mark.parametrize(
    "address",
    ["http:///x", "https:////a.example/", "http://", "http://?q", "HTTP://\\\\a.example/", "ftp:///pub/"],
)
def test_an_address_without_a_host_is_not_repaired(address: str) -> None:
    """Browsers take x for the host of http:///x; whoever wrote it forgot the host, and meant another."""
    (fault,) = faults(address)
    assert fault.startswith(f"{address!r} names no host")


def test_addresses_without_a_host_are_refused_in_files_too(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("http:///x http:a.example http:/a.example https://b.example/ http://[::1]/\n")
    assert [fault.partition(" names")[0].rpartition(": ")[2] for fault in faults(str(file))] == [
        "'http:///x'", "'http:a.example'", "'http:/a.example'",
    ]  # fmt: skip


def test_two_addresses_in_one_word_are_not_glued_together() -> None:
    (fault,) = faults("https://a.example/\nhttps://b.example/")
    assert "control characters" in fault


def test_an_address_of_a_protocol_that_is_not_spoken_is_told_from_one_that_is_none() -> None:
    assert faults("ftp://a.example/") == [
        "'ftp://a.example/' is left out by scope.schemes; --set scope.schemes=http,https,ftp allows ftp"
    ]
    assert faults("gopher://a.example/") == [
        "'gopher://a.example/' cannot be requested: tiptoe speaks http, https, ftp and file, not gopher"
    ]


def test_a_directory_is_no_seed_and_that_of_a_crawl_is_to_be_continued(tmp_path: Path) -> None:
    """Other tools take it there."""
    assert faults(str(tmp_path)) == [
        f"{tmp_path}: a directory; `tiptoe read` makes a corpus of files, without a crawl"
    ]
    refuse_crawls([str(tmp_path), "https://a.example/"])
    (tmp_path / "crawl.json").touch()
    with pytest.raises(SettingsError, match=f"of a crawl; `tiptoe crawl --out {tmp_path}` continues it"):
        refuse_crawls([str(tmp_path)])


def test_a_file_in_the_way_of_the_directory_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    check_out(Settings.load(None, {"crawl.out": str(tmp_path / "a" / "b")}))
    with pytest.raises(SettingsError, match="there is a file of this name"):
        check_out(Settings.load(None, {"crawl.out": str(file)}))
    with pytest.raises(SettingsError, match=f"there is a file of the name {file}"):
        check_out(Settings.load(None, {"crawl.out": str(file / "crawl")}))


def test_white_space_around_an_address_is_not_part_of_it() -> None:
    assert seeds(" https://a.example/\r\n") == ["https://a.example/"]


def test_a_bad_line_of_a_file_is_named_and_the_good_ones_are_not(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_bytes(
        b"https://a.example/\n\nhttps://b.example/\0x https://c.example/\nhttps://d.example/\x07\n"
    )
    assert [fault.partition(" is no address")[0] for fault in faults(str(file))] == [
        f"{file}:3: 'https://b.example/\\x00x'",
        f"{file}:4: 'https://d.example/\\x07'",
    ]


@pytest.mark.parametrize("word", ["a\x1b[2Jb", "x\0", "\udcff", "a" * 5000])
def test_a_file_that_cannot_be_is_refused_in_one_line(word: str) -> None:
    (fault,) = faults(word)
    assert "no such file" in fault
    assert fault.isprintable()


def test_of_a_flood_of_bad_seeds_the_first_are_named_and_the_others_counted(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("\n".join(f"gopher://{number}.example/" for number in range(1000)))
    lines = faults(str(file))
    assert (len(lines), lines[-1]) == (21, "… and 980 more")


# -- downlist ------------------------------------------------------------


def test_a_downlist_is_counted_by_addresses_and_by_what_is_none(tmp_path: Path) -> None:
    file = tmp_path / "down.txt"
    file.write_text("# last year\nhttps://a.example/ https://A.example/\nhttps://b.example/\nnonsense\n")
    settings = Settings.load(None, {"crawl.downlist": str(file)})
    assert read_downlist(settings, WEB) == Downlist(["https://a.example/", "https://b.example/"], strange=1)
    assert read_downlist(Settings.load(None, {}), WEB) is None


# -- addresses without a scheme ------------------------------------------


def test_an_address_without_a_scheme_is_understood_and_told() -> None:
    read = found("www.example.cz", "example.cz/news", "https://a.example/")
    assert read.urls == ["http://www.example.cz/", "http://example.cz/news", "https://a.example/"]
    assert [*read.notes()] == [
        "www.example.cz is taken as http://www.example.cz/, and 1 more likewise; "
        "name the scheme if another one is meant"
    ]


def test_a_password_in_an_address_is_not_sent_and_that_is_told() -> None:
    """Whoever knows it from wget would wonder why the site shows them its login page."""
    read = found("http://me:secret@a.example/", "http://a.example/me@b.example")
    assert read.urls == ["http://a.example/", "http://a.example/me@b.example"]
    (note,) = read.notes()
    assert note.startswith("http://a.example/: the user name and password in the address are not sent")


def test_a_comment_may_follow_an_address(tmp_path: Path) -> None:
    """Lists are annotated line by line; a # inside of an address is part of it."""
    file = tmp_path / "seeds.txt"
    file.write_text("# all of them\nhttps://a.example/ # the town hall\nhttps://b.example/#top\n")
    assert seeds(str(file)) == ["https://a.example/", "https://b.example/"]


def test_addresses_without_a_scheme_may_stand_in_files_and_settings(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("www.example.cz\nhttps://a.example/ b.example:8080/x\n")
    assert seeds(str(tmp_path / "seeds.txt"), crawl__seeds=["c.example"]) == [
        "http://www.example.cz/",
        "https://a.example/",
        "http://b.example:8080/x",
        "http://c.example/",
    ]


def test_a_mistyped_file_is_not_taken_for_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.lists").mkdir()
    for word in ("seeds.txt", "lists/seeds.txt", "my.lists/czech", "your.lists/seeds.txt", "czech"):
        (fault,) = faults(word)
        assert fault.startswith(f"{word}: no such file, and no address")


def test_an_address_may_end_like_a_list(tmp_path: Path) -> None:
    """The marks of an address, or a place where only addresses stand, tell it from a file."""
    assert seeds("127.0.0.1:8123/plain.txt", "www.example.cz/a.csv") == [
        "http://127.0.0.1:8123/plain.txt",
        "http://www.example.cz/a.csv",
    ]
    (tmp_path / "seeds").write_text("example.cz/a.txt\n")
    assert seeds(str(tmp_path / "seeds")) == ["http://example.cz/a.txt"]
    assert faults("example.cz/a.txt") == [
        "example.cz/a.txt: no such file, and no address: if it is one, write http://example.cz/a.txt"
    ]


def test_a_file_that_is_there_is_read_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of that name, such as that of an earlier crawl, is none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "example.cz").write_text("https://a.example/")
    (tmp_path / "example.sk").mkdir()
    assert seeds("example.cz", "example.sk") == ["https://a.example/", "http://example.sk/"]


def test_a_line_that_is_no_address_is_still_named(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("www.example.cz\nseeds\n")
    assert faults(str(file)) == [f"{file}:2: 'seeds' is no address; one looks like https://www.example.org/"]


def test_a_list_of_downloads_and_claims_is_a_downlist(tmp_path: Path) -> None:
    """Of its columns the first alone is an address."""
    file = tmp_path / "all.list"
    file.write_text(
        "# tiptoe downlist 1\trobot=*\nhttps://a.example/\t12.500\tsha1:AB\tprague\nhttps://b.example/\t0\t\tbrno\n"
    )
    settings = Settings.load(None, {"crawl.downlist": str(file)})
    assert read_downlist(settings, WEB) == Downlist(["https://a.example/", "https://b.example/"], strange=0)
