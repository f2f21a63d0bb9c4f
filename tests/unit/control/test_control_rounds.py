"""Do robots tell one after the other, and does each get what the others have?"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from control_rig import Rig, rig
from test_control_robots import CallingRobot

from tiptoe.control.robot_round import TURN_SECONDS, RobotRound
from tiptoe.protocol.robot_messages import RoundCall


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Rig]:
    with rig(tmp_path / "control") as made:
        yield made


def test_robots_tell_in_the_order_of_their_ids_and_take_when_all_have_told() -> None:
    turn = RobotRound(7, ["b", "a"], 0.0)
    assert turn.call("b", told=0, taken=0) is None
    assert turn.call("a", told=0, taken=0) == RoundCall(number=7, step="tell")
    assert turn.call("a", told=7, taken=0) is None  # it is at it
    assert not turn.note_told("b", 1.0)
    assert turn.note_told("a", 1.0)
    assert turn.teller == "b"
    assert turn.note_told("b", 2.0)
    assert turn.is_merging
    turn.note_merged()
    assert turn.call("a", told=7, taken=0) == RoundCall(number=7, step="take")
    assert turn.call("a", told=7, taken=7) is None


def test_a_robot_that_is_away_or_too_slow_is_passed_over() -> None:
    turn = RobotRound(7, ["a", "b", "c"], 0.0)
    assert turn.pass_over(1.0, is_there=False)
    assert not turn.pass_over(TURN_SECONDS, is_there=True)
    assert turn.pass_over(TURN_SECONDS + 1.0, is_there=True)
    assert turn.note_told("c", TURN_SECONDS + 2.0)
    assert turn.is_merging
    turn.note_merged()
    assert (turn.told, turn.missed) == (["c"], ["a", "b"])
    assert turn.call("a", told=0, taken=0) is None  # it has not said what it has: next time


def listed(robot: str, *urls: str, at: float = 5.0) -> str:
    head = f"# tiptoe downlist 1\trobot={robot}\tmark=9.000\texchange=0\n"
    return head + "".join(f"{url}\t{at:.3f}\t\t{robot}\n" for url in urls)


def tell(robot: CallingRobot, name: str, content: str) -> None:
    request = robot.news()["round"]
    assert request["step"] == "tell", request
    half = content.index("\n") + 1
    parts = [(0, content[:half], False), (half, content[half:], True)]
    for offset, part, is_last in parts:
        answer = robot.call("list", round=request["number"], offset=offset, content=part, is_last=is_last)
        assert answer.json() == {"is_wanted": True}, answer.text


@pytest.fixture
def robots(server: Rig) -> dict[str, CallingRobot]:
    """Two robots that crawl, and rounds once a minute."""
    made = {name: CallingRobot(server, name) for name in ("lab-1", "lab-2")}
    for robot in made.values():
        assert robot.call("report", runs_with=1, figures={"state": "running"}).status_code == 200
    server.program().put("/api/v1/robot-rounds", json={"every_seconds": 60.0})
    server.parts.robots.rounds.turn(server.clock())
    return made


def test_each_robot_gets_what_the_others_have(server: Rig, robots: dict[str, CallingRobot]) -> None:
    one, two = robots["lab-1"], robots["lab-2"]
    assert two.news()["round"] is None  # not its turn
    tell(one, "lab-1", listed("lab-1", "https://a.example/1", "https://a.example/both", at=3.0))
    tell(two, "lab-2", listed("lab-2", "https://a.example/2", "https://a.example/both"))
    server.parts.robots.rounds.turn(server.clock())

    for robot, others in (
        (one, ["https://a.example/2"]),
        (two, ["https://a.example/1", "https://a.example/both"]),
    ):
        request = robot.news()["round"]
        assert request["step"] == "take"
        part = robot.call("merged", round=request["number"]).json()
        assert part["is_last"]
        found = [line.split("\t")[0] for line in part["content"].splitlines() if not line.startswith("#")]
        assert found == others
    facts = server.program().get("/api/v1/robot-rounds").json()
    assert (facts["addresses"], facts["twice"], facts["fault"]) == (3, 1, "")
    assert one.news()["round"] is None


@pytest.mark.parametrize("way", ["revoke", "remove"])
def test_what_a_robot_claimed_that_is_here_no_longer_is_free_for_others(
    server: Rig, robots: dict[str, CallingRobot], way: str
) -> None:
    """Else nobody would ever download it: each would take it for the page of a robot that is gone."""
    robots["lab-3"] = CallingRobot(server, "lab-3")
    tell(robots["lab-1"], "lab-1", listed("lab-1", "https://a.example/claimed", at=0.0))
    tell(robots["lab-2"], "lab-2", listed("lab-2", "https://a.example/2"))
    server.parts.robots.rounds.turn(server.clock())
    assert server.program().get("/api/v1/robot-rounds").json()["addresses"] == 2

    path = "/api/v1/robots/lab-1"
    gone = server.program().delete(path) if way == "remove" else server.program().post(f"{path}/revoke")
    assert gone.status_code == 200
    server.clock.now += 61
    for name in ("lab-2", "lab-3"):
        robots[name].call("report", runs_with=1, figures={"state": "running"})
    server.parts.robots.rounds.turn(server.clock())
    for name in ("lab-2", "lab-3"):
        tell(robots[name], name, listed(name))
    server.parts.robots.rounds.turn(server.clock())
    assert server.program().get("/api/v1/robot-rounds").json()["addresses"] == 1


def test_a_robot_cannot_speak_for_another_one(server: Rig, robots: dict[str, CallingRobot]) -> None:
    tell(robots["lab-1"], "lab-1", listed("lab-2", "https://a.example/never-asked-for"))
    tell(robots["lab-2"], "lab-2", listed("lab-2", "https://a.example/2"))
    server.parts.robots.rounds.turn(server.clock())
    assert server.program().get("/api/v1/robot-rounds").json()["addresses"] == 1


def test_a_list_that_makes_no_sense_holds_up_nobody(server: Rig, robots: dict[str, CallingRobot]) -> None:
    tell(robots["lab-1"], "lab-1", "no list at all\nbut some words\n")
    tell(robots["lab-2"], "lab-2", listed("lab-2", "https://a.example/2"))
    server.parts.robots.rounds.turn(server.clock())
    assert server.program().get("/api/v1/robot-rounds").json()["addresses"] == 1
    assert robots["lab-2"].news()["round"]["step"] == "take"


def test_a_list_that_was_damaged_on_the_server_is_told_again(
    server: Rig, robots: dict[str, CallingRobot], tmp_path: Path
) -> None:
    """A robot takes what it has told for known once it is given the merged list: others would never hear."""
    tell(robots["lab-1"], "lab-1", listed("lab-1", "https://a.example/1"))
    tell(robots["lab-2"], "lab-2", listed("lab-2", "https://a.example/2"))
    (tmp_path / "control" / "rounds" / "list-lab-1").write_bytes(b"\0" * 80)
    server.parts.robots.rounds.turn(server.clock())
    facts = server.program().get("/api/v1/robot-rounds").json()
    assert (facts["told"], facts["missed"]) == (["lab-2"], ["lab-1"])
    assert robots["lab-1"].news()["round"] is None

    server.clock.now += 61
    for robot in robots.values():
        robot.call("report", runs_with=1, figures={"state": "running"})
    server.parts.robots.rounds.turn(server.clock())
    tell(robots["lab-1"], "lab-1", listed("lab-1", "https://a.example/1"))
    tell(robots["lab-2"], "lab-2", listed("lab-2"))
    server.parts.robots.rounds.turn(server.clock())
    assert server.program().get("/api/v1/robot-rounds").json()["addresses"] == 2


def test_a_part_out_of_turn_or_with_a_gap_is_not_taken(server: Rig, robots: dict[str, CallingRobot]) -> None:
    number = robots["lab-1"].news()["round"]["number"]
    late = robots["lab-2"].call("list", round=number, offset=0, content="x", is_last=True)
    assert late.json() == {"is_wanted": False}
    assert robots["lab-1"].call("list", round=number, offset=0, content="x\n").status_code == 200
    assert robots["lab-1"].call("list", round=number, offset=99, content="x").status_code == 409
    assert robots["lab-1"].call("merged", round=number).status_code == 409


def test_without_rounds_or_with_one_robot_nothing_is_exchanged(server: Rig) -> None:
    robot = CallingRobot(server, "lab-1")
    robot.call("report", runs_with=1, figures={"state": "running"})
    server.program().put("/api/v1/robot-rounds", json={"every_seconds": 60.0})
    server.parts.robots.rounds.turn(server.clock())
    assert robot.news()["round"] is None
    assert server.program().put("/api/v1/robot-rounds", json={"every_seconds": -1}).status_code == 422
