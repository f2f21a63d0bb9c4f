"""Are filters shown, checked, kept and explained to those who may, and can none reach beyond its crawl?"""

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from control_rig import NOW, Rig, make_crawl, rig

from tiptoe.control.crawl_launch import check_plan
from tiptoe.control.filter_files import FILE_CHARS_MAX, filters_folder, keep_files, kept_files
from tiptoe.control.page_fetches import PageFetches
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.filters.default_set import default_files
from tiptoe.filters.definition import to_lines
from tiptoe.filters.filter_directory import read_robot
from tiptoe.keeper.settings_file import remember

API = "/api/v1/crawls/old"
PAGE = "/crawls/old/filters"
HOSTILE = "</textarea><script>alert(1)</script>\u202e"

FILTER_CONF = """\
<Filter name="enumeration-default">
    Setup fn=filterrules-setup config=filterrules.conf
    MetaData fn=filter-by-exact src=host deny=private.example
    MetaData fn=filterrules-process
    Enumerate fn=enumerate-urls max=1024 type=text/html
</Filter>
<Filter name="generation-default">
    MetaData fn=filter-by-exact src=host deny=private.example
    Data fn=filter-by-exact src=content-type deny=application/pdf
    Generate fn=extract-full-text
</Filter>
"""
FILES = {"filter.conf": FILTER_CONF, "filterrules.conf": default_files()["filterrules.conf"]}
WRONG = FILTER_CONF.replace("fn=filterrules-process", "fn=no-such-function")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Rig]:
    with rig(tmp_path / "control", roots=(tmp_path / "crawls",)) as made:
        yield made


@pytest.fixture
def crawl(server: Rig, tmp_path: Path) -> Path:
    """A crawl that was stopped, and has gone by filters from elsewhere."""
    directory = make_crawl(tmp_path / "crawls" / "old")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name, text in FILES.items():
        (elsewhere / name).write_text(text)
    lines = to_lines(read_robot(elsewhere).definition)
    remember(directory, {"crawl.contact": "me@example.org", "filters.definition": lines})
    server.parts.crawls.open(directory, NOW)
    return directory


# -- what is shown ----------------------------------------------------------


def test_the_filters_in_force_are_shown_with_the_line_that_each_comes_from(server: Rig, crawl: Path) -> None:
    view = server.program(UserRole.READER).get(f"{API}/filters").json()
    enumeration = [line for line in view["lines"] if line["kind"] == "enumeration"]
    assert [(line["phase"], line["place"]) for line in enumeration] == [
        ("Setup", "filter.conf:2"), ("MetaData", "filter.conf:3"), ("MetaData", "filter.conf:4"),
        ("Enumerate", "filter.conf:5"),
    ]  # fmt: skip
    assert set(view["files"]) == {"filter.conf", "filterrules.conf"}  # made of what is remembered
    assert not view["is_kept"]
    page = server.browser(UserRole.READER, "eva").get(PAGE).text
    assert "filter.conf:4" in page
    assert "Save for the next start" not in page  # a reader looks


def test_a_crawl_without_filters_offers_a_set_to_start_from(server: Rig, crawl: Path) -> None:
    remember(crawl, {"crawl.contact": "me@example.org"})
    browser = server.browser(UserRole.OPERATOR)
    assert "Start from a set of filters" in browser.get(PAGE).text
    page = browser.get(f"{PAGE}?new=1").text
    assert "filterrules-setup" in page
    assert kept_files(crawl) == {}


def test_hostile_text_in_files_stays_text(server: Rig, crawl: Path) -> None:
    browser = server.browser(UserRole.OPERATOR)
    form = {"file/filter.conf": f"{FILTER_CONF}# {HOSTILE}\n{HOSTILE}", "file/mime.types": HOSTILE}
    page = browser.post(f"{PAGE}/check", data=form)
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "\u202e" not in page.text
    assert "&lt;/textarea&gt;&lt;script&gt;" in page.text


# -- checking and keeping ---------------------------------------------------


def test_a_check_tells_errors_and_warnings_by_line_and_keeps_nothing(server: Rig, crawl: Path) -> None:
    program = server.program(UserRole.READER)
    process = '<Process csid="x">\n    loglevel=1\n</Process>\n'
    wish = {"files": {**FILES, "filter.conf": WRONG, "process.conf": process}}
    found = program.post(f"{API}/filters/check", json=wish).json()["findings"]
    places = {(one["file"], one["line"], one["is_error"]) for one in found}
    assert ("filter.conf", 4, True) in places
    assert ("process.conf", 2, False) in places
    assert not filters_folder(crawl).exists()


def test_kept_files_hold_from_the_next_start_on(server: Rig, crawl: Path) -> None:
    program = server.program(UserRole.OPERATOR)
    done = program.put(f"{API}/filters", json={"files": FILES}).json()
    folder = crawl / "filters"
    assert done["command"] == f"tiptoe crawl --filters {folder} --out {crawl}"
    assert kept_files(crawl) == FILES
    known = server.parts.crawls.get("old")
    assert known.settings == {"filters.dir": str(folder)}  # what a start from here goes by
    assert check_plan(server.parts.processes, known) == ""
    assert server.parts.trail.read()[0].action == "filters.keep"
    view = program.get(f"{API}/filters").json()
    assert (view["is_kept"], view["is_pending"]) == (True, True)


def test_without_files_the_next_start_goes_by_no_filters(server: Rig, crawl: Path) -> None:
    program = server.program(UserRole.OPERATOR)
    program.put(f"{API}/filters", json={"files": FILES})
    assert program.put(f"{API}/filters", json={"files": {}}).status_code == 200
    assert not filters_folder(crawl).exists()
    known = server.parts.crawls.get("old")
    assert known.settings == {"filters.definition": "default"}
    assert check_plan(server.parts.processes, known) == ""


def test_files_with_errors_are_not_kept_and_stay_in_the_form(server: Rig, crawl: Path) -> None:
    browser = server.browser(UserRole.OPERATOR)
    browser.post(PAGE, data={f"file/{name}": text for name, text in FILES.items()})
    answer = browser.post(PAGE, data={"file/filter.conf": f"# mine\r\n{WRONG}"})
    assert answer.status_code == 422
    assert "nothing was kept" in answer.text
    assert "# mine" in answer.text
    assert 'id="filter.conf-5"' in answer.text
    assert kept_files(crawl) == FILES


def test_other_files_in_the_directory_stay(crawl: Path) -> None:
    keep_files(crawl, FILES)
    (filters_folder(crawl) / "notes.txt").write_text("mine\n")
    long = "https://a.example/\n" * 60_000
    (filters_folder(crawl) / "downlist.txt").write_text(long)
    keep_files(crawl, {"filter.conf": "other\n"})
    assert kept_files(crawl) == {"filter.conf": "other\n"}
    assert (filters_folder(crawl) / "notes.txt").exists()
    assert (filters_folder(crawl) / "downlist.txt").read_text() == long, "too long to be edited here"
    assert [path.name for path in crawl.glob(".filters*")] == []


KILLED = """
import os, sys
from pathlib import Path
from tiptoe.control.filter_files import keep_files

rename = Path.rename
def killed(path, target):
    if sys.argv[2] in f"{path.name} {target.name}":
        os._exit(9)
    return rename(path, target)
Path.rename = killed
keep_files(Path(sys.argv[1]), {"filter.conf": "after\\n"})
"""


@pytest.mark.parametrize("killed_at", ["going", "coming"])
def test_kill_9_while_files_are_kept_leaves_those_before_or_those_after(crawl: Path, killed_at: str) -> None:
    """A crawl without its filters would fetch what they deny, or not start."""
    before, after = {"filter.conf": "before\n"}, {"filter.conf": "after\n"}
    keep_files(crawl, before)
    killed = subprocess.run([sys.executable, "-c", KILLED, crawl, killed_at], check=False, timeout=60)
    assert killed.returncode == 9
    assert kept_files(crawl) == (before if killed_at == "going" else after)
    keep_files(crawl, before)
    assert kept_files(crawl) == before


def test_a_reader_keeps_nothing(server: Rig, crawl: Path) -> None:
    program, browser = server.program(UserRole.READER), server.browser(UserRole.READER, "eva")
    assert program.put(f"{API}/filters", json={"files": FILES}).status_code == 403
    assert browser.post(PAGE, data={"file/filter.conf": FILTER_CONF}).status_code == 403
    sent = {"files": ("filter.conf", FILTER_CONF.encode())}
    assert browser.post(f"{PAGE}/upload", files=sent).status_code == 403
    assert not filters_folder(crawl).exists()


# -- nothing reaches beyond the crawl ---------------------------------------


@pytest.mark.parametrize("name", ["../crawl.json", "/etc/passwd", "crawl.toml", "filter.conf\0", ""])
def test_no_name_from_outside_becomes_a_path(server: Rig, crawl: Path, name: str) -> None:
    program = server.program(UserRole.OPERATOR)
    answer = program.put(f"{API}/filters", json={"files": {**FILES, name: "x"}})
    assert answer.status_code == 422
    assert not filters_folder(crawl).exists()


def test_an_upload_goes_by_the_four_names_alone(server: Rig, crawl: Path) -> None:
    browser = server.browser(UserRole.OPERATOR)
    sent = [("files", (name, text.encode())) for name, text in FILES.items()]
    assert browser.post(f"{PAGE}/upload", files=sent).status_code == 303
    assert kept_files(crawl) == FILES
    answer = browser.post(f"{PAGE}/upload", files=[("files", ("../../evil.conf", b"x"))])
    assert answer.status_code == 422
    assert browser.get(f"{PAGE}/files/filter.conf").text == FILTER_CONF
    for name in ("crawl.json", "..%2fcrawl.json", "downlist.txt"):
        assert browser.get(f"{PAGE}/files/{name}").status_code == 404


def test_too_large_files_are_refused(server: Rig, crawl: Path) -> None:
    large = "#" * (FILE_CHARS_MAX + 1)
    answer = server.program(UserRole.OPERATOR).put(f"{API}/filters", json={"files": {"mime.types": large}})
    assert "more than" in answer.json()["errors"]["mime.types"]
    browser = server.browser(UserRole.OPERATOR, "eva")
    sent = {"files": ("mime.types", large.encode())}
    assert browser.post(f"{PAGE}/upload", files=sent).status_code == 422
    assert not filters_folder(crawl).exists()


@pytest.mark.parametrize(
    ("process", "said"),
    [
        ("cmd-hook=/bin/touch", "crawl.on_end_command names a file, a program"),
        ("auto-proxy=proxy.example:3128", "takes an administrator"),
    ],
)
def test_a_file_asks_for_no_setting_that_its_sender_may_not_change(
    server: Rig, crawl: Path, process: str, said: str
) -> None:
    """process.conf can name programs to run and proxies to use: what a form may not do, a file may not."""
    files = {**FILES, "process.conf": f'<Process csid="x">\n    {process}\n</Process>\n'}
    answer = server.program(UserRole.OPERATOR).put(f"{API}/filters", json={"files": files})
    assert answer.status_code == 422
    assert said in answer.json()["errors"]["process.conf:2"]


@pytest.mark.parametrize("name", ["/etc/filterrules.conf", "../state/filterrules.conf"])
def test_a_file_names_no_file_elsewhere(server: Rig, crawl: Path, name: str) -> None:
    files = {**FILES, "filter.conf": FILTER_CONF.replace("config=filterrules.conf", f"config={name}")}
    answer = server.program(UserRole.OPERATOR).put(f"{API}/filters", json={"files": files})
    assert "only files beside this one" in answer.json()["errors"]["filter.conf:2"]


def test_a_link_in_place_of_a_file_or_of_the_directory_is_not_followed(crawl: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    keep_files(crawl, FILES)
    (filters_folder(crawl) / "mime.types").symlink_to(secret)
    assert "mime.types" not in kept_files(crawl)
    folder = filters_folder(crawl)
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    with pytest.raises(WebProblem, match="no directory of ours"):
        keep_files(crawl, {})
    assert (tmp_path / "moved" / "filter.conf").exists()


# -- the simulator ----------------------------------------------------------


def test_the_simulator_names_the_line_that_decides_in_each_chain(server: Rig, crawl: Path) -> None:
    """By what the crawl remembers, with a page: links and description, too."""
    html = "<title>Ships</title><p>Text.</p><a href=/a>a</a><a href=/b.zip>b</a>"
    wish = {"url": "https://a.example/x", "html": html, "type": "application/pdf", "by": "crawl"}
    told = server.program(UserRole.READER).post(f"{API}/filters/explain", json=wish).json()
    enumeration, generation = told["chains"]
    assert told["verdict"] == "requested"
    assert (enumeration["verdict"], enumeration["place"]) == ("allowed", "")
    assert (generation["verdict"], generation["phase"], generation["place"]) == (
        "denied", "Data", "filter.conf:9",
    )  # fmt: skip


def test_a_result_of_the_simulator_can_be_linked_to(server: Rig, crawl: Path) -> None:
    browser = server.browser(UserRole.READER)
    form = {"url": "https://private.example/<b>", "depth": "2", "type": "", "by": "crawl"}
    answer = browser.post(f"{PAGE}/simulator", data=form)
    assert answer.status_code == 303
    page = browser.get(answer.headers["location"])
    assert page.status_code == 200
    assert "Both filters deny it by its address" in page.text
    assert "filter.conf:3" in page.text
    assert "<b>" not in page.text.partition("h-verdict")[2]


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({"url": "--help"}, "url"),
        ({"url": "https://a.example/", "depth": -1}, "depth"),
        ({"url": "https://a.example/", "type": "--html=/etc/passwd"}, "type"),
        ({"url": "https://a.example/", "html": "x" * 2_000_001}, "html"),
        ({"url": "https://a.example/", "by": "/etc"}, "by"),
    ],
)
def test_what_the_simulator_cannot_take_is_said_by_field(
    server: Rig, crawl: Path, wish: dict[str, object], field: str
) -> None:
    answer = server.program(UserRole.READER).post(f"{API}/filters/explain", json=wish)
    assert answer.status_code == 422
    assert field in answer.json()["errors"]


# -- a page that is fetched -------------------------------------------------


def test_only_operators_have_a_page_fetched(server: Rig, crawl: Path) -> None:
    wish = {"url": "http://127.0.0.1:9/", "by": "crawl", "fetch": True}
    assert server.program(UserRole.READER).post(f"{API}/filters/explain", json=wish).status_code == 403
    assert "Fetch the page" not in server.browser(UserRole.READER).get(f"{PAGE}/simulator").text
    told = server.program(UserRole.OPERATOR).post(f"{API}/filters/explain", json=wish).json()
    assert "private network" in told["fetched"]["hindrance"]  # as the settings of the crawl have it
    assert [chain["verdict"] for chain in told["chains"]] == ["allowed", "allowed"]
    (noted, *_) = server.parts.trail.read()
    assert (noted.action, noted.detail) == ("filters.fetch", "http://127.0.0.1:9/")


def test_why_a_page_was_not_fetched_stands_on_the_page(server: Rig, crawl: Path) -> None:
    form = {"url": "http://127.0.0.1:9/<b>", "by": "crawl", "fetch": "on"}
    page = server.browser(UserRole.OPERATOR).post(f"{PAGE}/simulator", data=form)
    assert page.status_code == 200
    assert "Not fetched: 127.0.0.1: the name points into a private network" in page.text
    assert "<b>" not in page.text.partition("h-verdict")[2]


class _OnePage(BaseHTTPRequestHandler):
    """Has one page, and no rules."""

    def do_GET(self) -> None:
        is_there = self.path == "/ships"
        self.send_response(200 if is_there else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"</textarea><title>Ships</title><a href=/x>x</a>" if is_there else b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_fetched_page_is_judged_and_stays_to_be_tried_again(server: Rig) -> None:
    """Its server is left alone for minutes after that; nobody who tries filters wants to wait so long."""
    settings = {
        "crawl.contact": "me@example.org", "crawl.rehearsal": "true", "text.respect_tdm": "false",
        "fetch.allow_networks": ["127.0.0.0/8"], "politeness.req_delay": "10ms",
    }  # fmt: skip
    made = server.parts.crawls.plan("news", NOW, settings=settings, seeds="https://a.example/")
    keep_files(made.directory, FILES)
    with ThreadingHTTPServer(("127.0.0.1", 0), _OnePage) as site:
        serving = threading.Thread(target=site.serve_forever, args=[0.01])
        serving.start()
        form = {"url": f"http://127.0.0.1:{site.server_port}/ships", "by": "files", "fetch": "on"}
        page = server.browser(UserRole.OPERATOR).post("/crawls/news/filters/simulator", data=form).text
        site.shutdown()
        serving.join()
    assert "200, text/html" in page
    assert "Followed links: 1" in page
    assert "&lt;/textarea&gt;&lt;title&gt;Ships&lt;/title&gt;" in page
    assert "data-slow checked" not in page


def test_a_page_is_either_described_or_fetched(server: Rig, crawl: Path) -> None:
    wish = {"url": "http://127.0.0.1:9/", "by": "crawl", "fetch": True, "type": "text/html"}
    answer = server.program(UserRole.OPERATOR).post(f"{API}/filters/explain", json=wish)
    assert "fetch" in answer.json()["errors"]


def test_pages_are_fetched_one_at_a_time_and_not_often() -> None:
    fetches = PageFetches()
    with fetches.turn(NOW), pytest.raises(WebProblem, match="another page"), fetches.turn(NOW):
        pass
    for _ in range(9):
        with fetches.turn(NOW):
            pass
    with pytest.raises(WebProblem, match="the next one in 120 s"), fetches.turn(NOW):
        pass
    with fetches.turn(NOW + 121.0):
        pass


def test_a_planned_crawl_gets_filters_before_its_first_start(server: Rig) -> None:
    """Its directory is not there yet; that files lie in it keeps nobody from starting it."""
    settings = {"crawl.contact": "me@example.org"}
    made = server.parts.crawls.plan("news", NOW, settings=settings, seeds="https://a.example/")
    program = server.program(UserRole.OPERATOR)
    answer = program.put("/api/v1/crawls/news/filters", json={"files": FILES})
    assert answer.status_code == 200
    assert kept_files(made.directory) == FILES
    assert check_plan(server.parts.processes, server.parts.crawls.get("news")) == ""


def test_a_downlist_is_kept_beside_the_filters_and_its_lines_are_looked_at(server: Rig, crawl: Path) -> None:
    program = server.program(UserRole.OPERATOR)
    listed = "# theirs\nhttps://a.example/1\t17.0\tx\tlab\nno address\n"
    found = program.post(f"{API}/filters/check", json={"files": {**FILES, "downlist.txt": listed}}).json()
    mine = [one for one in found["findings"] if one["file"] == "downlist.txt"]
    assert [(one["line"], one["is_error"]) for one in mine] == [(3, False)]
    files = {**FILES, "downlist.txt": listed}
    assert program.put(f"{API}/filters", json={"files": files}).status_code == 200
    assert (crawl / "filters" / "downlist.txt").read_text() == listed
    assert read_robot(crawl / "filters").downlist == crawl / "filters" / "downlist.txt"
    browser = server.browser(UserRole.OPERATOR, user="somebody")
    assert browser.get("/crawls/old/filters/files/downlist.txt").text == listed
    assert 'name="file/downlist.txt"' in browser.get("/crawls/old/filters").text
