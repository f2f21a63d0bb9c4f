"""A crawl directory says which crawl on many machines it is a part of."""

from pathlib import Path

import pytest

from tiptoe.cluster.member_file import MemberFile, read_member_file, write_member_file
from tiptoe.errors import CorruptFile, SettingsError

MEMBER = MemberFile(servers=("nats://a:4222",), crawl="czech", agent="box-1", credentials_file="/etc/creds")


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert read_member_file(tmp_path) is None
    write_member_file(tmp_path, MEMBER)
    assert read_member_file(tmp_path) == MEMBER
    assert (tmp_path / "state" / "cluster.json").is_file()


@pytest.mark.parametrize("content", ["", "{}", '{"servers": 1}', "[]"])
def test_a_damaged_file_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "cluster.json").write_text(content)
    with pytest.raises(CorruptFile, match=r"state/cluster\.json"):
        read_member_file(tmp_path)


@pytest.mark.parametrize("agent", ["", "a.b", "../x", "a/b", "x" * 65])
def test_an_agent_has_a_name_that_subjects_and_directories_can_have(agent: str) -> None:
    with pytest.raises(SettingsError, match="cannot be the name of an agent"):
        MemberFile(servers=(), crawl="czech", agent=agent)
