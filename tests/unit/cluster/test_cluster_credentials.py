"""Do credentials say everything a member needs, to their owner alone?"""

import stat
from pathlib import Path

import pytest

from tiptoe.cluster.credentials import Credentials, read_credentials, write_credentials
from tiptoe.errors import SettingsError

CREDENTIALS = Credentials(
    servers=("tls://a.example:4222", "tls://[2001:db8::1]:4222"), user="petr", password="not to be guessed",
    ca="-----BEGIN CERTIFICATE-----", crawl="czech", replicas=3,
)  # fmt: skip


def test_credentials_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_credentials(tmp_path / "petr.json", CREDENTIALS)
    assert read_credentials(str(tmp_path / "petr.json")) == CREDENTIALS


def test_nobody_else_may_read_them(tmp_path: Path) -> None:
    """A password in a file that others read is no password."""
    path = tmp_path / "petr.json"
    path.write_text("")
    path.chmod(0o644)
    write_credentials(path, CREDENTIALS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "petr.json"
    write_credentials(path, CREDENTIALS)
    path.chmod(0o640)
    with pytest.raises(SettingsError, match="others can read"):
        read_credentials(str(path))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"servers": 4}', '{"servers": [], "shard": 1}'])
def test_a_file_that_is_none_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "petr.json"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(SettingsError, match=r"petr\.json"):
        read_credentials(str(path))


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        read_credentials(str(tmp_path / "nothing.json"))


def test_neither_password_is_shown() -> None:
    """Options and credentials are logged."""
    assert "guessed" not in repr(CREDENTIALS)
    assert "guessed" not in repr(CREDENTIALS.options("czech", member="m"))


def test_they_are_good_for_one_crawl() -> None:
    with pytest.raises(SettingsError, match="'czech', not for 'slovak'"):
        CREDENTIALS.options("slovak", member="m")


@pytest.mark.parametrize(
    ("given", "servers"),
    [
        ("nats://a.example", ["nats://a.example:4222"]),
        ("nats://a,b:4333,c", ["nats://a:4222", "nats://b:4333", "nats://c:4222"]),
        ("tls://a,tls://b", ["tls://a:4222", "tls://b:4222"]),
        ("tls://[2001:db8::1]:4444", ["tls://[2001:db8::1]:4444"]),
    ],
)
def test_servers_are_named_by_their_addresses(given: str, servers: list[str]) -> None:
    assert list(read_credentials(given).servers) == servers


def test_user_and_password_stand_before_the_first_server() -> None:
    found = read_credentials("tls://petr:a%40b@a.example,b.example")
    assert (found.user, found.password, len(found.servers)) == ("petr", "a@b", 2)


@pytest.mark.parametrize(
    "given", ["http://a", "nats://", "nats://a:0x", "nats://u:secret@a:99999", "tls://a/b"]
)
def test_what_is_no_address_is_refused_without_telling_the_password(given: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_credentials(given)
    assert "secret" not in str(refused.value)
