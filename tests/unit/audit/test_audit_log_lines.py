"""One order of time over many logs, and parts that fit into memory."""

from pathlib import Path

from audit_samples import BEGIN, HOST, LogFile

from tiptoe.audit.log_lines import LogRequest, find_logs, read_all
from tiptoe.audit.partitions import Partitions


def test_everything_comes_in_the_order_it_happened(tmp_path: Path) -> None:
    logs = [LogFile(tmp_path, f"h{number}", opened=5.0 * number) for number in range(4)]
    for turn in range(20):
        logs[turn * 7 % 4].ask(20.0 + turn, took=0.5).rules(20.6 + turn)
    logs[2].order(60.0, "hold")
    note = f"{BEGIN + 31.0!r}\t1\t{HOST}\t192.0.2.1\tpage\thttp://{HOST}/lost\n"
    logs[1].path.with_suffix(".underway").write_text(note)
    moments = [event.at for event in read_all(find_logs(tmp_path))]
    assert moments == sorted(moments)
    assert len(moments) == 42


def test_a_log_is_opened_when_its_moment_comes(tmp_path: Path) -> None:
    """Thousands of harvesters one after the other need no more open files than one."""
    first, second = LogFile(tmp_path, "h1"), LogFile(tmp_path, "h2", opened=100.0)
    first.ask(10.0).ask(20.0)
    second.ask(110.0)
    events = read_all(find_logs(tmp_path))
    assert next(events).at == BEGIN + 10.25
    second.path.write_bytes(b"")  # seen only by whoever has not looked yet
    assert [event.at for event in events] == [BEGIN + 20.25]


def test_a_part_has_all_of_a_name_in_order_and_parts_share_the_work() -> None:
    asked = [
        LogRequest(
            started_at=float(number), ended_at=float(number), host=f"h{number % 20}", address="", url="",
            purpose="page", visit="1",
        )
        for number in range(200)
    ]  # fmt: skip
    with Partitions(4) as partitions:
        for one in asked:
            partitions.put(one.host, one)
        parts = [[event for event in part if isinstance(event, LogRequest)] for part in partitions.parts()]
    assert sum(map(len, parts)) == 200
    assert sum(bool(part) for part in parts) > 1
    for part in parts:
        assert [one.started_at for one in part] == sorted(one.started_at for one in part)
    homes = [{one.host for one in part} for part in parts]
    assert sum(map(len, homes)) == 20
