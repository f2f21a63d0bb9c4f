"""POL-5: robots.txt as RFC 9309 has it, one test for each of its rules."""

import time

import pytest

from tiptoe.fetch.robots import Robots, RobotsDirectives, parse_robots, robots_meta

AGENT = "tiptoe/0.1 (+https://bot.example)"


def rules(*lines: str) -> Robots:
    """Read rules said to everybody."""
    return parse_robots("\n".join(("User-agent: *", *lines)).encode(), AGENT)


def test_without_rules_everything_is_allowed() -> None:
    """An empty file, a web page in its place, or rules for others bind us to nothing."""
    for body in (b"", b"<!doctype html><p>Not found", b"User-agent: otherbot\nDisallow: /"):
        assert parse_robots(body, AGENT) == Robots()
        assert parse_robots(body, AGENT).allows("/x")


def test_the_group_with_our_name_replaces_the_one_for_everybody() -> None:
    """A site that speaks to us by name means us."""
    body = b"User-agent: *\nDisallow: /all\nCrawl-delay: 9\n\nUser-Agent: TipToe\nDisallow: /ours\n"
    robots = parse_robots(body, AGENT)

    assert robots == Robots(rules=((False, "/ours"),))
    assert robots.allows("/all")
    assert parse_robots(body, "other/1").crawl_delay == 9.0


def test_groups_with_our_name_are_one() -> None:
    """RFC 9309, 2.2.1: matching groups are combined."""
    body = (
        b"User-agent: tiptoe\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: tiptoe/2.0\nDisallow: /c"
    )

    assert parse_robots(body, AGENT).rules == ((False, "/a"), (False, "/c"))


def test_each_robot_of_a_list_has_its_own_delay() -> None:
    """Long lists of robots with nothing but a delay are common; another's must not become ours."""
    delays = {"*": 5.0, "AhrefsBot": 120.0, "Yandex": 3600.0, "tiptoe": 7.0}
    listed = "\n\n".join(f"User-agent: {name}\nCrawl-delay: {seconds:g}" for name, seconds in delays.items())

    for name in ("AhrefsBot", "Yandex", "tiptoe"):
        assert parse_robots(listed.encode(), f"{name}/1.0").crawl_delay == delays[name]
    assert parse_robots(listed.encode(), "other/1.0").crawl_delay == 5.0


@pytest.mark.parametrize("wish", ["Crawl-delay: 9", "Request-rate: 1/9"])
def test_wishes_are_for_the_names_just_before_them(wish: str) -> None:
    """After a wish, a name is that of the next robot; names in a row have it in common."""
    body = f"User-agent: a\nUser-agent: b\n{wish}\nUser-agent: c\nUser-agent: d\nDisallow: /d\n{wish}9"
    mine = parse_robots(body.encode(), "a")
    theirs = parse_robots(body.encode(), "c")

    assert mine.crawl_delay == rules(wish).crawl_delay
    assert theirs.crawl_delay == rules(wish + "9").crawl_delay
    assert parse_robots(body.encode(), "b") == mine
    assert parse_robots(body.encode(), "d") == theirs


@pytest.mark.parametrize(
    "record", ["Crawl-delay: 5", "Request-rate: 1/5", "Sitemap: /s", "Clean-param: x", "x"]
)
def test_nothing_but_a_rule_ends_the_names_that_rules_are_for(record: str) -> None:
    """RFC 9309, 2.2.4: other records must not interfere with the parsing of rules."""
    body = (
        f"User-agent: tiptoe\n{record}\n\nUser-agent: other\nDisallow: /a\n\nUser-agent: third\nDisallow: /b"
    )

    for name in ("tiptoe", "other"):
        assert parse_robots(body.encode(), name).rules == ((False, "/a"),)


def test_a_delay_before_any_name_is_for_nobody() -> None:
    """There is no group for it to be in."""
    assert parse_robots(b"Crawl-delay: 5\nUser-agent: *\nDisallow: /a", AGENT).crawl_delay is None


@pytest.mark.parametrize(
    "line",
    [
        "other, tiptoe",
        "other,tiptoe , third",
        "other tiptoe",
        "other; TipToe/1.0",
        "Mozilla/5.0 (compatible; tiptoe/1.0; +https://bot.example)",
        '"tiptoe"',
    ],
)
def test_several_robots_may_be_named_in_one_line(line: str) -> None:
    """It is no standard, and perfectly clear."""
    body = f"User-agent: {line}\nDisallow: /\n\nUser-agent: *\nAllow: /"

    assert not parse_robots(body.encode(), AGENT).allows("/")
    assert parse_robots(body.encode(), "fourth/1.0").allows("/")


def test_everybody_may_be_named_beside_others() -> None:
    """Whoever writes the star means all of us."""
    assert not parse_robots(b"User-agent: other, *\nDisallow: /", AGENT).allows("/")


def test_names_in_a_row_share_their_rules() -> None:
    """Blank lines, sitemaps and unknown records between names do not separate them."""
    body = b"User-agent: tiptoe\n\nSitemap: /s.xml\nFoo: bar\nUser-agent: x\nDisallow: /a"
    robots = parse_robots(body, AGENT)

    assert robots == Robots(rules=((False, "/a"),), sitemaps=("/s.xml",))


def test_rules_before_any_name_are_for_nobody() -> None:
    """There is no group for them to be in."""
    assert parse_robots(b"Disallow: /\nUser-agent: tiptoe\n", AGENT).allows("/x")


@pytest.mark.parametrize("name", ["tiptoe", "TIPTOE", "tiptoe/9.9", "tiptoe crawler", "tiptoe*"])
def test_only_the_product_token_names_us(name: str) -> None:
    """Version, case and what follows a space do not count."""
    assert not parse_robots(f"User-agent: {name}\nDisallow: /".encode(), AGENT).allows("/")


def test_names_that_only_begin_like_ours_are_others() -> None:
    """`tip` is somebody else."""
    for name in ("tip", "tiptoe-images", "tiptoes"):
        assert parse_robots(f"User-agent: {name}\nDisallow: /".encode(), AGENT).allows("/")


def test_a_name_with_digits_can_be_named() -> None:
    """The RFC's tokens have none, but the operator's robot may."""
    assert not parse_robots(b"User-agent: corpus2bot\nDisallow: /", "corpus2bot/1").allows("/")


@pytest.mark.parametrize(
    ("pattern", "path", "is_matched"),
    [
        ("/a", "/a", True),
        ("/a", "/abc?d", True),
        ("/a", "/A", False),
        ("/a/", "/a", False),
        ("/a$", "/a", True),
        ("/a$", "/a?b", False),
        ("/$x", "/$xy", True),
        ("*", "/", True),
        ("/*", "/", True),
        ("/*.pdf", "/x/y.pdf?z", True),
        ("/*.pdf$", "/x/y.pdf?z", False),
        ("/*.pdf$", "/x.pdf/y.pdf", True),
        ("/a*b*c", "/a1b2c3", True),
        ("/a*b*c", "/acb", False),
        ("/ab*b$", "/ab", False),
        ("/**a", "/xa", True),
        ("/a*$", "/ab", True),
        ("$", "/", False),
        ("/?q=", "/?q=1", True),
        ("/příklad", "/p%C5%99%C3%ADklad", True),
        ("/%c5%99", "/%C5%99", True),
        ("/%7Eu", "/~u", True),
        ("/~u", "/%7eu", True),
        ("/a%2Fb", "/a/b", False),
        ("/ř", "/ř", True),
        ("/%C5", "/%C5%99", True),
        ("//folder/*", "//folder/page", True),
        ("//folder/*", "/folder/page", False),
        ("*/p", "/page", True),
        ("/x$/abc", "/x$/abcdef", True),
        ("/x$/abc", "/x%24/abcdef", True),
        ("/a$$", "/a$", True),
        ("/a$$", "/a$b", False),
        ("/*$", "/x?y", True),
        ("http://a.example/", "/", False),
    ],
)
def test_patterns_match_from_the_beginning(pattern: str, path: str, is_matched: bool) -> None:
    """RFC 9309, 2.2.2 and 2.2.3."""
    assert is_matched != rules(f"Disallow: {pattern}").allows(path)


@pytest.mark.parametrize("line", ["Disallow: /a /b", "Disallow: /a, /b", 'Disallow: "/a" "/b"'])
def test_several_paths_in_one_line_are_all_meant(line: str) -> None:
    """Taken for one path with a space in it, the line would keep nobody out of anything."""
    assert [rules(line).allows(path) for path in ("/a", "/b/x", "/c")] == [False, False, True]


def test_a_space_may_belong_to_a_path_and_an_address_to_another_site() -> None:
    """What can be meant as it is written is left as it is."""
    assert not rules("Disallow: /a b").allows("/a%20b")
    assert rules("Disallow: /a b").allows("/a")
    assert rules("Disallow: https://a.example/").allows("/a")
    assert not rules("Disallow: /to?u=https://a.example/x").allows("/to?u=https://a.example/x")
    assert rules("Disallow: /to?u=https://a.example/x").allows("/x")
    assert not rules("Disallow: /", "Allow: /a /b").allows("/b")


@pytest.mark.parametrize("name", ["*tiptoe*", "tiptoe*", "*tiptoe"])
def test_stars_around_our_name_are_for_us(name: str) -> None:
    """Owners write names as they write patterns."""
    assert not parse_robots(f"User-agent: {name}\nDisallow: /\n".encode(), AGENT).allows("/a")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("private/", "/private/x"),
        ("a*b", "/acb"),
        ("index.php?q=", "/index.php?q=1"),
        ("~u", "/%7Eu"),
        ("ř", "/ř"),
    ],
)
def test_a_forgotten_slash_keeps_us_out_and_lets_us_in_nowhere(pattern: str, path: str) -> None:
    """To the RFC it is no pattern, and parsers differ: what the owner meant is plain."""
    assert not rules(f"Disallow: {pattern}").allows(path)
    assert rules(f"Disallow: {pattern}").allows("/x" + path)
    assert not rules("Disallow: /", f"Allow: {pattern}").allows(path)


def test_the_longest_match_decides_and_allow_wins_a_tie() -> None:
    """The order of lines means nothing."""
    robots = rules("Disallow: /a/", "Allow: /a/b", "Disallow: /a/b/c", "Allow: /d", "Disallow: /d")

    assert [robots.allows(path) for path in ("/a/x", "/a/b", "/a/b/c", "/d", "/e")] == [
        False,
        True,
        False,
        True,
        True,
    ]


def test_wildcards_count_in_the_length_of_a_match() -> None:
    """As in Google's parser, which site owners test against."""
    assert not rules("Allow: /page", "Disallow: /*.html").allows("/page.html")


def test_an_allowed_index_page_allows_its_folder() -> None:
    """They are the same page under two names."""
    robots = rules("Disallow: /", "Allow: /x/index.html")

    assert robots.allows("/x/")
    assert not robots.allows("/x/y")


def test_escapes_in_doubt_are_read_to_the_side_of_the_site() -> None:
    """The RFC and Google differ; neither site owner shall find us where they forbade."""
    assert not rules("Disallow: /%62").allows("/b")
    assert not rules("Disallow: /", "Allow: /%62").allows("/b")
    assert rules("Disallow: /", "Allow: /%c5%99").allows("/%C5%99")


def test_an_empty_rule_means_nothing() -> None:
    """`Disallow:` was the old way to allow everything."""
    assert rules("Disallow:", "Allow:").rules == ()


def test_robots_txt_itself_is_always_allowed() -> None:
    """RFC 9309, 2.2.2; otherwise the rules could never be read again."""
    robots = rules("Disallow: /")

    assert robots.allows("/robots.txt")
    assert not robots.allows("")
    assert not robots.allows("?q=1")
    assert not robots.allows("/robots.txt.bak")


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: *\rDisallow: /a",
        "User-agent: *\r\n\r\nDisallow: /a\r\n",
        "\ufeffUser-agent: *\nDisallow: /a",
        "User agent: *\nDisalow: /a",
        "useragent: *\nDISSALLOW : /a",
        "user-agent *\ndisallow /a",
        "  User-agent:\t*  # everybody\nDisallow: /a# b",
        "useg-agent: *\ndesallow: /a",
        "User_Agent: *\nDis-allow: /a",
        "User-agent:: *\nDisallow:: /a",
        "user agent *\ndissallow /a",
        "User  agent : *\nDisallow\t/a",
        "User-agent: *<BR>\nDisallow: /a<br />\n",
        "<html><body><pre>User-agent: *\nDisallow: /a</pre></body></html>",
        "<p>User-agent: *<br>Disallow: /a</p>",
        "User-agent: *\0\nDisallow: /a\0",
        "\0\0\nUser-agent: *\nDisallow: /a",
        "User-agent: *\xa0\nDisallow:\xa0/a\x85",
        'User-agent: "*"\nDisallow: "/a"',
        "User-agent：*\nDisallow：/a",
        "User-agent = *\nDisallow = /a",
        "user agent=*\nDisallow=/a",
        "User-agent: **\nDisallow: https://a.example/a",
        "User-agent: *.*\nDisallow: '/a'",
    ],
)
def test_mistakes_of_authors_are_forgiven(text: str) -> None:
    """The wish is plain, however it is spelt."""
    assert parse_robots(text.encode(), AGENT).rules == ((False, "/a"),)


@pytest.mark.parametrize("wrong", ["disallow", "DISALLOW", "dissallow", "Disalow", "Desallow", "Disallows"])
def test_a_colon_may_be_missing_where_the_path_has_one(wrong: str) -> None:
    """The first colon of the line is not always the one after the key."""
    assert rules(f"{wrong} /wiki/Special:Search").rules == ((False, "/wiki/Special:Search"),)


@pytest.mark.parametrize("line", ["Noindex: /a", "Disclaimer: /a", "The user-agent: x", "/a", "disallow / a"])
def test_other_words_are_no_typing_mistakes(line: str) -> None:
    """What was not meant as a rule is none, and ends no group."""
    robots = parse_robots(f"User-agent: tiptoe\n{line}\nUser-agent: x\nDisallow: /b".encode(), AGENT)

    assert robots.rules == ((False, "/b"),)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp1250"])
def test_every_encoding_of_an_editor_is_read(encoding: str) -> None:
    """A file that we cannot read would count as one without rules."""
    text = "User-agent: *\r\nDisallow: /a\r\nCrawl-delay: 3\r\nSitemap: /s.xml"
    marked = "\ufeff" + text

    assert parse_robots(text.encode(encoding), AGENT) == parse_robots(text.encode(), AGENT)
    if encoding.startswith("utf-16-"):
        assert parse_robots(marked.encode(encoding), AGENT) == parse_robots(text.encode(), AGENT)


def test_half_a_byte_order_mark_is_skipped_and_one_inside_is_not() -> None:
    """Editors and scripts leave such things at the top of files."""
    for mark in (b"\xef\xbb", b"\xef", b"\xef\xbf\xbd"):
        assert not parse_robots(mark + b"User-agent: *\nDisallow: /", AGENT).allows("/")
    assert parse_robots(b"User-agent: *\n\xef\xbb\xbfDisallow: /", AGENT).allows("/")


@pytest.mark.parametrize("unseen", ["\u200b", "\ufeff", "\u200e ", "\xa0\u2060"])
def test_characters_that_nobody_sees_are_no_part_of_a_value(unseen: str) -> None:
    """They are pasted along from other programs, and who looks at the file finds nothing wrong with it."""
    text = f"User-agent: *{unseen}\nDisallow:{unseen}/private/{unseen}\n"

    assert parse_robots(text.encode(), AGENT).rules == ((False, "/private/"),)


def test_bytes_that_are_not_utf_8_match_their_escapes() -> None:
    """Old sites write their paths in windows-1250."""
    assert not parse_robots(b"User-agent: *\nDisallow: /\xe8", AGENT).allows("/%E8x")


def test_an_equals_sign_of_a_path_is_no_colon() -> None:
    assert rules("Disallow /find?q=a").rules == ((False, "/find?q=a"),)
    assert rules("Disallow: /find?q=a").rules == ((False, "/find?q=a"),)
    assert rules("disallow a=/b").rules == ((False, "/a=/b"),)


def test_sentences_without_a_colon_are_no_rules() -> None:
    """Only two bare words can be a record whose colon was forgotten."""
    assert rules("disallow / please").rules == ()


def test_what_lies_beyond_500_kib_is_not_read() -> None:
    """RFC 9309, 2.5; half a line at the limit would be another rule."""
    filler = b"User-agent: *\nDisallow: /a\n#".ljust(500 * 1024 - 13, b"x") + b"\n"
    cut = filler + b"Disallow: /private/things"

    assert parse_robots(cut, AGENT).rules == ((False, "/a"),)


@pytest.mark.parametrize("rule", ["Disallow", "Allow"])
def test_a_line_is_read_up_to_its_16663rd_byte(rule: str) -> None:
    """As Google reads it. What is cut off a rule without wildcards concerns addresses that nobody has."""
    longest = "/x/".ljust(2083 * 8 - 1 - len(f"{rule}: "), "a")
    robots = rules(*(["Disallow: /"] if rule == "Allow" else []), f"{rule}: {longest}bc")

    assert (rule == "Allow") == robots.allows(longest + "/other")
    assert (rule != "Allow") == robots.allows(longest[:-1])


def test_a_line_is_measured_in_bytes() -> None:
    """Half a character at the limit is the octets it has there."""
    longest = "/" + "ř" * 9000

    assert len(rules(f"Disallow: {longest}").rules[0][1]) == 1 + 3 * (2083 * 8 - 1 - len("Disallow: /"))


def test_a_cut_line_allows_nothing_that_it_did_not() -> None:
    """The end of a pattern with wildcards may be all that it says."""
    many = "*" * 17_000

    assert not rules("Disallow: /", f"Allow: /{many}/public").allows("/private")
    assert rules("Disallow: /", f"Allow: /public*#{many}").allows("/public")
    assert not rules(f"Disallow: /{many}/private").allows("/public")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Crawl-delay: 10", 10.0),
        ("Crawl-delay: .5", 0.5),
        ("Crawl-delay: 5s", 5.0),
        ("Crawl-delay: +5", 5.0),
        ("Crawl-delay 5", 5.0),
        ("Crawl delay: 5", 5.0),
        ("crawl-delay: 0.5", 0.5),
        ("Crawl-delay: 2,5 # seconds", 2.5),
        ("Crawl-delay: 999999999999", 30 * 24 * 3600.0),
        ("Crawl-delay: soon", None),
        ("Crawl-delay: -1", None),
        ("Request-rate: 1/5", 5.0),
        ("Request-rate: 2/1m 0600-0845", 30.0),
        ("Request-rate: 0/5", None),
    ],
)
def test_wishes_for_a_pause_are_read(line: str, expected: float | None) -> None:
    """Not in the RFC, but asked for by people."""
    assert expected == rules(line).crawl_delay


def test_the_longest_pause_asked_for_counts() -> None:
    """Politeness yields to nothing."""
    assert rules("Crawl-delay: 3", "Crawl-delay: 7", "Request-rate: 1/5").crawl_delay == 7.0


def test_sitemaps_are_for_everybody_wherever_they_stand() -> None:
    """RFC 9309, 2.2.4: they belong to no group."""
    first, second = b"Sitemap: https://a.example/1.xml\n", b"SITE-MAP: /2.xml\nSitemap: /2.xml\nSitemap:"
    body = first + b"User-agent: x\nDisallow: /\n" + second

    assert parse_robots(body, AGENT).sitemaps == ("https://a.example/1.xml", "/2.xml")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"https://a.example/s.xml"', ("https://a.example/s.xml",)),
        ("<https://a.example/s.xml>", ("https://a.example/s.xml",)),
        ("https://a.example/1.xml /2.xml", ("https://a.example/1.xml", "/2.xml")),
        ("/1.xml,\thttps://a.example/2.xml", ("/1.xml", "https://a.example/2.xml")),
        ("my sitemap.xml", ("my sitemap.xml",)),
        ("''", ()),
    ],
)  # fmt: skip
def test_a_sitemap_may_be_quoted_and_have_company(value: str, expected: tuple[str, ...]) -> None:
    """As in letters; a space is in no address."""
    assert rules(f"Sitemap: {value}").sitemaps == expected


def test_no_more_sitemaps_are_named_than_anybody_has() -> None:
    """Neither line by line nor in one line."""
    many = [f"/{number}.xml" for number in range(1500)]

    assert len(rules(*(f"Sitemap: {one}" for one in many)).sitemaps) == 1000
    assert len(rules("Sitemap: " + " ".join(many)).sitemaps) == 1000


DRAFT_OF_1996 = b"""\
User-agent: unhipbot
Disallow: /

User-agent: webcrawler
User-agent: excite
Disallow:

User-agent: *
Disallow: /org/plans.html
Allow: /org/
Allow: /serv
Allow: /~mak
Disallow: /
"""


@pytest.mark.parametrize(
    ("path", "unhipbot", "webcrawler", "other"),
    [
        ("/", False, True, False),
        ("/index.html", False, True, False),
        ("/robots.txt", True, True, True),
        ("/server.html", False, True, True),
        ("/services/fast.html", False, True, True),
        ("/orgo.gif", False, True, False),
        ("/org/about.html", False, True, True),
        ("/org/plans.html", False, True, False),
        ("/%7Ejim/jim.html", False, True, False),
        ("/%7Emak/mak.html", False, True, True),
    ],
)
def test_the_table_of_the_draft_that_everybody_followed(
    path: str, unhipbot: bool, webcrawler: bool, other: bool
) -> None:
    """Section 4 of draft-koster-robots-00: files that were written by it mean the same today."""
    expected = {"unhipbot": unhipbot, "webcrawler": webcrawler, "excite": webcrawler, "other": other}

    assert expected == {name: parse_robots(DRAFT_OF_1996, name).allows(path) for name in expected}


GROUPS = b"""\
allow: /foo/bar/

user-agent: FooBot
disallow: /
allow: /x/
user-agent: BarBot
disallow: /
allow: /y/


allow: /w/
user-agent: BazBot

user-agent: FooBot
allow: /z/
disallow: /
"""


@pytest.mark.parametrize(
    ("agent", "allowed"),
    [("FooBot", {"/x/b", "/z/d"}), ("BarBot", {"/y/c", "/w/a"}), ("BazBot", {"/z/d"})],
)
def test_groups_end_at_a_name_after_a_rule_and_nowhere_else(agent: str, allowed: set[str]) -> None:
    """RFC 9309, 2.2.1: neither blank lines nor other records end them, and names may come back."""
    paths = ("/x/b", "/y/c", "/z/d", "/w/a", "/foo/bar/")

    assert allowed == {path for path in paths if parse_robots(GROUPS, agent).allows(path)}


@pytest.mark.parametrize(
    ("allowed", "freed", "others"),
    [
        ("/fish", {"/fish", "/fish.html", "/fish/salmon.html", "/fishheads/yummy.html", "/fish.html?id=x"},
         {"/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"}),
        ("/fish*", {"/fish", "/fish.html", "/fishheads"}, {"/Fish.asp", "/catfish", "/?id=fish"}),
        ("/fish/", {"/fish/", "/fish/?id=x", "/fish/salmon.htm"}, {"/fish", "/fish.html", "/Fish/Salmon"}),
        ("/*.php", {"/filename.php", "/folder/filename.php?x", "/folder/any.php.file.html", "/filename.php/"},
         {"/", "/windows.PHP", "/php/", "/index?php"}),
        ("/*.php$", {"/filename.php", "/folder/filename.php"},
         {"/filename.php?parameters", "/filename.php/", "/filename.php5", "/windows.PHP", "/aaaphpaaa"}),
        ("/fish*.php", {"/fish.php", "/fishheads/catfish.php?parameters"}, {"/Fish.PHP", "/fish.ph"}),
    ],
)  # fmt: skip
def test_paths_match_as_owners_are_taught(allowed: str, freed: set[str], others: set[str]) -> None:
    """The examples by which site owners learn to write patterns."""
    robots = rules("Disallow: /", f"Allow: {allowed}")

    assert freed == {path for path in freed | others if robots.allows(path)}


@pytest.mark.parametrize("mark", ["\v", "\f", "\x85", "\u2028", "\x1e"])
def test_only_line_ends_of_the_standard_end_a_line(mark: str) -> None:
    """RFC 9309, 2.2: CR, LF or both; a rule must not appear out of the middle of a name."""
    assert parse_robots(f"User-agent: other{mark}Disallow: /".encode(), "other").allows("/a")


def test_rules_survive_a_journey_as_plain_values() -> None:
    """They are stored by the keeper and sent to harvesters."""
    robots = rules("Disallow: /a*b", "Allow: /ab", "Crawl-delay: 1", "Sitemap: /s")
    copy = Robots(rules=robots.rules, crawl_delay=robots.crawl_delay, sitemaps=robots.sitemaps)

    assert robots == copy
    assert not copy.allows("/aab")


def test_patterns_cannot_make_us_think_for_long() -> None:
    """A regular expression would need years for this."""
    robots = rules("Disallow: /" + "*a" * 5000 + "$", "Disallow: /" + "*a*b" * 2000)
    started = time.process_time()
    for _ in range(10):
        assert robots.allows("/" + "a" * 1999)

    assert time.process_time() - started < 1.0


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], RobotsDirectives()),
        (["index, follow"], RobotsDirectives()),
        (["noindex"], RobotsDirectives(noindex=True)),
        (["NoIndex,NOFOLLOW"], RobotsDirectives(noindex=True, nofollow=True)),
        (["noindex nofollow"], RobotsDirectives(noindex=True, nofollow=True)),
        (["none"], RobotsDirectives(noindex=True, nofollow=True)),
        (["noarchive", "nofollow"], RobotsDirectives(nofollow=True)),
        (["googlebot: noindex, nofollow"], RobotsDirectives()),
        (["googlebot: noindex", "nofollow"], RobotsDirectives(nofollow=True)),
        (["TipToe: noindex"], RobotsDirectives(noindex=True)),
        (["googlebot: noindex, tiptoe: nofollow"], RobotsDirectives(nofollow=True)),
        (
            ["unavailable_after: Wed, 25 Jun 2030 15:00:00 GMT, noindex"],
            RobotsDirectives(noindex=True),
        ),
        (["max-snippet: 20, nofollow"], RobotsDirectives(nofollow=True)),
        (["max-snippet: 20 nofollow"], RobotsDirectives(nofollow=True)),
        (["max-image-preview: none"], RobotsDirectives()),
        (["max-image-preview:none, max-video-preview: -1"], RobotsDirectives()),
        (["googlebot: max-snippet: 20 noindex"], RobotsDirectives()),
        (["noindex: nofollow"], RobotsDirectives(noindex=True, nofollow=True)),
        (["noindex|nofollow", "'noindex'"], RobotsDirectives(noindex=True, nofollow=True)),
        (["googlebot: tiptoe: noindex"], RobotsDirectives(noindex=True)),
        (["tiptoe: googlebot: noindex"], RobotsDirectives()),
        (["googlebot: noindex; all: nofollow"], RobotsDirectives(nofollow=True)),
        ([",", ":", "tiptoe:", ", noindex ,"], RobotsDirectives(noindex=True)),
    ],
)
def test_pages_say_what_may_be_done_with_them(values: list[str], expected: RobotsDirectives) -> None:
    """POL-6: what is said to other robots is not said to us."""
    assert expected == robots_meta(values, AGENT)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("noindex", RobotsDirectives(noindex=True)),
        ("revisit-after: 7 days, noindex", RobotsDirectives(noindex=True)),
        ("googlebot: noindex, nofollow", RobotsDirectives(nofollow=True)),
        ("max-image-preview: none", RobotsDirectives()),
    ],
)
def test_names_have_no_place_in_a_meta_tag(content: str, expected: RobotsDirectives) -> None:
    """What looks like one is for its directive alone, and takes nothing else from us."""
    assert expected == robots_meta([], AGENT, [content])
    assert expected == robots_meta(["googlebot: none"], AGENT, [content])


def test_directives_cannot_make_us_think_for_long() -> None:
    """Fields come by the dozen, and somebody wrote them to annoy."""
    started_at = time.process_time()

    assert robots_meta(["a:" * 5000, "a: " * 5000, ":" * 9000] * 100, AGENT) == RobotsDirectives()
    assert time.process_time() - started_at < 1.0
