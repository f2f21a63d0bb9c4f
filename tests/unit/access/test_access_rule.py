"""Which requests a rule speaks of, and what they bring along."""

from dataclasses import replace

import pytest
from access_samples import LOGIN, a_rule

from tiptoe.access.access_rule import AccessRule
from tiptoe.access.access_rules import SESSIONS_MAX, AccessRules, approach_in
from tiptoe.access.cookie import Cookie
from tiptoe.access.login_form import FilledForm
from tiptoe.access.secret import Secret
from tiptoe.fetch.approach import Approach, Way

KEY = ("X-Key", Secret("open-sesame"))


@pytest.mark.parametrize(
    ("pattern", "path", "url", "fits"),
    [
        ("a.example", "/", "https://a.example/", True),
        ("a.example", "/", "https://a.example:8443/x?y", True),
        ("a.example", "/", "http://a.example/x", True),
        ("a.example", "/", "ftp://a.example/x", False),
        ("a.example", "/", "https://b.example/", False),
        ("a.example", "/", "https://a.example.evil/", False),
        ("a.example", "/", "https://www.a.example/", False),
        ("*.a.example", "/", "https://www.a.example/", True),
        ("*.a.example", "/", "https://x.www.a.example/", True),
        ("*.a.example", "/", "https://a.example/", False),
        ("*.a.example", "/", "https://evila.example/", False),
        ("[::1]", "/", "https://[::1]:8080/", True),
        ("a.example", "/members/", "https://a.example/members/x", True),
        ("a.example", "/members/", "https://a.example/members", False),
        ("a.example", "/members", "https://a.example/members", True),
        ("a.example", "/members", "https://a.example/members/x", True),
        ("a.example", "/members", "https://a.example/members?x", True),
        ("a.example", "/members", "https://a.example/membership", False),
    ],
)
def test_a_rule_fits_by_host_and_path(pattern: str, path: str, url: str, fits: bool) -> None:
    """A secret that goes to the wrong host cannot be taken back."""
    assert AccessRule(name="rule 1", hosts=(pattern,), path=path).fits(url) is fits


def test_the_first_rule_that_fits_counts_alone() -> None:
    special = AccessRule(name="rule 1", hosts=("a.example",), path="/x/", fields=(("X-A", "1"),))
    general = AccessRule(name="rule 2", hosts=("a.example",), fields=(("X-B", "2"),))
    rules = AccessRules([special, general])
    assert rules.approach_of("https://a.example/x/y", 0.0) == Approach(fields=(("X-A", "1"),))
    assert rules.approach_of("https://a.example/z", 0.0) == Approach(fields=(("X-B", "2"),))
    assert rules.approach_of("https://b.example/x/y", 0.0) is None


def test_the_order_of_the_file_counts_whatever_the_hosts_look_like() -> None:
    rules = AccessRules(
        [
            AccessRule(name="rule 1", hosts=("*.example",), path="/x/"),
            AccessRule(name="rule 2", hosts=("b.example", "www.a.example")),
            AccessRule(name="rule 3", hosts=("*.a.example", "*.example")),
        ]
    )

    def rule_of(url: str) -> str:
        session = rules.session_of(url)
        return session.rule.name if session is not None else ""

    assert rule_of("https://www.a.example/x/") == "rule 1"
    assert rule_of("https://www.a.example/y/") == "rule 2"
    assert rule_of("https://m.a.example/y/") == "rule 3"
    assert rule_of("https://c.example/y/") == "rule 3"
    assert rule_of("https://example/y/") == ""


@pytest.mark.parametrize(
    ("url", "allow_http", "is_shown"),
    [
        ("https://a.example/", False, True),
        ("http://a.example/", False, False),
        ("http://a.example/", True, True),
    ],
)
def test_a_secret_goes_over_http_only_if_the_rule_says_so(url: str, allow_http: bool, is_shown: bool) -> None:
    """Everybody on the way can read what goes over http; the way itself is taken all the same."""
    rule = AccessRule(
        name="rule 1", hosts=("a.example",), allow_http=allow_http, hidden=(KEY,), fields=(("X-A", "1"),),
        cookies=(Cookie("sid", "c00kie", "a.example"),), way=Way(proxy="http://127.0.0.1:8080"),
    )  # fmt: skip
    approach = AccessRules([rule]).approach_of(url, 0.0)
    assert approach is not None
    shown = (("X-Key", "open-sesame"), ("Cookie", "sid=c00kie"))
    assert approach.hidden == (shown if is_shown else ())
    assert (approach.fields, approach.way.proxy) == ((("X-A", "1"),), "http://127.0.0.1:8080")
    assert approach.hides_cookies is is_shown


@pytest.mark.parametrize(
    ("path", "avoids"),
    [
        ("/logout", True), ("/user/Log-Out/", True), ("/wp-login.php?action=logout&_wpnonce=1", True),
        ("/sign_out", True), ("/account/signoff.php", True), ("/blogoutput", False),
        ("/login", False), ("/delete", True), ("/delete/3", True), ("/deleted", False),
    ],
)  # fmt: skip
def test_what_would_end_a_session_is_avoided(path: str, avoids: bool) -> None:
    rule = replace(a_rule(), avoid=("/delete",))
    assert rule.avoids(f"https://a.example{path}") is avoids


def test_without_a_session_there_is_nothing_to_end() -> None:
    assert not replace(a_rule(), login=None).avoids("https://a.example/logout")


def test_no_secret_stands_in_a_repr() -> None:
    """What is wrong with a request ends up in logs."""
    rule = AccessRule(
        name="rule 1", hosts=("a.example",), hidden=(KEY,), cookies=(Cookie("sid", "c00kie", "a.example"),),
        login=LOGIN, way=Way(proxy_login="me:pr0xy"),
    )  # fmt: skip
    rules = AccessRules([rule])
    session = rules.session_of("https://a.example/")
    assert session is not None
    session.jar.take(["s2=c00kie2"], "a.example", "/", 0.0)
    form = FilledForm("https://a.example/login", b"word=correct-horse-battery")
    approach = approach_in(session, "https://a.example/", 0.0, form)
    said = repr((rule, rules, session, session.jar, form, approach))
    for secret in ("open-sesame", "c00kie", "pr0xy", "correct-horse"):
        assert secret not in said


def test_sessions_are_kept_apart_by_origin_and_are_bounded() -> None:
    """A site with endless host names must not fill the memory of a harvester."""
    rules = AccessRules([AccessRule(name="rule 1", hosts=("*.a.example",))])
    first = rules.session_of("https://h0.a.example/")
    assert rules.session_of("https://h0.a.example/other") is first
    assert rules.session_of("https://h0.a.example:444/") is not first
    for number in range(1, SESSIONS_MAX + 1):
        rules.session_of(f"https://h{number}.a.example/")
    assert rules.session_of("https://h0.a.example/") is not first


def test_a_login_needs_a_wire_that_secrets_may_take() -> None:
    session = AccessRules([a_rule()]).session_of("http://a.example/")
    assert session is not None
    assert not session.needs_login("http://a.example/")


@pytest.mark.parametrize(
    ("changes", "url", "withheld_by"),
    [
        ({"hidden": (KEY,)}, "http://a.example/x", "rule 1"),
        ({"login": LOGIN}, "http://a.example/x", "rule 1"),
        ({"hidden": (KEY,)}, "https://a.example/x", ""),
        ({"hidden": (KEY,), "allow_http": True}, "http://a.example/x", ""),
        ({"fields": (("X-Project", "corpus"),)}, "http://a.example/x", ""),
        ({"hidden": (KEY,)}, "http://b.example/x", ""),
    ],
)
def test_whoever_asks_without_a_login_can_be_told(
    changes: dict[str, object], url: str, withheld_by: str
) -> None:
    """A site that wants one answers 401, and nobody would guess that the password was never sent."""
    rule = AccessRule(name="rule 1", hosts=("a.example",), **changes)  # type: ignore[arg-type]
    assert AccessRules([rule]).withholding(url) == withheld_by
