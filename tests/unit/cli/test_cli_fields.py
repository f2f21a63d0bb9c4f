"""`tiptoe fields`, and what rules mean for the settings of a crawl."""

import json
from pathlib import Path

import pytest

from tiptoe.cli.exits import Exit
from tiptoe.cli.field_inputs import remembered_rules
from tiptoe.cli.fields_command import check_fields_command, try_fields_command
from tiptoe.cli.filter_inputs import load_settings
from tiptoe.cli.options import Layers
from tiptoe.compose_judging import field_rules
from tiptoe.errors import SettingsError
from tiptoe.settings.given import Given
from tiptoe.settings.layers import Settings
from tiptoe.settings.remembering import to_remember

Printed = pytest.CaptureFixture[str]
RULES = (
    '[[rule]]\nname = "books"\nhosts = ["x.example"]\n[rule.fields]\nprice = { css = "b", type = "number" }\n'
)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    file = tmp_path / "fields.toml"
    file.write_text(RULES)
    return file


@pytest.fixture
def page(tmp_path: Path) -> str:
    file = tmp_path / "page.html"
    file.write_text("<p>It costs <b>3,50</b>.")
    return str(file)


def load(file: Path, past: dict[str, object] | None = None) -> Settings:
    return load_settings(Layers(None, {"text.fields": Given(str(file), "--fields")}), past).settings


def test_rules_are_read_at_the_start_and_remembered(rules: Path) -> None:
    """The file may change or vanish while a crawl goes on."""
    settings = load(rules)
    remembered = to_remember(settings)
    assert "text.fields" not in remembered
    rules.unlink()
    book = field_rules(Settings.load(remembered=remembered))
    assert book is not None
    assert book.names == ["price"]
    assert field_rules(Settings()) is None


def test_a_crawl_does_not_start_with_rules_that_are_wrong(rules: Path) -> None:
    rules.write_text(RULES.replace("css", "csss"))
    with pytest.raises(SettingsError, match=r"fields.toml:5: rule books, field price: csss: no such key"):
        load(rules)
    with pytest.raises(SettingsError, match="cannot be read"):
        load(rules.with_name("none.toml"))
    rules.write_bytes(b"\xff")
    with pytest.raises(SettingsError, match="not UTF-8"):
        load(rules)


def test_remembered_rules_that_somebody_has_written_are_checked() -> None:
    line = '{"name": "a", "fields": [{"name": "b", "selectors": [["css", "p["]]}]}'
    with pytest.raises(SettingsError, match="give --fields again"):
        field_rules(Settings.load(remembered={"text.field_rules": [line]}))


def test_what_is_wrong_is_listed(rules: Path, capsys: Printed) -> None:
    assert check_fields_command(rules) == Exit.DONE
    assert capsys.readouterr().out == "1 rule with 1 field: nothing wrong\n"
    rules.write_text(RULES.replace('"b"', '"b["').replace('"number"', '"numbers"'))
    assert check_fields_command(rules) == Exit.FAULT
    assert capsys.readouterr().out.endswith("1 rule with 1 field: 2 problems\n")
    check_fields_command(rules, as_json=True)
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_rules_are_tried_on_a_file(rules: Path, page: str, capsys: Printed) -> None:
    assert try_fields_command(rules, page) == Exit.DONE
    assert capsys.readouterr().out == f"rule books\n  {'price':20} 3.5  by css = b\n"
    assert try_fields_command(rules, page, url="https://x.example/", as_json=True) == Exit.DONE
    assert json.loads(capsys.readouterr().out)["fields"] == {"price": 3.5}
    assert try_fields_command(rules, page, url="https://y.example/") == Exit.FAULT
    assert capsys.readouterr().out == "no rule is meant for https://y.example/: see hosts and paths\n"


def test_what_a_page_says_is_no_escape_sequence(rules: Path, page: str, capsys: Printed) -> None:
    rules.write_text(RULES.replace('"number"', '"text"'))
    Path(page).write_text("<b>\x1b[31mred \u202e</b>", encoding="utf-8")
    try_fields_command(rules, page)
    assert capsys.readouterr().out.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("target", "said"),
    [("https://x.example/", "nothing is fetched"), ("none.html", "cannot be read")],
)
def test_nothing_is_ever_fetched(rules: Path, target: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        try_fields_command(rules, target)


def test_a_directory_without_rules_is_none(tmp_path: Path, page: str) -> None:
    assert remembered_rules(tmp_path) is None
    with pytest.raises(SettingsError, match="name a file of rules"):
        try_fields_command(tmp_path, page)
