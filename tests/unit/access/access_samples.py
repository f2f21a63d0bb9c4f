"""Rules, as they stand in a file, and as they are read."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tiptoe.access.access_file import read_rule_file
from tiptoe.access.access_rule import AccessRule
from tiptoe.access.login_form import LoginForm
from tiptoe.access.secret import Secret
from tiptoe.errors import SettingsError

PASSWORD = "correct-horse-battery"

LOGIN = LoginForm(page="/login", fields=(("user", "robot"),), secrets=(("word", Secret(PASSWORD)),))


def a_rule(login: LoginForm | None = LOGIN, *, path: str = "/", allow_http: bool = False) -> AccessRule:
    """Return a rule for a.example."""
    return AccessRule(name="rule 1", hosts=("a.example",), path=path, allow_http=allow_http, login=login)


def rules_in(folder: Path, text: str, environment: Mapping[str, str] | None = None) -> list[AccessRule]:
    """Read rules that stand in a file."""
    file = folder / "access.toml"
    file.write_text(text, encoding="utf-8")
    return read_rule_file(file, environment or {})


def complaint_of(folder: Path, text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return what is said of a file that is not in order."""
    with pytest.raises(SettingsError) as raised:
        rules_in(folder, text, environment)
    return str(raised.value)
