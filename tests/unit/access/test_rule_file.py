"""What a file of rules may say, and what is said of one that is not in order."""

import base64
from pathlib import Path

import pytest
import trustme
from access_samples import PASSWORD, complaint_of, rules_in

from tiptoe.access.access_file import read_rule_file
from tiptoe.access.login_form import LoginForm
from tiptoe.access.secret import Secret
from tiptoe.errors import SettingsError
from tiptoe.fetch.approach import Way

ENVIRONMENT = {"WORD": PASSWORD, "EMPTY": "", "ODD": "a\nb"}
HOSTS = '[[rule]]\nhosts = ["a.example"]\n'
LOGIN = '[rule.login]\npage = "/login"\nfields = { user = "robot", word = { env = "WORD" } }\n'

WHOLE = """
[[rule]]
hosts = ["Häuser.example", "*.a.example", "::1"]
path = "/members/"
allow_http = true
user = "robot"
password_file = "word.txt"
cookies_file = "cookies.txt"
headers = { "X-Project" = "corpus", "X-Key" = { env = "WORD" } }
proxy = "socks5h://127.0.0.1:1080"
proxy_user = "me"
proxy_password_env = "WORD"
source_address = "127.0.0.1"
avoid = ["/members/delete"]

[rule.login]
page = "/login?lang=en"
fields = { user = "robot", word = { file = "word.txt" } }
worked_cookie = "sid"
worked_location = "/home"
worked_text = "Log out"
again_on = [401]
again_text = "Please log in"
tries = 3

[[rule]]
hosts = ["b.example"]
token_env = "WORD"
"""


def test_everything_a_rule_can_say_is_read(tmp_path: Path) -> None:
    (tmp_path / "word.txt").write_text(PASSWORD + "\r\nanother line\n", encoding="utf-8")
    (tmp_path / "cookies.txt").write_text("a.example\tFALSE\t/\tTRUE\t0\tsid\tv\n", encoding="utf-8")
    first, second = rules_in(tmp_path, WHOLE, ENVIRONMENT)
    basic = base64.b64encode(f"robot:{PASSWORD}".encode()).decode()
    assert (first.name, second.name) == ("rule 1 (Häuser.example)", "rule 2 (b.example)")
    assert first.hosts == ("xn--huser-gra.example", "*.a.example", "[::1]")
    assert (first.path, first.allow_http, first.fields) == ("/members/", True, (("X-Project", "corpus"),))
    assert first.hidden == (("Authorization", Secret(f"Basic {basic}")), ("X-Key", Secret(PASSWORD)))
    assert [cookie.name for cookie in first.cookies] == ["sid"]
    assert first.avoid == ("/members/delete",)
    assert first.way == Way(
        proxy="socks5h://127.0.0.1:1080", proxy_login=f"me:{PASSWORD}", source_address="127.0.0.1"
    )
    assert first.login == LoginForm(
        page="/login?lang=en", fields=(("user", "robot"),), secrets=(("word", Secret(PASSWORD)),),
        worked_cookie="sid", worked_location="/home", worked_text="Log out", again_on=(401,),
        again_text="Please log in", tries=3,
    )  # fmt: skip
    assert second.hidden == (("Authorization", Secret(f"Bearer {PASSWORD}")),)
    assert not second.allow_http


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "0 rules; from 1 to"),
        ("rule = 3", "expected [[rule]]"),
        ("x = 1\n" + HOSTS, "x: no such field; each rule begins with [[rule]]"),
        ("[[rule]]\nhosts = [", "not TOML"),
        ("[[rule]]", "rule 1: hosts: missing"),
        ("[[rule]]\nhosts = []", "rule 1: hosts: missing"),
        ("[[rule]]\nhosts = [3]", "rule 1: hosts: expected a list of hosts"),
        (
            '[[rule]]\nhosts = ["https://a.example/"]',
            "rule 1 (https://a.example/): hosts: 'https://a.example/'",
        ),
        ('[[rule]]\nhosts = ["*"]', "no host name"),
        (HOSTS + 'path = "members"', "rule 1 (a.example): path: expected a path"),
        (HOSTS + "allow_http = 1", "allow_http: expected true or false"),
        (HOSTS + "proxi = 1", "proxi: no such field; did you mean proxy?"),
        (HOSTS + f'password = "{PASSWORD}"', "password: no such field; secrets do not stand in this file"),
        (HOSTS + f'token = "{PASSWORD}"', "use token_file or token_env"),
        (HOSTS + 'user = "robot"', "user: password_file or password_env is missing"),
        (HOSTS + 'password_env = "WORD"', "user: user is missing"),
        (HOSTS + 'user = "ro:bot"\npassword_env = "WORD"', "user: expected a name without a colon"),
        (HOSTS + 'user = "robot"\npassword_env = "NONE"', "variable NONE is not set; export it"),
        (
            HOSTS + 'user = "robot"\npassword_env = "EMPTY"',
            "password_env: the environment variable EMPTY",
        ),
        (HOSTS + 'user = "robot"\npassword_env = "ODD"', "control characters"),
        (HOSTS + 'user = "robot"\npassword_file = "none.txt"', "none.txt: No such file"),
        (
            HOSTS + 'user = "r"\npassword_file = "a"\npassword_env = "WORD"',
            "either password_file or",
        ),
        (HOSTS + 'token_env = "WORD"\nuser = "robot"', "either a token or a user"),
        (HOSTS + 'headers = { Cookie = "sid=1" }', "headers.Cookie: use cookies_file"),
        (HOSTS + 'headers = { authorization = "x" }', "headers.authorization: use user and password_file"),
        (HOSTS + 'headers = { Host = "x" }', "headers.Host: not a header field that can be set"),
        (HOSTS + 'headers = { "X Y" = "x" }', "headers.X Y: not a header field"),
        (HOSTS + 'headers = { X = "ž" }', "headers.X: expected a text in Latin letters"),
        (HOSTS + 'headers = { X = "a\\nY: b" }', "headers.X: expected a text"),
        (HOSTS + 'headers = { X = { url = "x" } }', "headers.X: expected a text, { file"),
        (HOSTS + 'cookies_file = "none.txt"', "cookies_file: "),
        (HOSTS + 'proxy = "127.0.0.1:80"', "proxy: expected scheme, host and port"),
        (HOSTS + f'proxy = "http://me:{PASSWORD}@127.0.0.1:80"', "proxy: name the user in proxy_user"),
        (HOSTS + 'proxy_user = "me"\nproxy_password_env = "WORD"', "proxy_user: there is no proxy"),
        (HOSTS + 'proxy = "http://127.0.0.1:80"\nproxy_user = "me"', "go together"),
        (HOSTS + 'source_address = "eth0"', "source_address: expected an IP address"),
        (HOSTS + 'source_address = "192.0.2.7"', "source_address: this machine has no such address"),
        (HOSTS + 'avoid = ["out"]', "avoid: expected a path"),
        (HOSTS + "avoid = [1]", "avoid: expected a list of paths"),
        (HOSTS + 'key = "k.pem"', "key: there is no certificate"),
        (HOSTS + 'certificate = "none.pem"', "certificate: "),
        (HOSTS + 'certificate = "access.toml"', "certificate: no certificate in PEM"),
        (HOSTS + "login = 3", "login: expected a table, as in [rule.login]"),
        (HOSTS + "[rule.login]\n", "login: page: missing"),
        (
            HOSTS + '[rule.login]\npage = "/login"\nfields = { user = "robot" }',
            "fields: no secret among",
        ),
        (HOSTS + LOGIN + "tries = 9", "login: tries: expected a number from 1 to 5"),
        (HOSTS + LOGIN + "again_on = [200]", "login: again_on: expected statuses"),
        (HOSTS + LOGIN + 'works_text = "x"', "login: works_text: no such field; did you mean worked_text?"),
    ],
)
def test_a_bad_file_is_refused_with_rule_field_and_what_to_try(text: str, said: str, tmp_path: Path) -> None:
    complaint = complaint_of(tmp_path, text, ENVIRONMENT)
    assert complaint.startswith(f"{tmp_path}/access.toml: ")
    assert said in complaint
    assert PASSWORD not in complaint


def test_a_certificate_may_have_its_key_in_a_file_of_its_own(tmp_path: Path) -> None:
    """Whether they belong together is seen at the start, not at the first handshake."""
    ours, others = (trustme.CA().issue_cert("robot@corpus.example") for _ in range(2))
    ours.cert_chain_pems[0].write_to_path(tmp_path / "ours.pem")
    ours.private_key_pem.write_to_path(tmp_path / "ours.key")
    others.private_key_pem.write_to_path(tmp_path / "others.key")
    certificate = HOSTS + 'certificate = "ours.pem"\n'
    (rule,) = rules_in(tmp_path, certificate + 'key = "ours.key"')
    assert rule.way == Way(certificate=f"{tmp_path}/ours.pem", key=f"{tmp_path}/ours.key")
    assert "certificate: no certificate in PEM" in complaint_of(tmp_path, certificate + 'key = "others.key"')
    assert "certificate: no certificate in PEM" in complaint_of(tmp_path, certificate)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    complaint = complaint_of(tmp_path, HOSTS + "allow_http = 1\n" + HOSTS + 'path = "x"')
    assert [line.split(": ")[1] for line in complaint.splitlines()] == [
        "rule 1 (a.example)", "rule 2 (a.example)",
    ]  # fmt: skip


def test_a_file_that_is_not_there_names_the_setting(tmp_path: Path) -> None:
    """A harvester on another machine is told the path, and needs the file."""
    with pytest.raises(SettingsError, match=r"none\.toml: cannot be read: No such file.*fetch\.access"):
        read_rule_file(tmp_path / "none.toml")


def test_a_rehearsal_may_not_be_led_off_this_machine(tmp_path: Path) -> None:
    """Its pauses may be short, so it must reach nobody else."""
    file = tmp_path / "access.toml"
    file.write_text(HOSTS + 'proxy = "socks5h://proxy.example:1080"', encoding="utf-8")
    assert len(read_rule_file(file)) == 1
    with pytest.raises(SettingsError, match="proxy: a rehearsal needs one at a loopback address"):
        read_rule_file(file, is_rehearsal=True)
