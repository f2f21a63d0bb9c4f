"""What does the file named by `fetch.access` contain?

    [[rule]]
    hosts = ["members.example.org"]
    user = "robot"
    password_file = "members.password"

Everything is read and checked before a crawl begins, including the files and variables that hold secrets; all
errors are reported at once.
"""

import base64
import ipaddress
import os
import re
import socket
import ssl
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from tiptoe.access.access_rule import AccessRule
from tiptoe.access.cookie import Cookie, read_cookies_txt
from tiptoe.access.login_form import LoginForm
from tiptoe.access.rule_table import RuleTable
from tiptoe.access.secret import Secret
from tiptoe.errors import SettingsError
from tiptoe.fetch.approach import Way
from tiptoe.settings.form import be_proxy, is_rehearsal_proxy
from tiptoe.url.hostnames import canonical_host

__all__ = ["read_rule_file"]

FILE_BYTES_MAX: Final = 4 << 20
RULES_MAX: Final = 1_000
TRIES_MAX: Final = 5
AGAIN_ON: Final = (401, 403)
FIELD_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
OURS: Final = frozenset(
    {"accept-encoding", "connection", "content-length", "content-type", "from", "host", "proxy-authorization",
     "transfer-encoding", "user-agent"}
)  # fmt: skip
"""Header fields that the crawler sets itself."""

INSTEAD: Final = {"authorization": "user and password_file, or token_file", "cookie": "cookies_file"}
"""What to use instead of setting these header fields."""


def read_rule_file(
    path: Path, environment: Mapping[str, str] | None = None, *, is_rehearsal: bool = False
) -> list[AccessRule]:
    """Return the rules of a file; SettingsError lists everything that is wrong with it.

    A rehearsal may be impolite, so its rules must not lead off this machine.
    """
    problems: list[str] = []
    tables = _tables(path)
    rules = [
        _RuleReader(path, number, table, os.environ if environment is None else environment, problems).read()
        for number, table in enumerate(tables, 1)
    ]
    if is_rehearsal:
        problems += [
            f"{path}: {rule.name}: proxy: a rehearsal needs one at a loopback address, such as 127.0.0.1"
            for rule in rules
            if rule.way.proxy and not is_rehearsal_proxy(rule.way.proxy)
        ]
    if problems:
        raise SettingsError("\n".join(problems))
    return rules


def _tables(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
        if len(content) > FILE_BYTES_MAX:
            raise SettingsError(f"{path}: longer than {FILE_BYTES_MAX} bytes")
        found = tomllib.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise SettingsError(
            f"{path}: cannot be read: {error.strerror}; fetch.access names it, and every machine that makes "
            "requests needs it in the same place"
        ) from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: not UTF-8 at byte {error.start}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{path}: not TOML: {error}") from None
    rules = found.pop("rule", [])
    if found:
        raise SettingsError(f"{path}: {next(iter(found))}: no such field; each rule begins with [[rule]]")
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise SettingsError(f"{path}: rule: expected [[rule]], in two brackets")
    if not rules or len(rules) > RULES_MAX:
        raise SettingsError(f"{path}: {len(rules)} rules; from 1 to {RULES_MAX} are expected, each [[rule]]")
    return rules


class _RuleReader:
    """Reads one rule."""

    def __init__(
        self, path: Path, number: int, table: Mapping[str, Any], environment: Mapping[str, str],
        problems: list[str],
    ) -> None:  # fmt: skip
        hosts = table.get("hosts")
        first = hosts[0] if isinstance(hosts, list) and hosts and isinstance(hosts[0], str) else ""
        self._name = f"rule {number}" + (f" ({first})" if first.isprintable() and first else "")
        self._table = RuleTable(
            table, f"{path}: {self._name}", problems.append, folder=path.parent, environment=environment
        )

    def read(self) -> AccessRule:
        """Return the rule as far as it can be read; errors are added to the problems."""
        table = self._table
        shown, hidden = self._headers()
        rule = AccessRule(
            name=self._name,
            hosts=self._hosts(),
            path=table.text("path", _be_path) or "/",
            allow_http=table.flag("allow_http"),
            fields=tuple(shown),
            hidden=(*self._credentials(), *hidden),
            cookies=self._cookies(),
            login=self._login(),
            avoid=self._avoid(),
            way=self._way(),
        )
        table.finish()
        return rule

    def _hosts(self) -> tuple[str, ...]:
        expected = 'a list of hosts, such as ["www.example.org", "*.example.net"]'
        hosts = self._table.every("hosts", str, expected)
        if not hosts:
            if hosts is not None or not self._table.has("hosts"):
                self._table.complain("hosts", f"missing: {expected} is expected")
            return ()
        found = []
        for host in hosts:
            star = "*." if host.startswith("*.") else ""
            try:
                found.append(star + _as_in_urls(canonical_host(host.removeprefix(star))))
            except ValueError as problem:
                self._table.complain("hosts", f"{host!r}: {problem}; or *.example.org for all under it")
        return tuple(found)

    def _headers(self) -> tuple[list[tuple[str, str]], list[tuple[str, Secret]]]:
        shown, hidden = [], []
        for name, value in self._table.texts_and_secrets("headers").items():
            place = f"headers.{name}"
            if not FIELD_NAME.fullmatch(name) or name.lower() in OURS:
                self._table.complain(place, "not a header field that can be set here")
            elif name.lower() in INSTEAD:
                self._table.complain(place, f"use {INSTEAD[name.lower()]}: they are secrets")
            elif isinstance(value, Secret):
                if self._is_sendable(place, value.reveal()):
                    hidden.append((name, value))
            elif self._is_sendable(place, value):
                shown.append((name, value))
        return shown, hidden

    def _is_sendable(self, place: str, value: str) -> bool:
        is_sendable = bool(value) and max(value) <= "\xff"
        if not is_sendable:
            self._table.complain(place, "expected a text in Latin letters, as a header needs it")
        return is_sendable

    def _credentials(self) -> list[tuple[str, Secret]]:
        """Return the Authorization field, if the rule has one."""
        table = self._table
        user, password, token = table.text("user", _be_user), table.secret("password"), table.secret("token")
        if table.has("token_file", "token_env"):
            if table.has("user", "password_file", "password_env"):
                table.complain("token_file", "give either a token or a user with a password")
            if token is None or not self._is_sendable("token_file", token.reveal()):
                return []
            return [("Authorization", Secret(f"Bearer {token.reveal()}"))]
        has_password = table.has("password_file", "password_env")
        if bool(user) != has_password:
            missing = "password_file or password_env" if user else "user"
            table.complain("user", f"{missing} is missing beside it")
        if not user or password is None:
            return []
        pair = base64.b64encode(f"{user}:{password.reveal()}".encode()).decode("ascii")
        return [("Authorization", Secret(f"Basic {pair}"))]

    def _cookies(self) -> tuple[Cookie, ...]:
        path = self._table.file("cookies_file")
        if path is None:
            return ()
        try:
            with path.open("rb") as file:
                content = file.read(FILE_BYTES_MAX + 1)
            if len(content) > FILE_BYTES_MAX:
                raise ValueError(f"longer than {FILE_BYTES_MAX} bytes")
            return tuple(read_cookies_txt(content.decode()))
        except OSError as error:
            self._table.complain("cookies_file", f"{path}: {error.strerror}")
        except UnicodeDecodeError:
            self._table.complain("cookies_file", f"{path}: not UTF-8; a cookies.txt is expected")
        except ValueError as problem:
            self._table.complain("cookies_file", f"{path}: {problem}")
        return ()

    def _login(self) -> LoginForm | None:
        table = self._table.table("login")
        if table is None:
            return None
        given = table.texts_and_secrets("fields")
        if not any(isinstance(value, Secret) for value in given.values()):
            table.complain("fields", 'no secret among them; one looks like password = { env = "PASSWORD" }')
        again_on = table.every("again_on", int, "a list of statuses, such as [401, 403]")
        if any(not 400 <= status < 500 for status in again_on or ()):
            table.complain("again_on", "expected statuses from 400 to 499")
        page = table.text("page", _be_path)
        if not page and not table.has("page"):
            table.complain("page", 'missing: the path of the page with the form, such as "/login"')
        login = LoginForm(
            page=page,
            fields=tuple((name, value) for name, value in given.items() if isinstance(value, str)),
            secrets=tuple((name, value) for name, value in given.items() if isinstance(value, Secret)),
            worked_cookie=table.text("worked_cookie"),
            worked_location=table.text("worked_location", _be_path),
            worked_text=table.text("worked_text"),
            again_on=tuple(again_on) if again_on is not None else AGAIN_ON,
            again_text=table.text("again_text"),
            tries=table.number("tries", 2, at_most=TRIES_MAX),
        )
        table.finish()
        return login

    def _avoid(self) -> tuple[str, ...]:
        paths = self._table.every("avoid", str, 'a list of paths, such as ["/account/delete"]') or []
        for path in paths:
            try:
                _be_path(path)
            except ValueError as problem:
                self._table.complain("avoid", str(problem))
        return tuple(paths)

    def _way(self) -> Way:
        table = self._table
        proxy, user = table.text("proxy", _be_rule_proxy), table.text("proxy_user", _be_user)
        password = table.secret("proxy_password")
        if user and not proxy:
            table.complain("proxy_user", "there is no proxy in this rule")
        if bool(user) != table.has("proxy_password_file", "proxy_password_env"):
            table.complain("proxy_user", "proxy_user and proxy_password_file (or _env) go together")
        certificate, key = table.file("certificate"), table.file("key")
        if certificate is not None:
            self._check_certificate(certificate, key)
        elif key is not None:
            table.complain("key", "there is no certificate in this rule")
        return Way(
            proxy=proxy,
            proxy_login=f"{user}:{password.reveal()}" if user and password is not None else "",
            certificate=str(certificate.absolute()) if certificate is not None else "",
            key=str(key.absolute()) if key is not None else "",
            source_address=table.text("source_address", _be_address_of_ours),
        )

    def _check_certificate(self, certificate: Path, key: Path | None) -> None:
        try:
            # Without a password, Python would prompt for the passphrase of a key.
            ssl.create_default_context().load_cert_chain(certificate, key, password=lambda: "")
        except ssl.SSLError:
            self._table.complain(
                "certificate", "no certificate in PEM with its private key, without a passphrase"
            )
        except OSError as error:
            self._table.complain("certificate", f"{error.filename or certificate}: {error.strerror}")


def _as_in_urls(host: str) -> str:
    """Return a host as it is written in a URL: IPv6 in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _be_path(text: str) -> None:
    if not text.startswith("/") or "#" in text or " " in text or not text.isascii():
        raise ValueError('expected a path as it stands in an address, such as "/members/"')


def _be_user(text: str) -> None:
    if not text or ":" in text:
        raise ValueError("expected a name without a colon")


def _be_rule_proxy(text: str) -> None:
    be_proxy(text)
    if urlsplit(text).username is not None:
        raise ValueError("name the user in proxy_user, and the password in proxy_password_file or _env")


def _be_address_of_ours(text: str) -> None:
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        raise ValueError("expected an IP address of this machine, such as 192.0.2.7") from None
    family = socket.AF_INET if ip.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((text, 0))
    except OSError:
        raise ValueError("this machine has no such address; `ip address` lists those it has") from None
