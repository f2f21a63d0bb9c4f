"""What must a single word of a setting look like?"""

from collections.abc import Callable

import pytest

from tiptoe.settings import form


@pytest.mark.parametrize(
    ("check", "word"),
    [
        (form.be_contact, "https://corpus.example/bot"),
        (form.be_contact, "bot@corpus.example"),
        (form.be_contact, "mailto:bot@corpus.example"),
        (form.be_product_token, "tiptoe-test_bot"),
        (form.be_host, "Häuser.example"),
        (form.be_host, "192.0.2.7"),
        (form.be_host, "[2001:db8::1]"),
        (form.be_language, "cs"),
        (form.be_listener, "[::]:7070"),
        (form.be_pattern, r"\.cz$"),
        (form.be_proxy, "http://127.0.0.1:8080"),
        (form.be_proxy, "socks5h://[::1]:1080"),
        (form.be_service, ""),
        (form.be_service, "http://127.0.0.1:8750"),
        (form.be_service, "https://segmenter.example/ours"),
        (form.be_slowed_host, "www.example=1m30s"),
        (form.be_name_server, "2001:db8::53"),
        (form.be_name_server, "192.0.2.53:5353"),
        (form.be_name_server, "[2001:db8::53]:5353"),
    ],
)
def test_a_good_word_passes(check: Callable[[str], None], word: str) -> None:
    check(word)


@pytest.mark.parametrize(
    ("check", "word"),
    [
        (form.be_contact, "me"),
        (form.be_contact, "me@"),
        (form.be_contact, "a.example"),
        (form.be_contact, "ftp://a.example"),
        (form.be_contact, "https://"),
        (form.be_contact, "https://a.example/)\r\nX: y"),
        (form.be_contact, "javascript:alert(1)@a"),
        (form.be_contact, "https://a.example/) evil (b"),
        (form.be_contact, "https://žluť.example/bot"),
        (form.be_host, "foo bar"),
        (form.be_host, "*.example"),
        (form.be_host, "a.example?x"),
        (form.be_language, "xx"),
        (form.be_language, "czech"),
        (form.be_product_token, "tiptoe/1.0"),
        (form.be_product_token, ""),
        (form.be_listener, "7070"),
        (form.be_listener, "host:0"),
        (form.be_listener, "host:99999999999"),
        (form.be_listener, "foo bar:7070"),
        (form.be_pattern, "("),
        (form.be_pattern, "a{99999999999}"),
        (form.be_pattern, "(" * 5000 + ")" * 5000),
        (form.be_proxy, "127.0.0.1:8080"),
        (form.be_proxy, "http://127.0.0.1"),
        (form.be_proxy, "http://127.0.0.1:99999"),
        (form.be_proxy, "http://127.0.0.1:0"),
        (form.be_proxy, "http://foo bar:8080"),
        (form.be_proxy, "http://žluť.example:8080"),
        (form.be_service, "127.0.0.1:8750"),
        (form.be_service, "ftp://127.0.0.1/"),
        (form.be_service, "http://127.0.0.1:99999"),
        (form.be_service, "http://me:secret@127.0.0.1"),
        (form.be_service, "http://127.0.0.1/?a=b"),
        (form.be_slowed_host, "www.example"),
        (form.be_slowed_host, "=5s"),
        (form.be_slowed_host, "foo bar=5s"),
        (form.be_name_server, "a.example"),
        (form.be_name_server, "192.0.2.53:99999"),
        (form.be_name_server, "192.0.2.53:0"),
        (form.be_name_server, "fe80::53%eth0"),
        (form.be_header_text, "česky"),
        (form.be_not_empty, " "),
    ],
)
def test_a_bad_word_is_refused(check: Callable[[str], None], word: str) -> None:
    with pytest.raises(ValueError, match=r"expected|must not|no host name|no language|not a regular"):
        check(word)


@pytest.mark.parametrize(
    ("network", "is_home"),
    [("127.0.0.0/8", True), ("127.5.0.0/16", True), ("::1/128", True), ("198.18.0.0/15", True),
     ("198.16.0.0/14", False), ("10.0.0.0/8", False), ("0.0.0.0/0", False),
     ("::/0", False)],
)  # fmt: skip
def test_a_rehearsal_network_holds_nobody_elses_server(network: str, is_home: bool) -> None:
    assert is_home is form.is_rehearsal_network(network)


@pytest.mark.parametrize(
    ("proxy", "is_home"),
    [
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:8080", True),
        ("http://127.0.0.1.evil.example:8080", False),
        ("http://localhost:8080", False),
        ("http://127.0.0.1@192.0.2.1:8080", False),
        ("", False),
    ],
)
def test_a_rehearsal_proxy_is_named_by_its_loopback_address(proxy: str, is_home: bool) -> None:
    """A name can be made to point anywhere."""
    assert is_home is form.is_rehearsal_proxy(proxy)
