"""`tiptoe filters`, and what the files of a robot mean for the settings of a crawl."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tiptoe.cli.exits import Exit
from tiptoe.cli.filter_inputs import load_settings
from tiptoe.cli.filters_command import (
    check_command,
    export_filters_command,
    import_command,
    new_command,
)
from tiptoe.cli.filters_explain_command import explain_filters_command
from tiptoe.cli.options import Layers
from tiptoe.compose_rules import frontier_policy, robot_filters
from tiptoe.errors import SettingsError
from tiptoe.settings.given import Given
from tiptoe.settings.layers import Settings
from tiptoe.settings.remembering import to_remember

Printed = pytest.CaptureFixture[str]


def robot(directory: Path, process: str = "", generation: str = "", enumeration: str = "") -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "process.conf").write_text(f"<Process>\n{process}\n</Process>\n")
    follow = "Enumerate fn=enumerate-urls"
    text = f"<Filter name=enumeration-default>\n{enumeration}\n{follow}\n</Filter>\n"
    text += f"<Filter name=generation-default>\n{generation}\n</Filter>\n"
    (directory / "filter.conf").write_text(text)
    return directory


def load(directory: Path, past: Mapping[str, object] | None = None, /, **overrides: object) -> Settings:
    given = {name.replace("__", "."): Given(raw, "--set") for name, raw in overrides.items()}
    layers = Layers(None, {"filters.dir": Given(str(directory), "--filters"), **given})
    return load_settings(layers, past).settings


# -- settings ----------------------------------------------------------------------


def test_parameters_are_weaker_than_the_command_line_and_stronger_than_the_past(tmp_path: Path) -> None:
    conf = robot(tmp_path, "connect-timeout=60\nmax-working=7\nemail=me@example.org")
    settings = load(conf, {"harvest.visits": 9, "fetch.connect_timeout": "9s"}, fetch__connect_timeout="30s")
    assert settings.fetch.connect_timeout == 30.0
    assert settings.harvest.visits == 7
    assert settings.crawl.contact == "me@example.org"
    assert settings.origin("crawl.contact") == f"{tmp_path}/process.conf:4"


@pytest.mark.parametrize(
    ("server_delay", "own", "expected"),
    [(2, "5s", 5.0), (30, "5s", 30.0), (30, "60s", 60.0), (30, None, 30.0)],
)
def test_a_pause_is_only_made_longer(
    tmp_path: Path, server_delay: int, own: str | None, expected: float
) -> None:
    """Politeness yields to nothing, also when our own setting was given on purpose."""
    given = {} if own is None else {"politeness__req_delay": own}
    settings = load(robot(tmp_path, f"server-delay={server_delay}"), **given)
    assert settings.politeness.req_delay == expected


def test_a_bad_value_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"process\.conf:2: fetch\.connect_timeout = .*at most"):
        load(robot(tmp_path, "connect-timeout=9999"))
    with pytest.raises(SettingsError, match=r"process\.conf:2: enable-robots-txt=no: refused"):
        load(robot(tmp_path, "enable-robots-txt=no"))


def test_filters_are_remembered_and_travel_with_the_settings(tmp_path: Path) -> None:
    """A harvester on another machine does not see the files, and the next run need not."""
    deny = "MetaData fn=filter-by-exact src=path deny=/x"
    settings = load(robot(tmp_path, "depth=4", deny, deny))
    again = Settings.load(remembered=to_remember(settings))
    sent = Settings.from_dict(json.loads(json.dumps(again.to_dict())))
    filters = robot_filters(sent)
    assert filters is not None
    assert str(filters.refuses_link("http://a.example/x", 0)) == "filter.conf:2 (filter-by-exact)"
    assert filters.depth_max == 4


def test_a_limit_over_the_whole_crawl_counts_however_its_source_is_spelled(tmp_path: Path) -> None:
    """Names of sources are the same in capital letters; a limit must not vanish with them."""
    line = "MetaData fn=filter-by-max src=Objects value=7"
    assert load(robot(tmp_path, generation=line)).crawl.max_pages == 7


def test_limits_over_the_whole_crawl_go_to_the_keeper(tmp_path: Path) -> None:
    objects = "MetaData fn=filter-by-max src=objects value=50000"
    hosts = "MetaData fn=filter-by-max src=hosts value=12"
    settings = load(robot(tmp_path, "", objects, hosts))
    assert settings.crawl.max_pages == 50_000
    assert settings.origin("crawl.max_pages") == f"{tmp_path}/filter.conf:6"
    assert frontier_policy(settings).hosts_max == 12
    with pytest.raises(SettingsError, match="counts the hosts of the whole crawl"):
        load(tmp_path, cluster__servers="nats://a:4222")


@pytest.mark.parametrize(
    ("line", "setting", "value"),
    [
        ("Data fn=generate-md5\nData fn=filter-by-md5", "text__duplicity", "false"),
        ("Data fn=convert-to-html type=application/pdf", "documents__convert", "never"),
    ],
)
def test_settings_that_filters_rely_on_may_not_be_switched_off(
    tmp_path: Path, line: str, setting: str, value: str
) -> None:
    conf = robot(tmp_path, "", line)
    load(conf)
    with pytest.raises(SettingsError, match=r"filter\.conf:\d: "):
        load(conf, **{setting: value})


def test_a_downlist_beside_the_files_counts_unless_another_is_given(tmp_path: Path) -> None:
    conf = robot(tmp_path)
    (conf / "downlist.txt").write_text("http://a.example/")
    assert load(conf).crawl.downlist == str(tmp_path / "downlist.txt")
    assert load(conf, crawl__downlist="other.txt").crawl.downlist == "other.txt"


# -- commands ----------------------------------------------------------------------


def test_check_says_what_is_wrong_by_file_and_line(tmp_path: Path, capsys: Printed) -> None:
    conf = robot(tmp_path, "deph=3\nloglevel=1")
    assert check_command(conf) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{tmp_path}/process.conf:2: error: deph: no such parameter; is depth meant?"
    assert told[1].startswith(f"{tmp_path}/process.conf:3: warning: loglevel=1: not honoured")
    assert told[2] == "1 error, 1 warning; 1 directive, 0 starting points"


def test_check_tells_programs_in_json(tmp_path: Path, capsys: Printed) -> None:
    assert check_command(robot(tmp_path, "loglevel=1"), as_json=True) == 0
    (problem,) = json.loads(capsys.readouterr().out)
    assert (problem["place"], problem["is_error"]) == (f"{tmp_path}/process.conf:2", False)


def test_explain_names_the_line_of_both_filters(tmp_path: Path, capsys: Printed) -> None:
    deny = "MetaData fn=filter-by-prefix src=path deny=/x"
    explain_filters_command(robot(tmp_path, "", deny, deny), "http://a.example/x/y")
    said = capsys.readouterr().out
    assert "=> denied in MetaData by filter.conf:2 (filter-by-prefix)" in said
    assert "=> denied in MetaData by filter.conf:6 (filter-by-prefix)" in said
    assert "it is not requested" in said


def test_explain_goes_on_with_an_answer(tmp_path: Path, capsys: Printed) -> None:
    shallow = "MetaData fn=filter-by-max src=depth value=2"
    conf = robot(tmp_path / "conf", "", "Generate fn=extract-html-meta", shallow)
    page = tmp_path / "page.html"
    page.write_text("<title>Tides</title><meta name=author content='A \x1b[1m'><a href=/x>x</a><p>Text")
    explain_filters_command(conf, "http://a.example/", html=page)
    said = capsys.readouterr().out
    assert "=> 1 link followed" in said
    assert "title: Tides" in said
    assert "\x1b" not in said
    explain_filters_command(conf, "http://a.example/", type="text/html", depth=3, as_json=True)
    enumeration, generation = json.loads(capsys.readouterr().out)
    assert enumeration["denied"]["place"] == "filter.conf:2"
    assert generation["fields"] == {}


def test_explain_takes_directory_and_address_in_either_order(tmp_path: Path, capsys: Printed) -> None:
    """As other commands do; the scheme may be left out as there."""
    directory = robot(tmp_path / "filters", enumeration="MetaData fn=filter-by-prefix src=path deny=/x")
    for words in ((directory, "http://a.example/x"), (Path("a.example/x"), str(directory))):
        assert explain_filters_command(*words) == Exit.DONE
        assert "http://a.example/x at depth 0" in capsys.readouterr().out


def test_a_toml_file_that_is_not_there_is_not_taken_for_a_directory(tmp_path: Path) -> None:
    """The advice has to make what was asked for."""
    with pytest.raises(SettingsError, match=r"no such file; `tiptoe filters import DIR > mine\.toml`"):
        export_filters_command(tmp_path / "mine.toml", str(tmp_path / "other"))


def test_explain_wants_an_address(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is no address"):
        explain_filters_command(robot(tmp_path), "nonsense")
    with pytest.raises(SettingsError, match="--ip nowhere: expected an IP address"):
        explain_filters_command(robot(tmp_path), "http://a.example/", ip="nowhere")
    with pytest.raises(SettingsError, match="--depth -1: at least 0"):
        explain_filters_command(robot(tmp_path), "http://a.example/", depth=-1)


def test_explain_describes_a_page_as_if_it_was_fetched_now(tmp_path: Path, capsys: Printed) -> None:
    """A description that expires in 1970 explains nothing."""
    generation = "Generate fn=generate-rd-expires\nGenerate fn=extract-source src=rd-expires"
    (tmp_path / "page.html").write_text("<title>x</title>")
    explain_filters_command(
        robot(tmp_path / "filters", generation=generation), "http://a.example/", html=tmp_path / "page.html"
    )
    assert "rd-expires: " in (printed := capsys.readouterr().out)
    assert "1970" not in printed


def test_a_downlist_that_is_no_text_is_told(tmp_path: Path) -> None:
    directory = robot(tmp_path / "filters")
    (directory / "downlist.txt").write_bytes(b"http://a.example/\xe9\n")
    with pytest.raises(SettingsError, match=r"downlist\.txt: not UTF-8 at byte 17"):
        export_filters_command(directory, str(tmp_path / "other"))


def test_import_export_and_new_write_files_that_can_be_used(tmp_path: Path, capsys: Printed) -> None:
    assert new_command(str(tmp_path / "new")) == 0
    capsys.readouterr()
    assert import_command(tmp_path / "new") == 0
    toml = tmp_path / "filters.toml"
    toml.write_text(capsys.readouterr().out)
    assert export_filters_command(toml, str(tmp_path / "again")) == 0
    capsys.readouterr()
    import_command(tmp_path / "again")
    assert capsys.readouterr().out == toml.read_text()
    assert load(toml).filters.definition


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    new_command(str(tmp_path))
    with pytest.raises(SettingsError, match=r"process\.conf, .* are there already"):
        new_command(str(tmp_path))


def test_filters_are_not_written_to_a_directory_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tiptoe filters new "$DIR"` with a variable that is not set would write to wherever one is."""
    monkeypatch.chdir(tmp_path)
    for directory in ("", " "):
        with pytest.raises(SettingsError, match="name of the directory is empty"):
            new_command(directory)
    assert [*tmp_path.iterdir()] == []
    assert new_command(".") == 0
