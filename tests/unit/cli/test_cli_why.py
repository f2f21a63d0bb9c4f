"""`tiptoe why` and `tiptoe scope explain`: where a host or page is, and which rule decides."""

import json
from pathlib import Path

import pytest
from cli_samples import running_keeper
from cyclopts import App

from tiptoe.cli.exits import Exit
from tiptoe.cli.scope_command import explain_command
from tiptoe.cli.why_command import why_command
from tiptoe.compose import build_frontier
from tiptoe.errors import SettingsError
from tiptoe.forget.forget_orders import ForgetOrders
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.settings_file import remember
from tiptoe.protocol.work import Request
from tiptoe.settings.layers import Settings
from tiptoe.url.wish import read_wish

URL = "http://a.example/x"


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """Return the directory of a crawl that has met two pages and stopped."""
    settings: dict[str, object] = {
        "scope.exclude": ["^shop"], "scope.exclude_urls": ["/tag/"], "crawl.pages_per_host": 5,
        "scope.depth": 2,
    }  # fmt: skip
    directory = CrawlDirectory(tmp_path)
    directory.claim([URL], before_first=lambda: remember(tmp_path, settings))
    frontier, store = build_frontier(Settings.load(remembered=settings), tmp_path)
    frontier.add([Request(URL), Request("http://a.example/y", via=URL, depth=1)], 0.0)
    frontier.add([Request("http://blocked.example/")], 0.0)
    frontier.block("blocked.example", 0.0)
    frontier.mark_downloaded(["http://a.example/had"], 0.0)
    frontier.add([Request("http://a.example/deep", depth=3, via=URL)], 0.0)
    store.close()
    directory.release()
    return tmp_path


def explain(*words: str) -> int:
    app = App(name="explain", result_action="return_value")
    app.default(explain_command)
    code: int = app(words, exit_on_error=False)
    return code


def test_a_stopped_crawl_tells_of_a_page_from_its_database(
    stopped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    why_command("a.example/y", stopped)
    said = capsys.readouterr().out
    assert "http://a.example/y waits in the queue of its host, in class 1" in said
    assert f"found on {URL}." in said
    assert "The name a.example is to be looked up." in said
    assert "The crawl is not running" in said


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("never.example", "never.example is not known here"),
        (
            "never.example",
            "did not follow, or behind them: 1 too many links away from the seeds (scope.depth)",
        ),
        (
            "a.example/deep",
            "did not follow, or behind them: 1 too many links away from the seeds (scope.depth)",
        ),
        ("shop.example", "scope.exclude leaves it out: ^shop is found in shop.example."),
        ("http://a.example/tag/1", "scope.exclude_urls leaves it out: /tag/ is found"),
        ("blocked.example", "blocked.example is blocked by the operator"),
        ("http://a.example/had", "others have downloaded it"),
        ("https://a.example/y", "http://a.example/y waits in the queue of its host"),
        ("https://a.example/z", "https://a.example/z was never found"),
        ("a.example/robots.txt", "http://a.example/robots.txt was never found"),
        ("www.never.example/list.csv", "http://www.never.example/list.csv was never found"),
    ],
)
def test_each_has_its_story(
    stopped: Path, capsys: pytest.CaptureFixture[str], target: str, expected: str
) -> None:
    why_command(target, stopped)
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wish", "target", "expected"),
    [
        (URL, URL, f"{URL} was forgotten on "),
        ("a.example", "a.example", "a.example was forgotten on "),
        ("*.example", URL, f"{URL} was forgotten on "),
        (URL, "http://a.example/y", "http://a.example/y waits in the queue"),
        (URL, "a.example", "What is to be requested from a.example waits until the crawl continues."),
        ("never.example", "never.example", "never.example was forgotten on "),
    ],
)
def test_what_was_forgotten_is_told_as_such_and_nothing_else_is(
    stopped: Path, capsys: pytest.CaptureFixture[str], wish: str, target: str, expected: str
) -> None:
    ForgetOrders(stopped).forget(read_wish(wish), "a letter")
    why_command(target, stopped)
    assert expected in capsys.readouterr().out


def test_programs_get_the_facts(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    why_command(URL, stopped, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["url"], told["host"]) == (URL, "a.example")
    assert told["whereabouts"]["page"]["queued_in"] == 0
    assert told["whereabouts"]["host"]["state"] == "new"
    assert told["refused_by"] == []


def test_a_running_crawl_is_asked_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It knows of a moment ago, and that it is paused."""
    with running_keeper(tmp_path) as keeper:
        keeper.frontier.add([Request(URL)], 0.0)
        keeper.hold("operator")
        why_command(URL, tmp_path)
    said = capsys.readouterr().out
    assert f"{URL} waits in the queue of its host" in said
    assert "The whole crawl is paused by the operator" in said


def test_where_no_crawl_lives_there_is_no_story(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        why_command("a.example", tmp_path)
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        explain(URL, str(tmp_path))
    with pytest.raises(SettingsError, match="no address"):
        explain("nonsense")


@pytest.mark.parametrize(
    ("words", "refused_by"),
    [
        ((), []),
        (("--exclude-url", "/x$"), ["scope.exclude_urls"]),
        (("--include", r"\.cz$"), ["scope.include"]),
        (("--seed", "b.example", "--same-site"), ["scope.within"]),
        (("--seed", "www.a.example", "--same-host"), []),
        (("--depth", "0"), ["scope.depth"]),
        (("--depth", "0", "--link-depth", "0"), []),
        (("--list",), ["scope.follow"]),
        (("--set", "politeness.blocked_hosts=a.example"), ["politeness.blocked_hosts"]),
    ],
)
def test_the_options_of_a_crawl_can_be_tried_on_an_address(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], refused_by: list[str]
) -> None:
    code = explain("a.example/x", "--json", *words)
    told = json.loads(capsys.readouterr().out)
    assert told["url"] == URL
    assert [rule["rule"] for rule in told["rules"] if rule["refusal"]] == refused_by
    assert code == (Exit.FAULT if refused_by else Exit.DONE)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.example/z", "would be requested, if a link that is followed leads there"),
        ("http://a.example/z", "did not follow, or behind them: 1 too many links away from the seeds"),
        ("http://a.example/y", "http://a.example/y would be requested.\n"),
        ("http://a.example/had", "refused by crawl.downlist"),
        ("http://blocked.example/x", "refused by politeness.blocked_hosts"),
        ("http://shop.example/", "refused by scope.exclude"),
    ],
)
def test_a_crawl_that_has_begun_knows_more(
    stopped: Path, capsys: pytest.CaptureFixture[str], url: str, expected: str
) -> None:
    explain(url, str(stopped))
    assert expected in capsys.readouterr().out


def test_a_seed_far_from_the_others_names_no_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SettingsError, match="from which seeds"):
        explain(URL, "--same-site")


def test_what_was_forgotten_is_refused_before_any_other_rule(
    stopped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the bounds say, what its owner wants to be forgotten is never asked for."""
    ForgetOrders(stopped).forget(read_wish("a.example"), "a letter")
    assert explain(URL, str(stopped)) == Exit.FAULT
    said = capsys.readouterr().out
    assert f"{URL} is refused by tiptoe forget." in said
    assert "a.example was forgotten on 20" in said


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://[::1]:8000/", "http://10.1.2.3/x"])
def test_an_address_in_a_private_network_is_refused_unless_that_is_allowed(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No harvester would contact it, so nobody must be told that it would be requested."""
    assert explain(url) == Exit.FAULT
    assert f"{url} is refused by fetch.allow_networks" in capsys.readouterr().out
    assert explain(url, "--set", "fetch.allow_networks=127.0.0.0/8,::1/128,10.0.0.0/8") == Exit.DONE
