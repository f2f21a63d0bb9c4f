"""Which cookies are kept, and with which requests they go."""

import pytest

from tiptoe.access.cookie import COOKIES_MAX, Cookie, CookieJar, read_cookies_txt

NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("cookie", "url", "fits"),
    [
        (Cookie("a", "1", "a.example"), ("a.example", "/x", True), True),
        (Cookie("a", "1", "a.example"), ("www.a.example", "/x", True), False),
        (Cookie("a", "1", "a.example", has_subdomains=True), ("www.a.example", "/x", True), True),
        (Cookie("a", "1", "a.example", has_subdomains=True), ("evila.example", "/x", True), False),
        (Cookie("a", "1", "a.example", "/m"), ("a.example", "/m", True), True),
        (Cookie("a", "1", "a.example", "/m"), ("a.example", "/m/x?y", True), True),
        (Cookie("a", "1", "a.example", "/m"), ("a.example", "/mm", True), False),
        (Cookie("a", "1", "a.example", "/m/"), ("a.example", "/m", True), False),
        (Cookie("a", "1", "a.example", is_secure=True), ("a.example", "/", True), True),
        (Cookie("a", "1", "a.example", is_secure=True), ("a.example", "/", False), False),
        (Cookie("a", "1", "a.example", expires_at=NOW + 1), ("a.example", "/", True), True),
        (Cookie("a", "1", "a.example", expires_at=NOW), ("a.example", "/", True), False),
    ],
)
def test_domain_path_security_and_expiry_are_obeyed(
    cookie: Cookie, url: tuple[str, str, bool], fits: bool
) -> None:
    host, path, is_secure = url
    assert cookie.fits(host, path, is_secure=is_secure, now=NOW) is fits


def test_a_cookies_txt_is_read_as_browsers_write_it() -> None:
    text = (
        "# Netscape HTTP Cookie File\n\n"
        ".a.example\tTRUE\t/\tTRUE\t2000000000\tsid\tv4lue\n"
        "#HttpOnly_www.a.example\tFALSE\t/m\tFALSE\t0\tother\t\n"
    )
    assert read_cookies_txt(text) == [
        Cookie("sid", "v4lue", "a.example", has_subdomains=True, is_secure=True, expires_at=2e9),
        Cookie("other", "", "www.a.example", "/m"),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a.example sid v4lue", "line 1: 1 columns, expected 7"),
        ("a.example\tTRUE\t/\tTRUE\tsoon\tsid\tv4lue", "line 1: the expiry is no number"),
        ("a.example\tTRUE\t/\tTRUE\t0\tsid\tv4;lue", "line 1: a name or value that cannot be sent"),
    ],
)
def test_a_broken_line_is_named_without_its_value(line: str, said: str) -> None:
    with pytest.raises(ValueError, match="line 1") as raised:
        read_cookies_txt(line)
    assert said in str(raised.value)
    assert "lue" not in str(raised.value).replace("value", "")


def sent(jar: CookieJar, path: str = "/", *, host: str = "a.example", now: float = NOW) -> str:
    return jar.field(host, path, is_secure=True, now=now)


def test_what_a_server_sets_goes_back_to_it_alone() -> None:
    jar = CookieJar()
    jar.take(["sid=1; Path=/; HttpOnly", "deep=2; Path=/m", "bare=3"], "a.example", "/m/login", NOW)
    assert sent(jar, "/m/x") == "deep=2; bare=3; sid=1"
    assert sent(jar, "/") == "sid=1"
    assert sent(jar, "/", host="b.example") == ""


def test_a_newer_cookie_replaces_an_older_one_and_an_expired_one_removes_it() -> None:
    jar = CookieJar([Cookie("sid", "file", "a.example")])
    assert sent(jar) == "sid=file"
    jar.take(["sid=new; Path=/; Max-Age=60"], "a.example", "/", NOW)
    assert (sent(jar), jar.names(NOW)) == ("sid=new", {"sid"})
    assert sent(jar, now=NOW + 60) == ""
    jar.take(["sid=gone; Path=/; Expires=Thu, 01-Jan-1970 00:00:00 GMT"], "a.example", "/", NOW)
    assert (sent(jar), jar.names(NOW)) == ("", set())
    jar.forget()
    assert sent(jar) == "sid=file"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "=x",
        "novalue",
        "sid=1; Domain=b.example",
        "sid=1; Domain=example2",
        "sid=a\r\nX: y",
        "a=" + "x" * 9000,
    ],
)
def test_what_is_no_cookie_for_this_host_is_left_out(line: str) -> None:
    """What a server says is hostile: nothing of it may become a header of ours."""
    jar = CookieJar()
    jar.take([line], "a.example", "/", NOW)
    assert sent(jar) == ""


def test_a_server_cannot_make_us_keep_any_number() -> None:
    jar = CookieJar()
    jar.take([f"c{number}=1; Path=/" for number in range(3 * COOKIES_MAX)], "a.example", "/", NOW)
    assert len(jar.names(NOW)) == COOKIES_MAX
    assert f"c{3 * COOKIES_MAX - 1}" in jar.names(NOW)
