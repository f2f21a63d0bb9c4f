"""Who is let in, and to what?"""

import re
from collections.abc import Iterator
from pathlib import Path

import argon2
import pytest
from control_rig import NOW, PASSWORD, URL, Rig, rig
from starlette.routing import Route

from tiptoe.control.accounts import Accounts
from tiptoe.control.api.api_map import OPERATIONS
from tiptoe.control.api_operation import API_ROOT
from tiptoe.control.browser_name import browser_name
from tiptoe.control.control_store import ControlStore
from tiptoe.control.one_time_links import OneTimeLinks
from tiptoe.control.pages.page_map import PAGES
from tiptoe.control.user_role import UserRole
from tiptoe.control.visitor import SESSION_COOKIE

OPEN = {"/login", "/welcome", "/healthz"}
"""What everybody may see."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Rig]:
    with rig(tmp_path / "control") as made:
        yield made


def all_routes(server: Rig) -> list[tuple[str, str]]:
    """Return every method and path that the application answers to, with something in place of parameters."""
    app = server.app.app  # type: ignore[attr-defined]  # what stands within the headers
    found = []
    for route in app.routes:
        if isinstance(route, Route):
            path = re.sub(r"\{\w+(:\w+)?\}", "x", route.path)
            found += [(method, path) for method in route.methods or () if method != "HEAD"]
    return found


def test_nobody_sees_a_page_or_calls_the_api_without_a_session_or_a_token(server: Rig) -> None:
    """The list comes from the application itself: a new route cannot be forgotten here."""
    stranger = server.stranger()
    routes = all_routes(server)
    assert len(routes) >= len(PAGES) + len(OPERATIONS)
    for method, path in routes:
        if path in OPEN:
            continue
        answer = stranger.request(method, path)
        is_sent_to_login = answer.status_code == 303 and answer.headers["location"].startswith("/login")
        assert answer.status_code == 401 or is_sent_to_login, (method, path, answer.status_code)


def test_who_looks_at_a_crawl_without_accounts_may_close_the_browser() -> None:
    """The link is good once; nobody has a password to come in again."""
    with rig(None) as server:
        key = server.parts.links.make(OneTimeLinks.LOOK, UserRole.OPERATOR, NOW + 60, user="local")
        cookie = server.stranger().get(f"/welcome?key={key}").headers["set-cookie"]
        assert "Max-Age=" in cookie
        page = server.stranger().get("/login").text
    assert "This server has no accounts" in page
    assert "<form" not in page


def test_a_login_with_a_password_ends_with_the_browser(server: Rig) -> None:
    server.accounts.add("ada", PASSWORD, UserRole.READER, NOW)
    answer = server.stranger().post("/login", data={"name": "ada", "password": PASSWORD, "to": "/"})
    assert "Max-Age" not in answer.headers["set-cookie"]


def test_who_is_lost_finds_the_way_from_where_they_are(server: Rig) -> None:
    """An address that was mistyped is no reason to begin at the front door."""
    lost = server.browser().get("/crawls/nowhere")
    assert lost.status_code == 404
    assert 'href="/robots"' in lost.text
    assert "Log out" in lost.text
    assert "Log out" not in server.stranger().get("/welcome?key=none").text


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36",
         "Chrome 120 on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/120.0 Safari/537.36 Edg/121.0",
         "Edge 121 on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) Version/17.1 Safari/604.1",
         "Safari 17 on iPhone"),
        ("Mozilla/5.0 (Android 14; Mobile; rv:120.0) Gecko/120.0 Firefox/120.0", "Firefox 120 on Android"),
        ("curl/8.0", "curl/8.0"),
        ("", "not known"),
    ],
)  # fmt: skip
def test_a_session_is_recognised_by_the_name_of_its_browser(agent: str, name: str) -> None:
    """All of them say that they are Mozilla."""
    assert browser_name(agent) == name


def test_every_role_is_held_to_what_it_may(server: Rig) -> None:
    """What takes more than the role is refused before anything else is looked at."""
    for role in (UserRole.READER, UserRole.OPERATOR):
        browser, program = server.browser(role), server.program(role)
        for page in PAGES:
            if page.role is not None and page.role > role:
                answer = browser.request(page.method, re.sub(r"\{\w+(:\w+)?\}", "x", page.path))
                assert answer.status_code == 403, page.path
        for operation in OPERATIONS:
            if operation.role > role:
                path = API_ROOT + re.sub(r"\{\w+(:\w+)?\}", "x", operation.path)
                assert program.request(operation.method, path).status_code == 403, path


def test_a_change_without_the_token_of_the_session_is_refused(server: Rig) -> None:
    """A page of another site can make a browser send a form; it cannot know what stands in ours."""
    browser = server.browser()
    del browser.headers["X-CSRF-Token"]
    for page in PAGES:
        if page.method == "POST" and page.role is not None:
            path = re.sub(r"\{\w+(:\w+)?\}", "x", page.path)
            assert browser.post(path, data={"csrf": "guessed"}).status_code == 403, path
    for operation in OPERATIONS:
        if operation.method != "GET":
            path = API_ROOT + re.sub(r"\{\w+(:\w+)?\}", "x", operation.path)
            assert browser.request(operation.method, path).status_code == 403, path


def test_a_form_from_another_site_is_refused_even_with_the_token(server: Rig) -> None:
    browser = server.browser()
    assert browser.post("/logout", headers={"Origin": "https://evil.example"}).status_code == 403
    assert browser.post("/logout", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert browser.post("/logout", headers={"Origin": URL}).status_code == 303


def test_a_request_for_another_name_is_refused(server: Rig) -> None:
    """Else a page whose name is made to point here could read everything (DNS rebinding)."""
    assert server.browser().get("/", headers={"Host": "evil.example"}).status_code == 421


def test_a_password_opens_a_session_that_scripts_cannot_read(server: Rig) -> None:
    server.accounts.add("eva", PASSWORD, UserRole.READER, NOW)
    answer = server.stranger().post("/login", data={"name": "eva", "password": PASSWORD, "to": "/account"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_under_tls_the_cookie_never_goes_over_an_open_line(tmp_path: Path) -> None:
    with rig(tmp_path, is_secure=True) as server:
        server.accounts.add("eva", PASSWORD, UserRole.READER, NOW)
        answer = server.stranger().post("/login", data={"name": "eva", "password": PASSWORD})
        assert "secure" in answer.headers["set-cookie"].lower()
        assert "strict-transport-security" in answer.headers


def test_after_login_nobody_is_sent_elsewhere(server: Rig) -> None:
    """A link to our login that leads on to another site would lend it our name."""
    server.accounts.add("eva", PASSWORD, UserRole.READER, NOW)
    for wanted in ("https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"):
        answer = server.stranger().post("/login", data={"name": "eva", "password": PASSWORD, "to": wanted})
        assert answer.headers["location"] == "/", wanted


def test_guessing_is_slowed_down_and_forgiven_with_time(server: Rig) -> None:
    server.accounts.add("eva", PASSWORD, UserRole.READER, NOW)
    stranger = server.stranger()
    guesses = [
        stranger.post("/login", data={"name": "eva", "password": f"{n}"}).status_code for n in range(12)
    ]
    assert guesses == [403] * 8 + [429] * 4
    right = {"name": "eva", "password": PASSWORD}
    assert stranger.post("/login", data=right).status_code == 429  # also the right one: it might be a guess
    server.clock.now += 60
    assert stranger.post("/login", data=right).status_code == 303


def test_many_names_from_one_address_are_slowed_down_as_well(server: Rig) -> None:
    stranger = server.stranger()
    codes = [stranger.post("/login", data={"name": f"u{n}", "password": "x"}).status_code for n in range(40)]
    assert codes[29:31] == [403, 429]


def test_a_session_ends_when_it_is_not_used_and_when_it_is_old(server: Rig) -> None:
    browser = server.browser()
    server.clock.now += 11 * 3600
    assert browser.get("/").status_code == 200
    server.clock.now += 13 * 3600
    assert browser.get("/").status_code == 303


def test_logging_out_ends_the_session_on_the_server(server: Rig) -> None:
    browser = server.browser()
    key = browser.cookies[SESSION_COOKIE]
    assert browser.post("/logout").status_code == 303
    browser.cookies.set(SESSION_COOKIE, key)
    assert browser.get("/").status_code == 303


def test_the_first_administrator_comes_by_a_link_that_is_good_once(server: Rig) -> None:
    key = server.parts.links.make(OneTimeLinks.FIRST, UserRole.ADMINISTRATOR, NOW + 60)
    stranger = server.stranger()
    assert stranger.get(f"/welcome?key={key}").status_code == 200
    form = {"key": key, "name": "eva", "password": "short", "again": "short"}
    assert "at least 10 characters" in stranger.post("/welcome", data=form).text
    form |= {"password": PASSWORD, "again": PASSWORD}
    assert stranger.post("/welcome", data=form).status_code == 303
    assert stranger.get("/users").status_code == 200
    assert server.stranger().post("/welcome", data={**form, "name": "eve"}).status_code == 403
    assert [account.name for account in server.accounts.list_all()] == ["eva"]


def test_a_token_is_good_for_its_role_until_it_is_revoked(server: Rig) -> None:
    program = server.program(UserRole.READER)
    assert program.get(f"{API_ROOT}/crawls").json() == []
    (token,) = server.parts.tokens.list_of()
    assert server.browser().post("/account/tokens/revoke", data={"token": token.id}).status_code == 303
    assert program.get(f"{API_ROOT}/crawls").status_code == 401


def test_a_token_makes_no_tokens(server: Rig) -> None:
    """One for a day that leaks could else be made into one for ever, and revoking it would not help."""
    wish = {"name": "heir", "role": "reader", "days": 0}
    answer = server.program().post(f"{API_ROOT}/tokens", json=wish)
    assert answer.status_code == 403
    assert "cannot make tokens" in answer.text
    assert [token.name for token in server.parts.tokens.list_of()] == ["test"]
    assert server.browser(user="eva").post(f"{API_ROOT}/tokens", json=wish).status_code == 201


def test_an_invitation_is_listed_until_it_is_used_or_over(server: Rig) -> None:
    """Whoever has the link gets in: an administrator has to see which ones are about."""
    program, browser = server.program(), server.browser(user="root")
    browser.post("/users/invite", data={"name": "eva", "role": "operator"})
    (found,) = program.get(f"{API_ROOT}/invitations").json()
    assert (found["name"], found["role"]) == ("eva", "operator")
    assert "Invited" in browser.get("/users").text
    server.clock.now += 4 * 86400
    assert program.get(f"{API_ROOT}/invitations").json() == []


@pytest.mark.parametrize("way", ["page", "program"])
def test_an_invitation_that_was_withdrawn_lets_nobody_in(server: Rig, way: str) -> None:
    """A link may have been sent to the wrong address."""
    program, browser = server.program(), server.browser(user="root")
    link = program.post(f"{API_ROOT}/users", json={"name": "eva", "role": "operator"}).json()["link"]
    if way == "page":
        assert browser.post("/users/uninvite", data={"name": "eva"}).status_code == 303
    else:
        assert program.delete(f"{API_ROOT}/invitations/eva").status_code == 200
    assert program.delete(f"{API_ROOT}/invitations/eva").status_code == 404
    form = {"key": link.partition("key=")[2], "password": PASSWORD, "again": PASSWORD}
    assert server.stranger().post("/welcome", data=form).status_code == 403
    assert server.accounts.find("eva") is None
    assert server.parts.trail.read()[0].action == "user.uninvite"


def test_a_token_of_somebody_who_was_locked_out_lets_nobody_in(server: Rig) -> None:
    program = server.program(UserRole.OPERATOR, "eva")
    assert server.browser().post("/users/eva/lock", data={"locked": "yes"}).status_code == 303
    assert program.get(f"{API_ROOT}/crawls").status_code == 401


@pytest.mark.parametrize("change", [{"is_locked": True}, {"role": "reader"}])
def test_a_session_that_begins_while_its_user_is_locked_out_is_worth_no_more(
    server: Rig, change: dict[str, object]
) -> None:
    """A password takes a moment to check: what an administrator does in it must hold for that login, too."""
    late = server.browser(UserRole.OPERATOR, "eva")
    account = server.accounts.find("eva")
    assert server.program().patch("/api/v1/users/eva", json=change).status_code == 200
    assert account is not None
    key = server.parts.sessions.begin("eva", UserRole.named(account.role), server.clock())
    late.cookies.set(SESSION_COOKIE, key)
    assert late.get("/new-crawl").status_code in (303, 403)  # asked to log in, or not allowed


def test_a_session_ends_with_its_account(server: Rig) -> None:
    browser = server.browser(UserRole.OPERATOR, "eva")
    assert browser.get("/account").status_code == 200
    server.accounts.remove("eva")  # and killed before it came to the sessions
    assert browser.get("/account").status_code == 303


def test_the_last_administrator_stays(server: Rig) -> None:
    """Else nobody could let anybody in."""
    browser = server.browser()
    for action, form in (("remove", {}), ("lock", {"locked": "yes"}), ("role", {"role": "reader"})):
        answer = browser.post(f"/users/administrator/{action}", data=form)
        assert answer.status_code == 409, action
        assert "last administrator" in answer.text


def test_passwords_are_hashed_with_argon2id_and_keys_with_sha256(tmp_path: Path) -> None:
    """Whoever gets the file must not get in."""
    store = ControlStore(tmp_path)
    Accounts(store).add("eva", PASSWORD, UserRole.READER, NOW)
    row = store.row("SELECT password FROM user")
    assert row is not None
    assert row[0].startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert argon2.PasswordHasher().verify(row[0], PASSWORD)
    assert (tmp_path.stat().st_mode & 0o777) == 0o700
    store.close()


@pytest.mark.parametrize("header", ["Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options"])
def test_every_answer_forbids_what_is_not_ours(server: Rig, header: str) -> None:
    for path in ("/login", "/", "/nowhere", "/api/v1/crawls", "/static/control.css", "/healthz"):
        answer = server.stranger().get(path)
        assert header in answer.headers, path
        assert "unsafe-inline" not in answer.headers["Content-Security-Policy"]


def test_everything_that_was_done_leaves_a_line(server: Rig) -> None:
    browser = server.browser()
    browser.post("/users/invite", data={"name": "eva", "role": "reader"})
    (line,) = server.parts.trail.read()
    assert (line.user, line.action, line.target, line.detail) == (
        "administrator", "user.invite", "user/eva", "reader",
    )  # fmt: skip
    assert "user.invite" in browser.get("/users/trail?q=eva").text
