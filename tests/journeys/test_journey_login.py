"""A crawl of sites that want a login, as they see it, and what it leaves on disk."""

import gzip
from pathlib import Path

import pytest
from journey_crawl import Crawl, Pace, tiptoe
from journey_doors import BASIC, COOKIE, FAR, FORM, OPEN, OTHER, PASSWORD, SECRETS, Doors, doors_open

PACE = Pace(req_delay=0.05, max_reqs=12, general_pause=0.2)

RULES = """
[[rule]]
hosts = ["127.0.0.1"]
allow_http = true
[rule.login]
page = "/login"
fields = { user = "robot", word = { env = "DOORS_WORD" } }

[[rule]]
hosts = ["127.0.0.3", "127.0.0.4"]
allow_http = true
user = "robot"
password_file = "word.txt"

[[rule]]
hosts = ["127.0.0.5"]
allow_http = true
cookies_file = "cookies.txt"
source_address = "127.0.0.9"

[[rule]]
hosts = ["127.0.0.6"]
proxy = "http://127.0.0.2:{port}"
"""


def write_rules(folder: Path, port: int = 9) -> Path:
    """Write rules for all doors, with the secrets beside them."""
    (folder / "word.txt").write_text(PASSWORD + "\n", encoding="utf-8")
    jar = f"127.0.0.5\tFALSE\t/\tFALSE\t4000000000\tsid\t{SECRETS[3]}\n"
    (folder / "cookies.txt").write_text(jar, encoding="utf-8")
    (folder / "access.toml").write_text(RULES.replace("{port}", str(port)), encoding="utf-8")
    return folder / "access.toml"


def crawl_of(doors: Doors, folder: Path, *hosts: str) -> Crawl:
    """Return a crawl of these hosts, and of nobody else."""
    settings = {
        **PACE.settings(),
        "crawl.rehearsal": "true",
        "crawl.contact": "https://corpus.example/bot",
        "fetch.allow_networks": "127.0.0.0/8",
        "fetch.access": str(folder / "access.toml"),
    }
    return Crawl(folder / "crawl", [doors.url(host) for host in hosts], settings)


def holders_of(secrets: tuple[str, ...], directory: Path) -> list[tuple[str, str]]:
    """Return which files of a directory hold which secrets."""
    found = []
    for file in directory.rglob("*"):
        if not file.is_file():
            continue
        data = file.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        found += [(file.name, secret) for secret in secrets if secret.encode() in data]
    return found


def test_sites_that_want_a_login_are_crawled_politely_and_keep_their_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A form whose sessions end, HTTP Basic, a cookie from a browser, a proxy; one password is wrong."""
    monkeypatch.setenv("DOORS_WORD", PASSWORD)
    with doors_open() as doors:
        write_rules(tmp_path, doors.port)
        crawl = crawl_of(doors, tmp_path, FORM, BASIC, OTHER, COOKIE, FAR)
        console = crawl.run()
        paths = doors.paths(FORM)
        assert paths[:4] == ["/robots.txt", "/.well-known/tdmrep.json", "/login", "/login*"]
        assert [path for path in dict.fromkeys(paths) if path[1:].isdigit()] == [f"/{n}" for n in range(1, 9)]
        assert paths.count("/login*") == doors.tickets >= 3
        assert doors.paths(BASIC) == ["/robots.txt", "/.well-known/tdmrep.json", "/", "/1"]
        assert doors.paths(OTHER) == ["/robots.txt", "/.well-known/tdmrep.json", "/"]
        assert "/" in doors.paths(COOKIE)
        assert "/landing" in doors.paths(OPEN)
        assert doors.url(FAR) in doors.paths(FAR)  # the whole address: through the proxy
        assert {one.sender for one in doors.arrivals if one.host == COOKIE} == {"127.0.0.9"}
        assert "127.0.0.9" not in {one.sender for one in doors.arrivals if one.host != COOKIE}
        assert doors.shortest_pause() >= PACE.req_delay * 0.99
        strangers = "".join(one.said for one in doors.arrivals if one.host in (OPEN, FAR))
        assert not any(secret in strangers for secret in SECRETS)
        forms = sum(PASSWORD in one.said for one in doors.arrivals)
        assert forms == doors.tickets  # in the forms alone; Basic has it in another spelling
    _check_what_is_left(crawl, console)


def _check_what_is_left(crawl: Crawl, console: str) -> None:
    """No secret anywhere, every request in the log and in order, the failure said in plain words."""
    texts = [document["url"] for document in crawl.documents()]
    assert sum(f"//{FORM}:" in url for url in texts) == 9
    assert sum(f"//{COOKIE}:" in url for url in texts) == 1
    assert holders_of(SECRETS, crawl.out) == []
    said = f"{OTHER}: the login did not work: the site answered 401 to our credentials at /"
    assert said in console
    assert f"login.failed host={OTHER}" in (crawl.out / "log" / "keeper.log").read_text()
    audit = tiptoe("audit", str(crawl.out))
    assert audit.returncode == 0, audit.stdout
    shown = tiptoe("config", str(crawl.out), "--format", "json")
    assert f'"value": "{crawl.out.parent / "access.toml"}"' in shown.stdout
    assert not any(secret in console + audit.stdout + shown.stdout for secret in SECRETS)


def test_a_password_put_right_brings_the_host_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but a secret has changed, which no setting shows."""
    write_rules(tmp_path)
    monkeypatch.setenv("DOORS_WORD", "wr0ng-w0rd")
    with doors_open() as doors:
        crawl = crawl_of(doors, tmp_path, FORM, COOKIE)
        console = crawl.run()
        assert f"{FORM}: the login did not work: the site shows the login form again" in console
        assert doors.paths(FORM).count("/login*") == 2
        assert holders_of(("wr0ng-w0rd",), crawl.out) == []
        monkeypatch.setenv("DOORS_WORD", PASSWORD)
        console = crawl.go_on()
        assert "login_failed 1" in console
        assert sum(f"//{FORM}:" in url for url in crawl.urls()) == 9


def test_a_secret_that_is_missing_is_told_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DOORS_WORD", raising=False)
    file = write_rules(tmp_path)
    words = [
        "http://127.0.0.1:9/",
        "--out",
        str(tmp_path / "crawl"),
        "--contact",
        "https://corpus.example/bot",
    ]
    done = tiptoe("crawl", *words, "--access", str(file))
    assert done.returncode == 2
    said = f"{file}: rule 1 (127.0.0.1): login: fields.word: the environment variable DOORS_WORD is not set"
    assert said in done.stderr.replace("\n", " ")
    assert not (tmp_path / "crawl").exists()
