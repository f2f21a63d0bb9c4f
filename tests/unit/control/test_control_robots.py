"""What may a robot do, what is it told, and what is kept of what it says?"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from control_rig import Rig, rig
from starlette.testclient import TestClient

from tiptoe.control import description_spool, robot_actions
from tiptoe.control.api.api_map import OPERATIONS
from tiptoe.control.api_operation import API_ROOT
from tiptoe.control.control_store import ControlStore
from tiptoe.control.description_spool import DescriptionSpool
from tiptoe.control.pages.page_map import PAGES
from tiptoe.control.robot_commands import RobotCommands
from tiptoe.control.user_role import UserRole
from tiptoe.protocol.robot_messages import ROBOT_ROOT, CommandOutcome, DescriptionBatch, OrderedCommand
from tiptoe.write.output_kinds import CORPUS

CONFIGURATION = {"settings": {"crawl.contact": "https://example.org/bot"}, "seeds": "https://a.example/\n"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Rig]:
    with rig(tmp_path / "control") as made:
        yield made


class CallingRobot:
    """A robot without a crawl."""

    def __init__(self, server: Rig, name: str, incarnation: str = "one") -> None:
        made = server.program().post("/api/v1/robots", json={"name": name})
        assert made.status_code == 201, made.text
        self.secret = made.json()["secret"]
        self.client: TestClient = server.stranger()
        self.client.headers["Authorization"] = f"Bearer {self.secret}"
        self.incarnation = incarnation
        assert self.call("hello", machine="lab").status_code == 200

    def call(self, name: str, **message: object) -> Any:
        return self.client.post(f"{ROBOT_ROOT}/{name}", json={"incarnation": self.incarnation, **message})

    def news(self, after: int = 0, configuration: int = 0, given_until: float = 0.0) -> Any:
        answer = self.call("poll", after=after, given_until=given_until, configuration=configuration, wait=0)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def numbers(self, after: int = 0) -> list[int]:
        return [command["number"] for command in self.news(after)["commands"]]

    def settle(self, number: int, *, is_done: bool = True, message: str = "so it is") -> None:
        fate = {"number": number, "is_done": is_done, "message": message}
        assert self.call("report", fates=[fate], figures={"state": "running"}).status_code == 200


def tell(server: Rig, robot: str, verb: str, **more: object) -> list[int]:
    told = server.program(UserRole.OPERATOR).post(
        f"/api/v1/robots/{robot}/commands", json={"verb": verb, **more}
    )
    assert told.status_code == 201, told.text
    return [one["command"]["number"] for one in told.json()]


def states(server: Rig, robot: str) -> list[str]:
    return [one["state"] for one in server.program().get(f"/api/v1/robots/{robot}/commands").json()]


def page(url: str) -> dict[str, object]:
    return {
        "id": f"<urn:uuid:{url}>", "url": url, "title": "Voda", "language": "cs", "charset": "utf-8",
        "fetched_at": "2026-11-17T12:00:00Z", "last_modified": "", "depth": 1, "digest": "", "warc_file": "",
        "warc_offset": 0, "paragraphs": ["Voda teče."],
    }  # fmt: skip


def lines(server: Rig, robot: str) -> list[bytes]:
    """Return the descriptions that count, as whoever reads them finds them."""
    spool = server.parts.robots.spool
    found: list[bytes] = []
    for path in CORPUS.files(spool.directory_of(robot)):
        size = spool.committed(robot).get(f"corpus/{path.name.removesuffix('.open')}")
        found += path.read_bytes()[:size].splitlines()
    return found


# -- secrets ------------------------------------------------------------------


def test_a_secret_opens_nothing_but_the_four_calls_of_its_robot(server: Rig) -> None:
    """Whoever steals it can act as that robot, and do nothing else: no page, no operation."""
    thief = CallingRobot(server, "lab-1").client
    for pages in PAGES:
        if pages.role is not None:
            answer = thief.request(pages.method, re.sub(r"\{\w+(:\w+)?\}", "x", pages.path))
            assert answer.status_code == 401 or answer.headers["location"].startswith("/login"), pages.path
    for operation in OPERATIONS:
        path = API_ROOT + re.sub(r"\{\w+(:\w+)?\}", "lab-1", operation.path)
        assert thief.request(operation.method, path, json={}).status_code == 401, path


def test_a_token_or_a_session_is_no_robot(server: Rig) -> None:
    CallingRobot(server, "lab-1")
    for client in (server.program(), server.browser(), server.stranger()):
        assert client.post(f"{ROBOT_ROOT}/hello", json={"incarnation": "x"}).status_code == 401


def test_a_robot_sees_and_settles_only_what_is_its_own(server: Rig) -> None:
    one, other = CallingRobot(server, "lab-1"), CallingRobot(server, "lab-2")
    (number,) = tell(server, "lab-1", "pause")
    server.program().post("/api/v1/robots/lab-1/configurations", json=CONFIGURATION)

    other.settle(number, message="mine now")
    assert other.news() == {"commands": [], "configuration": None, "round": None}
    assert states(server, "lab-1") == ["waiting"]
    assert one.numbers() == [number]


def test_a_revoked_secret_lets_nobody_in_and_a_new_one_does(server: Rig) -> None:
    robot = CallingRobot(server, "lab-1")
    assert server.program().post("/api/v1/robots/lab-1/revoke").status_code == 200
    assert robot.call("poll", wait=0).status_code == 401
    assert robot.call("descriptions", number=1, pages=[page("https://a.example/")]).status_code == 401

    secret = server.program().post("/api/v1/robots/lab-1/secret").json()["secret"]
    robot.client.headers["Authorization"] = f"Bearer {secret}"
    assert robot.call("poll", wait=0).status_code == 200


def test_secrets_are_kept_as_hashes(server: Rig) -> None:
    robot = CallingRobot(server, "lab-1")
    rows = server.parts.store.rows("SELECT * FROM robot")
    assert rows
    assert not any(robot.secret in str(value) for row in rows for value in tuple(row))
    shown = server.browser().get("/robots/lab-1").text
    assert robot.secret not in shown


def test_a_robot_that_is_made_again_can_tell_that_it_was(server: Rig) -> None:
    """Versions of its configuration begin at 1 again, and the robot may have another one of that number."""
    first = CallingRobot(server, "lab-1").call("hello").json()["made_at"]
    server.program().delete("/api/v1/robots/lab-1")
    server.clock.now += 1
    again = CallingRobot(server, "lab-1")
    assert again.call("hello").json()["made_at"] > first
    assert again.call("hello").json()["made_at"] == again.call("hello").json()["made_at"]


def test_who_begins_last_under_an_id_is_the_robot(server: Rig) -> None:
    """Two that share an id would each get half of the commands."""
    old = CallingRobot(server, "lab-1", "one")
    old.client.post(f"{ROBOT_ROOT}/hello", json={"incarnation": "two"})
    assert old.call("poll", wait=0).status_code == 409
    assert old.call("report").status_code == 409
    assert old.call("descriptions", number=1).status_code == 409


def test_a_robot_that_could_not_be_removed_is_let_in_no_longer_and_can_be_removed_again(
    server: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later robot of this name must not get its commands, nor write over what it has sent."""
    robot = CallingRobot(server, "lab-1")
    tell(server, "lab-1", "start")
    robot.call("descriptions", number=1, pages=[page("https://a.example/")])

    def fail(name: str) -> None:
        raise OSError("the disk has gone")

    with monkeypatch.context() as broken:
        broken.setattr(DescriptionSpool, "forget", fail)
        assert server.program().delete("/api/v1/robots/lab-1").status_code == 500
    assert robot.call("poll", wait=0).status_code == 401
    assert server.program().delete("/api/v1/robots/lab-1").status_code == 200
    assert CallingRobot(server, "lab-1").news() == {"commands": [], "configuration": None, "round": None}
    assert lines(server, "lab-1") == []


def test_what_removed_robots_have_sent_stays_whatever_became_of_others(server: Rig) -> None:
    """Somebody may have tidied up in between."""
    spool = server.parts.robots.spool
    for number in (1, 2, 3):
        CallingRobot(server, "lab-1").call(
            "descriptions", number=1, pages=[page(f"https://{number}.example/")]
        )
        assert server.program().delete("/api/v1/robots/lab-1").status_code == 200
        if number == 2:
            shutil.rmtree(spool.directory_of("lab-1.removed-1"))
    kept = {path.name for path in spool.directory_of("x").parent.iterdir()}
    assert kept == {"lab-1.removed-1", "lab-1.removed-2"}


# -- commands -----------------------------------------------------------------


def test_a_command_is_sent_until_it_is_taken_and_its_fate_is_known_once(server: Rig) -> None:
    robot = CallingRobot(server, "lab-1")
    (number,) = tell(server, "lab-1", "block", host="WWW.Example.cz")
    assert states(server, "lab-1") == ["waiting"]
    assert robot.news()["commands"] == [
        {
            "number": number, "verb": "block", "target": "www.example.cz", "delay": 0.0, "settings": {},
            "given_at": server.clock(),
        }
    ]  # fmt: skip
    assert states(server, "lab-1") == ["sent"]
    assert robot.numbers() == [number]  # the answer was lost: once more
    assert robot.numbers(after=number) == []
    assert states(server, "lab-1") == ["taken"]
    robot.settle(number)
    robot.settle(number, is_done=False, message="a report that came late")
    assert states(server, "lab-1") == ["done"]
    assert robot.numbers() == []


def test_a_server_that_was_restored_from_a_copy_is_obeyed(server: Rig) -> None:
    """Its numbers are behind those that the robot has seen: a stop must not pass for one that was taken."""
    robot, other = CallingRobot(server, "lab-1"), CallingRobot(server, "lab-2")
    tell(server, "lab-1", "pause")
    tell(server, "lab-1", "stop")
    tell(server, "lab-2", "pause")
    found = robot.news(after=50)["commands"]
    assert [one["verb"] for one in found] == ["pause", "stop"]
    assert [one["number"] for one in found] == [51, 52]
    assert tell(server, "lab-2", "stop") == [53]
    assert len(other.numbers()) == 2  # in their order

    assert robot.numbers(after=1 << 61) == []  # nobody is believed who would use up all numbers there are
    assert tell(server, "lab-2", "start") == [54]


def test_a_restored_server_does_not_repeat_what_later_commands_have_replaced(server: Rig) -> None:
    """Its copy still holds an old unblock, which would undo the block that the robot obeys by now."""
    robot = CallingRobot(server, "lab-1")
    tell(server, "lab-1", "unblock", host="a.example")
    server.clock.now += 60
    blocked_at = server.clock()
    server.clock.now += 60
    tell(server, "lab-1", "slow", host="b.example", delay="30")

    found = robot.news(after=50, given_until=blocked_at)["commands"]
    assert [(one["number"], one["verb"]) for one in found] == [(51, "slow")]
    unblock = server.program().get("/api/v1/robots/lab-1/commands").json()[-1]
    assert unblock["state"] == "withdrawn"
    assert "give it again" in unblock["message"]


def test_each_robot_hears_a_restored_server_whoever_calls_it_first(server: Rig) -> None:
    """They have seen different numbers: what waits for one lies below its own, not above that of another."""
    ahead, behind = CallingRobot(server, "lab-1"), CallingRobot(server, "lab-2")
    tell(server, "all", "stop")

    assert ahead.numbers(after=90) == [91]
    assert behind.numbers(after=40) == [92]
    assert tell(server, "lab-1", "start") == [93]


def test_a_command_to_all_goes_to_each_and_not_to_revoked_ones(server: Rig) -> None:
    robots = [CallingRobot(server, f"lab-{number}") for number in (1, 2, 3)]
    server.program().post("/api/v1/robots/lab-3/revoke")
    numbers = tell(server, "all", "pause")
    assert [robot.numbers() for robot in robots[:2]] == [[numbers[0]], [numbers[1]]]
    assert states(server, "lab-3") == []


def test_a_command_that_waits_can_be_withdrawn_and_one_that_was_sent_cannot(server: Rig) -> None:
    robot = CallingRobot(server, "lab-1")
    first, second = tell(server, "lab-1", "stop") + tell(server, "lab-1", "start")
    program = server.program()
    assert program.post(f"/api/v1/robot-commands/{first}/withdraw").status_code == 200
    assert robot.numbers() == [second]
    program.post(f"/api/v1/robot-commands/{second}/withdraw")
    assert states(server, "lab-1") == ["sent", "withdrawn"]


@pytest.mark.parametrize(
    ("wish", "fault"),
    [
        ({"verb": "dance"}, "one of start"),
        ({"verb": "block", "host": "not a host"}, "is"),
        ({"verb": "slow", "host": "a.example", "delay_seconds": -1}, "delay"),
        ({"verb": "set"}, "at least one setting"),
        ({"verb": "set", "settings": {"crawl.out": "/etc"}}, "crawl.out"),
        ({"verb": "set", "settings": {"write.warc_level": "3"}}, "while a crawl runs"),
        ({"verb": "set", "settings": {"politeness.req_delay": "fast"}}, "politeness.req_delay"),
    ],
)
def test_a_command_that_makes_no_sense_is_refused(server: Rig, wish: dict[str, object], fault: str) -> None:
    CallingRobot(server, "lab-1")
    answer = server.program().post("/api/v1/robots/lab-1/commands", json=wish)
    assert answer.status_code == 422
    assert fault in answer.json()["detail"]
    assert states(server, "lab-1") == []


def test_settled_commands_are_forgotten_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiptoe.control.robot_commands.KEPT_MAX", 5)
    store = ControlStore(None)
    commands = RobotCommands(store)
    robot = ["lab-1"]
    for _ in range(20):
        (number,) = commands.add(robot, OrderedCommand(number=0, verb="pause"), "anna", 0.0)
        (sent,) = commands.hand_out("lab-1", number - 1, 1.0)
        commands.settle("lab-1", [CommandOutcome(number=sent.number, is_done=True)], 2.0)
    assert [one.command.number for one in commands.list_of("lab-1")] == [20, 19, 18, 17, 16]
    store.close()


# -- configuration ------------------------------------------------------------


def test_configurations_are_versions_that_one_can_go_back_to(server: Rig) -> None:
    robot = CallingRobot(server, "lab-1")
    program = server.program()
    for seeds in ("https://a.example/\n", "https://b.example/\n"):
        answer = program.post("/api/v1/robots/lab-1/configurations", json={**CONFIGURATION, "seeds": seeds})
        assert answer.status_code == 201, answer.text
    assert robot.news(configuration=1)["configuration"]["seeds"] == "https://b.example/\n"
    assert robot.news(configuration=2)["configuration"] is None
    program.post("/api/v1/robots/lab-1/go-back", json={"version": 1})
    assert robot.news(configuration=2)["configuration"]["seeds"] == "https://a.example/\n"
    history = program.get("/api/v1/robots/lab-1/configurations").json()
    assert [one["configuration"]["version"] for one in history] == [3, 2, 1]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"seeds": " "}, "seeds"),
        ({"settings": {}}, "crawl.contact"),
        ({"settings": {"crawl.contact": "https://a.example/", "crawl.out": "/etc"}}, "crawl.out"),
        ({"settings": {"crawl.contact": "https://a.example/", "no.such": "1"}}, "no.such"),
        ({"filters": {"../../etc/passwd": "x"}}, "filters"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused_by_field(
    server: Rig, change: dict[str, object], field: str
) -> None:
    CallingRobot(server, "lab-1")
    answer = server.program().post("/api/v1/robots/lab-1/configurations", json={**CONFIGURATION, **change})
    assert answer.status_code == 422
    assert field in answer.json()["errors"]


def test_settings_whose_fields_did_not_come_stay_as_they_are(server: Rig) -> None:
    """A form that was sent half loaded must not set politeness back to its defaults."""
    CallingRobot(server, "lab-1")
    browser, url = server.browser(UserRole.OPERATOR), "/robots/lab-1/configuration"
    form = {"crawl.contact": "me@example.org", "seeds": "https://a.example/"}
    assert browser.post(url, data={**form, "politeness.req_delay": "9s"}).status_code == 303
    assert browser.post(url, data=form).status_code == 303
    settings = server.parts.robots.configurations.current("lab-1").settings
    assert settings == {"crawl.contact": "me@example.org", "politeness.req_delay": "9s"}

    assert browser.post(url, data={**form, "politeness.req_delay": ""}).status_code == 303
    settings = server.parts.robots.configurations.current("lab-1").settings
    assert settings == {"crawl.contact": "me@example.org"}


def test_an_operator_keeps_what_only_an_administrator_may_set(server: Rig) -> None:
    """Else who changes a seed would close networks that others need, or open them."""
    CallingRobot(server, "lab-1")
    settings = {**CONFIGURATION["settings"], "fetch.allow_networks": ["10.0.0.0/8"]}  # type: ignore[dict-item]
    path = "/api/v1/robots/lab-1/configurations"
    assert server.program().post(path, json={**CONFIGURATION, "settings": settings}).status_code == 201
    operator = server.program(UserRole.OPERATOR)
    other = {**settings, "fetch.allow_networks": ["0.0.0.0/0"]}
    assert operator.post(path, json={**CONFIGURATION, "settings": other}).status_code == 403
    kept = operator.post(path, json={**CONFIGURATION, "seeds": "https://c.example/\n"})
    assert kept.json()["settings"]["fetch.allow_networks"] == ["10.0.0.0/8"]


def test_passwords_in_a_configuration_are_for_those_who_may_change_them(server: Rig) -> None:
    """A proxy is for administrators to set; its password is not for everybody who may look."""
    CallingRobot(server, "lab-1")
    path, proxy = "/api/v1/robots/lab-1/configurations", "http://anna:hush-hush@proxy.example:3128"
    wish = {**CONFIGURATION, "settings": {**CONFIGURATION["settings"], "fetch.proxy": proxy}}  # type: ignore[dict-item]
    assert "hush-hush" in server.program().post(path, json=wish).text
    assert "hush-hush" in server.program().get(path).text
    for role in (UserRole.READER, UserRole.OPERATOR):
        shown = server.program(role).get(path).json()[0]["configuration"]["settings"]["fetch.proxy"]
        assert shown == "http://…@proxy.example:3128"
    operator = server.program(UserRole.OPERATOR)
    assert "hush-hush" not in operator.post(path, json=CONFIGURATION).text  # which keeps the proxy
    as_shown = operator.get(path).json()[0]["configuration"]
    assert operator.post(path, json={**CONFIGURATION, "settings": as_shown["settings"]}).status_code == 201
    assert "hush-hush" not in operator.post("/api/v1/robots/lab-1/go-back", json={"version": 1}).text
    kept = server.parts.robots.configurations.current("lab-1").settings
    assert kept["fetch.proxy"] == proxy


# -- descriptions -------------------------------------------------------------


def test_a_batch_that_comes_twice_is_stored_once(server: Rig) -> None:
    robot = CallingRobot(server, "lab-1")
    for number, last in ((1, 1), (2, 2), (2, 2), (1, 2), (2, 2)):
        answer = robot.call("descriptions", number=number, pages=[page(f"https://a.example/{number}")])
        assert answer.json() == {"number": last}
    assert [line.count(b"https://a.example/") for line in lines(server, "lab-1")] == [2, 2]
    assert server.parts.robots.spool.amounts("lab-1").pages == 2
    gone = {"url": "https://a.example/1", "gone_at": "2026-11-17T12:00:00Z", "status": 404}
    robot.call("descriptions", number=3, gone=[gone])
    assert server.parts.robots.spool.amounts("lab-1").gone == 1


def test_a_robot_that_has_lost_its_journal_begins_to_count_anew(server: Rig) -> None:
    robot = CallingRobot(server, "lab-1", "one")
    robot.call("descriptions", number=1, pages=[page("https://a.example/1")])
    robot.incarnation = "two"
    assert robot.call("hello").json()["batch"] == 0
    robot.call("descriptions", number=1, pages=[page("https://a.example/2")])
    assert len(lines(server, "lab-1")) == 2


@pytest.mark.parametrize("bad", [
    {"url": "x"}, "text", 7, {**page("https://a.example/"), "paragraphs": 3},
    # One of these would keep the catalog from being built, as long as the file is there.
    {**page("https://a.example/"), "depth": 10**30}, {**page("https://a.example/"), "usability": 1e308},
])  # fmt: skip
def test_what_is_no_description_is_refused_whole(server: Rig, bad: object) -> None:
    robot = CallingRobot(server, "lab-1")
    answer = robot.call("descriptions", number=1, pages=[page("https://a.example/"), bad])
    assert answer.status_code == 422
    assert not server.parts.robots.spool.directory_of("lab-1").exists()
    assert robot.call("hello").json()["batch"] == 0


def test_a_line_in_a_description_stays_one_line(server: Rig) -> None:
    """A line end in a field must not begin another record."""
    robot = CallingRobot(server, "lab-1")
    pretty = json.dumps(page("https://a.example/\n{}"), indent=2)
    content = f'{{"incarnation":"one","number":1,"pages":[\n{pretty}]}}'
    assert robot.client.post(f"{ROBOT_ROOT}/descriptions", content=content).status_code == 200
    assert len(lines(server, "lab-1")) == 1


def test_bytes_of_a_batch_that_was_never_answered_are_cut_off(tmp_path: Path) -> None:
    """As after kill -9 between the file and the row: the robot sends it again, and it stands there once."""
    store = ControlStore(tmp_path)
    spool = DescriptionSpool(store, tmp_path)
    spool.take("lab-1", _batch(1), 0.0)
    path = spool.directory_of("lab-1") / "corpus" / "robot-00001.jsonl.open"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"half a line')
    assert spool.committed("lab-1") == {"corpus/robot-00001.jsonl": len(whole)}
    spool.take("lab-1", _batch(2), 0.0)
    assert path.read_bytes().count(b"\n") == 2
    assert b"half a line" not in path.read_bytes()
    store.close()


def test_full_files_get_their_final_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(description_spool, "FILE_BYTES_MAX", 300)
    store = ControlStore(tmp_path)
    spool = DescriptionSpool(store, tmp_path)
    for number in range(1, 6):
        spool.take("lab-1", _batch(number), 0.0)
    names = sorted(path.name for path in (spool.directory_of("lab-1") / "corpus").iterdir())
    assert names[0] == "robot-00001.jsonl"
    assert names[-1].endswith(".open")
    assert sum(path.read_bytes().count(b"\n") for path in (tmp_path / "robots/lab-1/corpus").iterdir()) == 5
    store.close()


def test_a_full_disk_is_told_and_nothing_is_taken(server: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = CallingRobot(server, "lab-1")
    monkeypatch.setattr(description_spool, "FREE_BYTES_MIN", 1 << 62)
    assert robot.call("descriptions", number=1, pages=[page("https://a.example/")]).status_code == 503
    assert robot.call("hello").json()["batch"] == 0


def _batch(number: int) -> DescriptionBatch:
    raw = msgspec.Raw(msgspec.json.encode(page(f"https://a.example/{number}")))
    return DescriptionBatch(incarnation="one", number=number, pages=[raw])


# -- pages --------------------------------------------------------------------


def test_pages_show_robots_and_what_they_said_as_text(server: Rig) -> None:
    robot = CallingRobot(server, "lab-1")
    evil = "<script>alert(1)</script>\u202e"
    robot.call("hello", machine=evil, version=evil, directory=evil)
    (number,) = tell(server, "lab-1", "pause")
    robot.numbers()
    robot.call(
        "report",
        fates=[{"number": number, "is_done": False, "message": evil}],
        figures={"state": evil, "attention": [evil]},
    )
    browser = server.browser()
    for path in ("/robots", "/robots/lab-1", "/robots/lab-1/configuration"):
        shown = browser.get(path)
        assert shown.status_code == 200
        assert "<script>alert" not in shown.text
        assert "\u202e" not in shown.text


@pytest.mark.parametrize("message", [
    {"figures": {"state": "running", "pages": 10**400}},
    {"figures": {"state": "running", "text_chars": -(10**30)}},
    {"waiting_bytes": 10**30},
    {"fates": [{"number": 10**30, "is_done": True}]},
])  # fmt: skip
def test_numbers_beyond_all_measure_are_refused_and_spoil_no_page(
    server: Rig, message: dict[str, object]
) -> None:
    """A stolen secret must not take the pages of all other robots from those who look after them."""
    assert CallingRobot(server, "lab-1").call("report", **message).status_code == 422
    for path in ("/robots", "/robots/lab-1"):
        assert server.browser().get(path).status_code == 200


def test_no_number_in_a_request_is_too_long_for_an_answer(server: Rig) -> None:
    """What nobody can mean is told, and is no fault of the server."""
    CallingRobot(server, "lab-1")
    program, browser, much = server.program(), server.browser(), 10**30
    answers = [
        program.get(f"/api/v1/robots/lab-1/commands?before={much}"),
        program.post("/api/v1/robots/lab-1/go-back", json={"version": much}),
        *(browser.post("/account/tokens", data={"name": "x", "role": "reader", "days": days})
          for days in ("\N{SUPERSCRIPT TWO}", str(much), "-1", "soon")),
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == [422] * len(answers)


def test_the_empty_page_says_what_to_do(server: Rig) -> None:
    assert "No robot yet" in server.browser().get("/robots").text


def test_a_robot_is_made_configured_told_and_removed_in_the_browser(server: Rig) -> None:
    browser = server.browser()
    made = browser.post("/robots", data={"name": "lab-1", "note": "in the cellar"}).text
    assert "tiptoe robot --control http://127.0.0.1:8900 --id lab-1 --secret-file lab-1.secret" in made
    secret = re.search(r"tiptoerobot_[\w-]+", made)
    assert secret is not None
    assert secret[0] not in browser.get("/robots/lab-1").text
    wrong = browser.post("/robots/lab-1/configuration", data={"seeds": ""})
    assert wrong.status_code == 422
    assert "at least one address" in wrong.text
    given = {"seeds": "https://a.example/", "crawl.contact": "https://example.org/bot"}
    assert browser.post("/robots/lab-1/configuration", data=given).status_code == 303
    assert browser.post("/robots/lab-1/command", data={"verb": "start"}).status_code == 303
    shown = browser.get("/robots/lab-1").text
    assert "waiting" in shown
    assert "Withdraw" in shown
    number = server.parts.robots.commands.list_of("lab-1")[0].command.number
    assert browser.post("/robots/lab-1/withdraw", data={"number": str(number)}).status_code == 303
    assert browser.post("/robots/lab-1/revoke").status_code == 303
    assert "revoked" in browser.get("/robots").text
    assert browser.post("/robots/lab-1/remove").status_code == 303
    assert "No robot yet" in browser.get("/robots").text


def test_an_undo_never_makes_faster_than_before(server: Rig) -> None:
    """A webmaster may have asked for a pause: a second thought of an operator must not take it away."""
    CallingRobot(server, "lab-1")
    browser = server.browser(UserRole.OPERATOR)

    def undo(verb: str, robot: str = "lab-1", **more: str) -> dict[str, str]:
        server.clock.now += 60
        form = {"verb": verb, "host": "a.example", **more}
        answer = browser.post(f"/robots/{robot}/command", data=form)
        notice = browser.get(answer.headers["location"]).text.partition('class="notice"')[2]
        fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', notice.partition("</div>")[0])
        return {name: value for name, value in fields if name != "csrf"}

    assert undo("slow", delay="60s") == {"verb": "slow", "host": "a.example", "delay": "0s"}
    assert undo("slow", delay="90s") == {"verb": "slow", "host": "a.example", "delay": "60s"}
    assert undo("slow", delay="90s") == {}
    assert undo("block") == {"verb": "unblock", "host": "a.example"}
    assert undo("block") == {}
    assert undo("slow", robot="all", delay="5s") == {}
    assert undo("pause") == {"verb": "resume"}


def test_no_robot_can_be_called_all(server: Rig) -> None:
    answer = server.program().post("/api/v1/robots", json={"name": robot_actions.ALL})
    assert answer.status_code == 422
