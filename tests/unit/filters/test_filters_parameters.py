"""Every parameter of process.conf: honoured, or told by name, line and reason."""

import pytest
from filter_samples import define

from tiptoe.filters.definition import RobotDefinition
from tiptoe.filters.definition_check import check_definition
from tiptoe.filters.filter_problem import FilterFindings
from tiptoe.filters.process_file import read_process
from tiptoe.filters.process_parameters import ALIASES, PARAMETERS
from tiptoe.settings.layers import Settings

Seen = tuple[dict[str, str], list[str], list[str]]


def judge(*lines: str) -> Seen:
    """Return the settings that parameters ask for, and the errors and warnings they cause."""
    findings, definition = FilterFindings(), RobotDefinition()
    text = "\n".join(["<Process>", *lines, "</Process>"])
    read_process(text, "process.conf", definition, findings)
    _, wanted = check_definition(definition, (), findings)
    return (
        {setting.name: setting.value for setting in wanted},
        [str(error) for error in findings.errors],
        [str(warning) for warning in findings.warnings],
    )


HONOURED = [
    ("csid=x-catalog://a.example:8080/harbour", {}),
    ("auto-proxy=http://127.0.0.1:3128", {"fetch.proxy": "http://127.0.0.1:3128"}),
    (
        "auto-proxy=http://p:1 auto_serv=http://p:1 proxy-type=auto proxy-loc=server",
        {"fetch.proxy": "http://p:1"},
    ),
    ("auto-proxy=http://p:1 proxy-type=none", {}),
    ("proxy-type=manual", {}),
    ("proxy-loc=server", {}),
    ("connect-timeout=60", {"fetch.connect_timeout": "60s"}),
    ("convert-timeout=30", {"documents.timeout": "30s"}),
    ("depth=-1", {}),
    ("depth=0", {}),
    ("email=me@example.org", {"crawl.contact": "me@example.org"}),
    ("enable-ip=no", {}),
    ("enable-rdm-probe=false", {}),
    ("enable-robots-txt=yes", {}),
    ("max-concurrent=8", {"harvest.transfers": "8"}),
    ("max-filesize-kb=4096", {"fetch.body_max": str(4096 * 1024)}),
    ("max-working=1024", {"harvest.visits": "1024"}),
    ("cmd-hook=/opt/bin/cmdHook1", {"crawl.on_end_command": "/opt/bin/cmdHook1"}),
    ("onCompletion=quit", {"crawl.on_end": "quit"}),
    ("onCompletion=shutdown", {"crawl.on_end": "quit"}),
    ("onCompletion=loop", {"crawl.on_end": "again"}),
    ("onCompletion=idle", {"crawl.on_end": "idle"}),
    ("username=anonymous", {}),
    ("remote-access=no", {}),
    ("server-delay=30", {"politeness.req_delay": "30s"}),
    ("site-max-concurrent=2", {}),
    ("smart-host-heuristics=false", {}),
    ("user-agent=HarbourRobot", {"crawl.name": "HarbourRobot"}),
]


@pytest.mark.parametrize(("line", "expected"), HONOURED, ids=[line.partition("=")[0] for line, _ in HONOURED])
def test_what_is_honoured_needs_no_word(line: str, expected: dict[str, str]) -> None:
    assert judge(line) == (expected, [], [])


NOT_HONOURED = [
    "bindir=/opt/bin", "command-port=21500", "enable-rdm-probe=yes",
    "engine-concurrent=10", "index-after-ngenerated=30", "loglevel=1", "max-memory-per-url=1",
    "referer=http://a.example/", "remote-access=yes", "robot-state-dir=./robot", "smart-host-heuristics=true",
    "tmpdir=./tmp",
]  # fmt: skip


@pytest.mark.parametrize("line", NOT_HONOURED)
def test_what_is_not_honoured_is_told_by_name_line_and_reason(line: str) -> None:
    """Never ignored silently."""
    settings, errors, (warning,) = judge("", line)
    assert (settings, errors) == ({}, [])
    assert warning.startswith(f"process.conf:3: warning: {line}: not honoured: ")


REFUSED = [
    ("enable-robots-txt=no", "robots.txt is always obeyed"),
    ("auto-proxy=http://a.example/proxy.pac", "a PAC file is a program"),
    ("proxy-loc=file", "name it in auto-proxy"),
    ("email=user@domain", "is nobody"),
    ("username=jan", "a secret"),
    ("password=x", "a secret"),
    ("register-user=jan", "a secret"),
    ("register-password=x", "a secret"),
    ("auto_serv=http://p:1", "another proxy than auto-proxy"),
    ("proxy-type=wpad", "none, auto or manual"),
    ("connect-timeout=soon", "a number"),
    ("convert-timeout=0", "at least 1"),
    ("depth=-2", "-1 for no limit"),
    ("enable-ip=maybe", "true, false, yes or no"),
    ("site-max-concurrent=0", "at least 1"),
    ("server-delay=-1", "a number of seconds"),
    ("onCompletion=sleep", "idle, loop or quit"),
    ("user-agent=/1.0", "begins with a name"),
    ("enumeration-filter=", "is empty"),
    ("generation-filter=", "is empty"),
    ("csid=", "is empty"),
    ("deph=3", "no such parameter; is depth meant?"),
    ("URL href=", "URL needs href"),
    ("URL href=http://a.example/ depth=x", "-1 for no limit"),
]


@pytest.mark.parametrize(("line", "reason"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_is_wrong_or_rude_keeps_a_crawl_from_starting(line: str, reason: str) -> None:
    _, errors, _ = judge(line)
    assert len(errors) == 1
    assert errors[0].startswith("process.conf:2: ")
    assert reason in errors[0]


def test_a_password_is_not_repeated_in_the_complaint() -> None:
    assert "geheim" not in judge("password=geheim")[1][0]


def test_every_parameter_is_judged_here() -> None:
    """One that is forgotten in these tests would be tested nowhere."""
    lines = [line for line, _ in (*HONOURED, *REFUSED)] + NOT_HONOURED
    assert {word.partition("=")[0] for line in lines for word in line.split()} >= PARAMETERS.keys()


@pytest.mark.parametrize("alias", ALIASES)
def test_other_spellings_are_understood_with_a_warning(alias: str) -> None:
    _, errors, warnings = judge(f"{alias}=9")
    assert errors == []
    assert warnings[0] == f"process.conf:2: warning: {alias} is taken as {ALIASES[alias]}"


def test_the_rest_of_a_user_agent_is_ours() -> None:
    settings, _, (warning,) = judge("user-agent=HarbourRobot/1.0")
    assert settings == {"crawl.name": "HarbourRobot"}
    assert "only the name HarbourRobot is honoured" in warning


def test_settings_that_are_asked_for_exist_and_can_be_read() -> None:
    asked = {name: value for _, expected in HONOURED for name, value in expected.items()}
    asked |= {"revisit.strategy": "uniform"}  # which loop needs
    assert Settings.load(robot=asked | {"fetch.proxy": ""}).harvest.visits == 1024


def test_a_parameter_is_given_once() -> None:
    assert judge("depth=1", "depth=2")[1] == ["process.conf:3: depth is given twice, first at process.conf:2"]
    assert judge("cmd-hook=a", "cmdHook=b")[1] == ["process.conf:3: cmd-hook is given twice"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("depth=1", "process.conf:1: stands outside of <Process …> and </Process>"),
        ("", 'process.conf:1: no <Process csid="…"> in this file'),
        (
            "<Process>\n</Process>\n<Process>\n</Process>",
            "process.conf:3: a second <Process>: one file is one robot",
        ),
        ("<Prozess>\n</Prozess>", "process.conf:1: <Prozess> is not known here; <Process> is"),
    ],
)
def test_a_file_is_one_block(text: str, error: str) -> None:
    findings = FilterFindings()
    read_process(text, "process.conf", RobotDefinition(), findings)
    assert error in [str(problem) for problem in findings.errors]


def test_a_misprint_in_the_id_of_the_server_is_understood() -> None:
    definition, findings = define(process="")
    read_process("<Process csid=x-catalog//a:80/b>\n</Process>", "p", definition, findings)
    assert definition.parameter("csid").value == "x-catalog://a:80/b"  # type: ignore[union-attr]
    assert [str(one) for one in findings.warnings] == ["p:1: warning: x-catalog// is taken as x-catalog://"]
