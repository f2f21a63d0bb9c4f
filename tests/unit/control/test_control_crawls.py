"""Can crawls be planned, found, opened and changed, by those who may, and nothing else?"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from control_rig import NOW, Rig, make_crawl, rig
from starlette.datastructures import FormData

from tiptoe.control import crawl_actions
from tiptoe.control.crawl_actions import ActionDone, host_typed
from tiptoe.control.crawl_launch import to_toml_file
from tiptoe.control.notices import Undo
from tiptoe.control.page_route import Elsewhere, PageVisit
from tiptoe.control.pages.crawl_pages import done
from tiptoe.control.prometheus import metrics_text
from tiptoe.control.setting_fields import (
    differences,
    form_sections,
    load_settings,
    parse_toml,
    typed_settings,
)
from tiptoe.control.setting_guard import FOR_ADMINISTRATORS, FROM_HERE_ONLY
from tiptoe.control.tiptoe_process import ProcessOutput, TiptoeProcesses
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.settings_file import remember
from tiptoe.observe.run_figures import write_figures
from tiptoe.protocol.status import Status
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS

API = "/api/v1"
HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m\"'&"

PLAN = {"name": "news", "seeds": ["https://a.example/"], "settings": {"crawl.contact": "me@example.org"}}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Rig]:
    with rig(tmp_path / "control", roots=(tmp_path / "crawls",)) as made:
        yield made


@pytest.fixture
def crawl(server: Rig, tmp_path: Path) -> Path:
    """A crawl that was stopped."""
    directory = make_crawl(tmp_path / "crawls" / "old")
    remember(directory, {"crawl.contact": "me@example.org", "crawl.max_pages": 50})
    figures = Status(
        pages=7, requests=12, hosts=2, outcomes={"ok": 7, HOSTILE: 5}, discards={"noindex": 1},
        stopped_because="page_limit", started_at=NOW - 60, now=NOW,
    )  # fmt: skip
    write_figures(directory, figures)
    server.parts.crawls.open(directory, NOW)
    return directory


# -- planning ---------------------------------------------------------------


def test_a_crawl_is_planned_and_shows_what_it_will_go_by(server: Rig) -> None:
    program = server.program(UserRole.OPERATOR)
    made = program.post(f"{API}/crawls", json=PLAN)
    assert made.status_code == 201
    assert made.json()["summary"]["state"] == "planned"
    toml = program.get(f"{API}/crawls/news/settings").json()["toml"]
    assert 'contact = "me@example.org"' in toml
    assert server.parts.trail.read()[0].action == "crawl.plan"


def test_what_is_wrong_with_a_plan_is_said_beside_each_field(server: Rig) -> None:
    """All at once: who has to mend three things wants to know of three."""
    program = server.program(UserRole.OPERATOR)
    settings = {"crawl.max_pages": "many", "politeness.req_delay": "0s"}
    answer = program.post(f"{API}/crawls", json={"name": "news", "seeds": [], "settings": settings})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    errors = answer.json()["errors"]
    assert "a whole number" in errors["crawl.max_pages"]
    assert "at least 1s" in errors["politeness.req_delay"]
    assert "at least one address" in errors["seeds"]


def test_seeds_that_are_no_addresses_are_told_with_their_lines(server: Rig) -> None:
    program = server.program(UserRole.OPERATOR)
    answer = program.post(f"{API}/crawls", json={**PLAN, "seeds": ["https://a.example/", "http:///x"]})
    assert answer.status_code == 422
    assert "seeds:2" in answer.json()["errors"]["seeds"]
    assert program.get(f"{API}/crawls").json() == []


def test_a_form_that_was_not_accepted_keeps_what_was_typed(server: Rig) -> None:
    form = {
        "name": "Bad Name",
        "seeds": "https://a.example/",
        "crawl.contact": "me@example.org",
        "toml": "x =",
    }
    page = server.browser(UserRole.OPERATOR).post("/new-crawl", data=form)
    assert page.status_code == 422
    assert "Bad Name" in page.text
    assert "me@example.org" in page.text


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "x.toml", "", "A", "a" * 64, "a\0", "-x"])
def test_no_name_of_a_crawl_leads_out_of_the_directory(server: Rig, name: str) -> None:
    answer = server.program().post(f"{API}/crawls", json={**PLAN, "name": name})
    assert answer.status_code == 422
    assert server.parts.crawls.list_all() == []


@pytest.mark.parametrize("name", sorted(FROM_HERE_ONLY))
def test_settings_that_name_files_cannot_be_set_from_afar(server: Rig, name: str) -> None:
    """Else a seed list of /etc/shadow would be read, and told line by line."""
    plan = {**PLAN, "settings": {**PLAN["settings"], name: "/etc/passwd"}}  # type: ignore[dict-item]
    assert server.program().post(f"{API}/crawls", json=plan).status_code == 422
    toml = f'[{name.partition(".")[0]}]\n{name.partition(".")[2]} = "/etc/passwd"\n'
    assert server.program(user="b").post(f"{API}/crawls", json={**PLAN, "toml": toml}).status_code == 422


def test_every_setting_that_names_a_file_or_a_command_is_guarded() -> None:
    """Whoever declares another one has to think of this."""
    words = ("file", "directory", "command", "path of")
    suspects = {name for name, it in SETTINGS.items() if any(word in it.help.lower() for word in words)}
    harmless = {
        "write.warc_max",
        "write.corpus_max",
        "write.sync",
        "write.disk_free_min",
        "documents.max",
    } | {"crawl.on_end"}
    known = FROM_HERE_ONLY | FOR_ADMINISTRATORS | harmless
    text_like = {
        name
        for name in suspects
        if SETTINGS[name].kind.name in ("text", "words") and not SETTINGS[name].choices
    }
    assert text_like <= known


def test_what_opens_networks_takes_an_administrator(server: Rig) -> None:
    plan = {**PLAN, "settings": {**PLAN["settings"], "fetch.allow_networks": ["10.0.0.0/8"]}}  # type: ignore[dict-item]
    assert server.program(UserRole.OPERATOR).post(f"{API}/crawls", json=plan).status_code == 403
    assert server.program(UserRole.ADMINISTRATOR).post(f"{API}/crawls", json=plan).status_code == 201


# -- opening ----------------------------------------------------------------


@pytest.mark.parametrize(
    "typed",
    [
        "/etc",
        "{roots}/../control",
        "{roots}/old/../../control",
        "{roots}/link",
        "old",
        "",
        "a\0b",
        "x" * 5000,
    ],
)
def test_only_directories_below_the_roots_can_be_opened(server: Rig, tmp_path: Path, typed: str) -> None:
    """Links are followed before it is judged where they lead."""
    make_crawl(tmp_path / "elsewhere")
    (tmp_path / "crawls").mkdir(exist_ok=True)
    (tmp_path / "crawls" / "link").symlink_to(tmp_path / "elsewhere")
    wish = {"directory": typed.replace("{roots}", str(tmp_path / "crawls"))}
    answer = server.program().post(f"{API}/crawls/open", json=wish)
    assert answer.status_code in (403, 422)
    assert server.parts.crawls.list_all() == []


def test_a_crawl_that_is_there_can_be_opened_and_let_go_and_stays_as_it_is(
    server: Rig, tmp_path: Path
) -> None:
    directory = make_crawl(tmp_path / "crawls" / "My Crawl!")
    browser = server.browser()
    assert (
        browser.post("/open-crawl", data={"directory": str(directory)}).headers["location"]
        == "/crawls/my-crawl"
    )
    assert browser.get("/crawls/my-crawl").status_code == 200
    assert browser.post("/crawls/my-crawl/forget").status_code == 303
    assert server.parts.crawls.list_all() == []
    assert (directory / "crawl.json").exists()


# -- how it stands ----------------------------------------------------------


def test_a_running_crawl_that_was_just_opened_has_not_crashed(server: Rig, tmp_path: Path) -> None:
    """Nobody has asked it yet, and its last figures say nothing of an end."""
    directory = make_crawl(tmp_path / "crawls" / "busy")
    write_figures(directory, Status(pages=7, started_at=NOW - 60, now=NOW))
    held = CrawlDirectory(directory)
    held.take_lock()
    server.parts.crawls.open(directory, NOW)
    page = server.browser().get("/crawls/busy").text
    held.release()
    assert ">starting<" in page
    assert "crashed" not in page
    assert "without saying why" not in page


def test_the_figures_of_a_crawl_stand_beside_its_limits(server: Rig, crawl: Path) -> None:
    """Seven pages are few of fifty; nobody should have to look up the settings to see that."""
    reader = server.browser(UserRole.READER)
    assert "of at most 50<" in reader.get("/crawls/old").text
    remember(crawl, {"crawl.contact": "me@example.org", "crawl.max_bytes": 2_000_000})
    page = reader.get("/crawls/old").text
    assert "of at most 50<" not in page
    assert "of at most 2.0 MB<" in page
    (crawl / "state" / "settings.json").write_text("{")
    assert reader.get("/crawls/old").status_code == 200


def test_a_stopped_crawl_is_shown_by_its_files_alone(server: Rig, crawl: Path) -> None:
    facts = server.program(UserRole.READER).get(f"{API}/crawls/old").json()
    assert facts["summary"]["state"] == "limit reached"
    assert facts["summary"]["pages"] == 7
    page = server.browser(UserRole.READER).get("/crawls/old").text
    assert "limit reached" in page


def test_what_the_web_says_is_never_markup(server: Rig, crawl: Path) -> None:
    """Names of outcomes, notes, logs: all of it is text on every page."""
    (crawl / "log" / "keeper.log").write_text(f"2026-11-17 keeper page.failed url={HOSTILE}\n", "utf-8")
    server.parts.crawls.set_note("old", HOSTILE)
    browser = server.browser()
    for path in ("/", "/crawls/old", "/crawls/old/log", "/crawls/old/settings", "/crawls/old/reports"):
        page = browser.get(path).text
        assert "<script>alert" not in page, path
        assert "\u202e" not in page, path
        assert "\x1b" not in page, path
    assert "&lt;script&gt;alert(1)&lt;/script&gt;⟨U+202E⟩" in browser.get("/crawls/old").text


def test_no_template_has_scripts_or_styles_of_its_own() -> None:
    """The content security policy would stop them, in the browser of whoever sees it first."""
    templates = Path(__file__).parents[3] / "src" / "tiptoe" / "control" / "templates"
    for path in templates.glob("*.html"):
        text = path.read_text()
        assert "<style" not in text, path
        assert " style=" not in text, path
        assert " on" + "click=" not in text, path
        assert "| safe" not in text, path
        for part in text.split("<script")[1:]:
            assert part.startswith(' src="{{ static('), path


@pytest.mark.parametrize(
    "name", ["../crawl.json", "/etc/passwd", "requests-x.jsonl", "keeper.log/../x", "%2e%2e"]
)
def test_only_logs_of_the_crawl_can_be_read(server: Rig, crawl: Path, name: str) -> None:
    (crawl / "log" / "keeper.log").write_text("fine\n")
    (crawl / "log" / "requests-x.jsonl").write_text("{}\n")
    program = server.program(UserRole.READER)
    assert program.get(f"{API}/crawls/old/log", params={"file": name}).status_code == 404
    assert program.get(f"{API}/crawls/old/log").json() == ["fine"]
    assert server.browser(UserRole.READER).get("/crawls/old/log", params={"file": name}).status_code == 404


@pytest.mark.parametrize("kind", ["../control", "x", "stats.html"])
def test_only_known_reports_are_made(server: Rig, crawl: Path, kind: str) -> None:
    browser = server.browser()
    assert browser.get(f"/crawls/old/reports/{kind}").status_code == 404
    assert browser.post(f"/crawls/old/reports/{kind}").status_code == 404


@pytest.mark.parametrize(
    "path", ["/static/../web_app.py", "/static/%2e%2e/web_app.py", "/static/..%2fweb_app.py"]
)
def test_static_files_lie_in_their_folder(server: Rig, path: str) -> None:
    assert server.stranger().get(path).status_code == 404


# -- changing ---------------------------------------------------------------


def test_a_stopped_crawl_takes_changes_for_its_next_start(server: Rig, crawl: Path) -> None:
    browser = server.browser(UserRole.OPERATOR)
    form = {"crawl.contact": "me@example.org", "crawl.max_pages": "", "politeness.req_delay": "9s"}
    answer = browser.post("/crawls/old/settings", data=form)
    assert answer.status_code == 303
    assert server.parts.crawls.get("old").settings == {
        "crawl.max_pages": "default",
        "politeness.req_delay": 9.0,
    }
    page = browser.get("/crawls/old/settings").text
    assert "changed from its next start on: crawl.max_pages, politeness.req_delay" in page
    assert "politeness.req_delay: 5s -&gt; 9.0" in page  # in its history


def test_a_wrong_value_is_told_beside_its_field_and_changes_nothing(server: Rig, crawl: Path) -> None:
    answer = server.browser().post("/crawls/old/settings", data={"crawl.max_pages": "many"})
    assert answer.status_code == 422
    assert "expected a whole number" in answer.text
    assert server.parts.crawls.get("old").settings == {}


def test_fixed_settings_stay(server: Rig, crawl: Path) -> None:
    program = server.program()
    answer = program.put(f"{API}/crawls/old/settings", json={"settings": {"crawl.name": "other"}})
    fields = program.get(f"{API}/crawls/old/settings").json()["settings"]
    (name,) = [field for field in fields if field["name"] == "crawl.name"]
    assert name["refusal"].startswith("stays as it was")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["crawl.name"])
    assert server.parts.crawls.get("old").settings == {}


def test_a_crawl_that_does_not_run_cannot_be_paused_and_says_so(server: Rig, crawl: Path) -> None:
    program = server.program(UserRole.OPERATOR)
    for word in ("pause", "resume", "stop"):
        answer = program.post(f"{API}/crawls/old/{word}")
        assert (answer.status_code, answer.json()["detail"]) == (409, "old is not running")


def test_a_clone_has_the_seeds_and_settings_of_the_crawl(server: Rig, crawl: Path) -> None:
    answer = server.program(UserRole.OPERATOR).post(f"{API}/crawls/old/clone", json={"name": "new"})
    assert answer.status_code == 201
    made = server.parts.crawls.get("new")
    assert (made.seeds, made.settings["crawl.max_pages"]) == ("https://a.example/", 50)


# -- the pure parts ----------------------------------------------------------


@pytest.mark.parametrize("typed", ["--json", "-x", "a b", "", "http://", "a\0b", "a/b"])
def test_what_is_no_host_is_refused(typed: str) -> None:
    """A host becomes a word of a command line: it must not be an option."""
    with pytest.raises(WebProblem):
        host_typed(typed)


def test_the_address_of_a_page_stands_for_its_host() -> None:
    assert host_typed(" https://WWW.Example.CZ/a?b ") == "www.example.cz"


def test_a_form_shows_every_setting_once() -> None:
    settings, _ = load_settings({})
    assert settings is not None
    for common in (False, True):
        sections = form_sections(settings, lambda name: "", common=common)
        names = [field.name for section in sections for field in section.fields]
        assert sorted(names) == sorted(SETTINGS)


def test_choices_are_not_listed_a_second_time() -> None:
    """The field itself offers them."""
    fields = [one for section in form_sections(Settings(), lambda name: "") for one in section.fields]
    assert [one.name for one in fields if one.choices and one.bounds] == []


def test_what_a_form_gives_back_unchanged_changes_nothing() -> None:
    """Otherwise looking at a crawl and saving would change it."""
    given: dict[str, Any] = {
        "crawl.contact": "me@example.org", "scope.include": ["^www\\.", "a, b"],
        "text.languages": ["cs", "sk"],
        "crawl.max_pages": "10", "politeness.req_delay": "1m30s", "text.respect_tdm": "false",
    }  # fmt: skip
    before, errors = load_settings(given)
    assert before is not None, errors
    fields = {
        field.name: field.value
        for section in form_sections(before, lambda name: "")
        for field in section.fields
    }
    after, errors = load_settings(typed_settings(fields, SETTINGS))
    assert after is not None, errors
    assert differences(before, after, SETTINGS) == {}


def test_settings_written_for_a_start_are_read_back_the_same() -> None:
    given: dict[str, object] = {
        "crawl.contact": 'me@example.org "x" \\ ž', "scope.include": ["^a\\.b$", "č"], "crawl.max_pages": 5,
        "text.respect_tdm": False, "politeness.slow_factor": 1.5, "crawl.max_bytes": "default",
    }  # fmt: skip
    read, problems = parse_toml(to_toml_file(given))
    assert problems == []
    assert read == given


def test_every_reply_of_the_api_can_be_described_and_is_json(server: Rig, crawl: Path) -> None:
    document = server.program().get(f"{API}/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    assert json.loads(msgspec.json.encode(document)) == document
    ids = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert len(ids) == len(set(ids))


def test_metrics_are_what_prometheus_reads(server: Rig, crawl: Path) -> None:
    text = server.program(UserRole.READER).get("/metrics").text
    assert 'tiptoe_pages_total{crawl="old"} 7' in text
    assert 'tiptoe_crawl_state{crawl="old",state="limit reached"} 1' in text
    assert all(line.startswith(("#", "tiptoe_")) for line in text.splitlines())


def test_the_dashboard_asks_for_nothing_but_figures_that_there_are() -> None:
    """A panel whose figure was renamed stays empty, and nobody is told."""
    dashboard = Path(__file__).parents[3] / "docs" / "grafana-dashboard.json"
    asked = set(re.findall(r"tiptoe_\w+", dashboard.read_text(encoding="utf-8")))
    assert asked
    assert asked - set(re.findall(r"tiptoe_\w+", metrics_text([]))) == set()


# -- reports and notes, for programs -----------------------------------------


def test_a_program_has_a_report_made_and_reads_it(server: Rig, crawl: Path, monkeypatch: Any) -> None:
    def run(words: list[str], seconds: float) -> ProcessOutput:
        Path(words[words.index("--html") + 1]).write_text("<p>a page</p>")
        return ProcessOutput(0, b'{"requests": 12}', "")

    monkeypatch.setattr(server.parts.processes, "run", run)
    program = server.program(UserRole.READER)
    path = f"{API}/crawls/old/reports"
    assert program.get(f"{path}/stats").status_code == 404, "it was not made yet"
    assert program.post(f"{path}/stats").status_code == 202
    for _ in range(500):
        if not any(one["is_building"] for one in program.get(path).json()):
            break
    assert program.get(f"{path}/stats").json() == {"requests": 12}
    assert {one["kind"] for one in program.get(path).json() if one["made_at"]} == {"stats"}
    assert program.post(f"{path}/nothing").status_code == 404
    assert program.get(f"{path}/..%2Fsecret").status_code == 404
    report = program.get(f"{API}/crawls/old/hosts/www.a.example/report").json()
    assert report == {"host": "www.a.example", "html": "<p>a page</p>"}


def test_a_report_that_failed_is_not_what_a_killed_one_has_left(
    server: Rig, crawl: Path, monkeypatch: Any
) -> None:
    """Half a page of an earlier try would pass for the audit of today."""
    assert server.directory is not None
    (server.directory / "cache").mkdir(exist_ok=True)
    (server.directory / "cache" / "report-old-audit.part").write_text("<p>half a page")
    monkeypatch.setattr(
        server.parts.processes, "run", lambda words, seconds: ProcessOutput(1, b"", "the log is damaged")
    )
    program = server.program(UserRole.READER)
    assert program.post(f"{API}/crawls/old/reports/audit").status_code == 202
    for _ in range(500):
        states = {one["kind"]: one for one in program.get(f"{API}/crawls/old/reports").json()}
        if not states["audit"]["is_building"]:
            break
    assert (states["audit"]["made_at"], states["audit"]["fault"]) == (0.0, "the log is damaged")


def test_another_crawl_of_the_same_name_has_no_reports_of_the_one_before(
    server: Rig, crawl: Path, tmp_path: Path
) -> None:
    """Figures of one crawl under the name of another are worse than none."""
    assert server.directory is not None
    cache = server.directory / "cache"
    cache.mkdir(exist_ok=True)
    for name in ("report-old-stats.html", "report-old-stats.json", "hosts-old.sqlite"):
        (cache / name).write_text("{}")
    program = server.program()
    assert program.delete(f"{API}/crawls/old").status_code == 200
    other = make_crawl(tmp_path / "crawls" / "elsewhere" / "old")
    assert program.post(f"{API}/crawls/open", json={"directory": str(other)}).status_code == 201
    assert program.get(f"{API}/crawls/old/reports/stats").status_code == 404
    assert list(cache.iterdir()) == []


def test_a_crawl_that_could_not_be_checked_does_not_keep_its_name(server: Rig, monkeypatch: Any) -> None:
    """Whoever tries again a minute later must not be told that the name is taken."""

    def busy(words: list[str], **more: object) -> ProcessOutput:
        raise WebProblem(503, "the server is busy")

    with monkeypatch.context() as crowded:
        crowded.setattr(server.parts.processes, "run", busy)
        assert server.program().post(f"{API}/crawls", json=PLAN).status_code == 503
    assert server.program().post(f"{API}/crawls", json=PLAN).status_code == 201


def test_a_setting_that_is_changed_while_a_crawl_starts_is_not_lost(
    server: Rig, crawl: Path, monkeypatch: Any
) -> None:
    """A start takes seconds, and more than one person may be at work."""
    program = server.program(UserRole.OPERATOR)
    path = f"{API}/crawls/old/settings"

    def change(pages: str) -> None:
        given = {"crawl.contact": "me@example.org", "crawl.max_pages": pages}
        assert program.put(path, json={"settings": given}).status_code == 200

    change("60")
    monkeypatch.setattr(crawl_actions, "launch", lambda processes, known: change("70"))
    assert program.post(f"{API}/crawls/old/start").status_code == 200
    assert server.parts.crawls.get("old").settings == {"crawl.max_pages": 70}

    monkeypatch.setattr(crawl_actions, "launch", lambda processes, known: None)
    assert program.post(f"{API}/crawls/old/start").status_code == 200
    assert server.parts.crawls.get("old").settings == {}  # its directory remembers them


def test_a_clone_of_a_crawl_on_many_machines_is_a_crawl_of_its_own(server: Rig, crawl: Path) -> None:
    """As a member of the crawl it was made of, it would take hosts from it, under a name that is taken."""
    member = {"cluster.servers": "nats://127.0.0.1:4222", "cluster.crawl": "czech", "cluster.agent": "one"}
    remember(crawl, {"crawl.contact": "me@example.org", **member})
    program = server.program(UserRole.OPERATOR)
    assert program.post(f"{API}/crawls/old/clone", json={"name": "copy"}).status_code == 201
    assert server.parts.crawls.get("copy").settings == {"crawl.contact": "me@example.org"}


def test_settings_whose_fields_did_not_come_stay_as_they_are(server: Rig, crawl: Path) -> None:
    """A form that was sent half loaded must not set politeness back to its defaults."""
    browser, url = server.browser(UserRole.OPERATOR), "/crawls/old/settings"
    assert browser.post(url, data={"politeness.req_delay": "9s", "crawl.max_pages": "60"}).status_code == 303
    assert browser.post(url, data={"crawl.max_pages": ""}).status_code == 303
    settings = server.program().get(f"{API}{url}").json()["settings"]
    assert {one["name"]: one["value"] for one in settings if one["value"]} == {
        "crawl.contact": "me@example.org", "politeness.req_delay": "9s",
    }  # fmt: skip


def test_an_undo_leads_back_to_where_the_form_was(server: Rig, crawl: Path) -> None:
    """Whoever works on a host goes on there."""
    browser = server.browser()
    own = "/crawls/old/hosts/a.example"
    assert browser.post(f"{own}/note", data={"note": "careful"}).headers["location"] == own
    assert 'name="note" value=""' in browser.get("/crawls/old").text
    visit = PageVisit(parts=server.parts, visitor=None, path={"crawl": "old"}, form=FormData({"back": own}))
    action = ActionDone("blocked", Undo("/crawls/old/unblock", {"host": "a.example"}))
    undo = Undo("/crawls/old/unblock", {"host": "a.example", "back": own})
    assert done(visit, action) == Elsewhere(url=own, message="blocked", undo=undo)


def test_a_note_on_a_host_is_read_and_written(server: Rig, crawl: Path) -> None:
    program, reader = server.program(UserRole.OPERATOR), server.program(UserRole.READER)
    path = f"{API}/crawls/old/hosts/www.a.example/note"
    assert reader.get(path).json() == {"note": "", "user": "", "at": 0.0}
    assert reader.put(path, json={"note": "mine"}).status_code == 403
    assert program.put(path, json={"note": "x" * 2001}).status_code == 422
    assert program.put(path, json={"note": f" {HOSTILE} "}).json()["user"] == "operator"
    assert reader.get(path).json() == {"note": HOSTILE, "user": "operator", "at": NOW}
    assert server.parts.trail.read()[0].action == "host.note"


def test_few_processes_run_at_once_and_nobody_waits_for_ever() -> None:
    """Each report reads gigabytes; a server has other pages to show."""
    processes = TiptoeProcesses(at_once=0, wait_seconds=0.0)
    with pytest.raises(WebProblem, match="busy"):
        processes.run(["--version"], seconds=1)
