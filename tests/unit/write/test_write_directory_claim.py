"""How is a directory kept to one process at a time?"""

from pathlib import Path

import pytest

from tiptoe.errors import SettingsError
from tiptoe.write.directory_claim import claimed_directory


def test_two_cannot_hold_a_directory(tmp_path: Path) -> None:
    with (
        claimed_directory(tmp_path, "robot.lock", owner="a robot"),
        pytest.raises(SettingsError, match="a robot is at work there already"),
        claimed_directory(tmp_path, "robot.lock", owner="a robot"),
    ):
        pass


def test_a_directory_that_was_released_can_be_claimed_again(tmp_path: Path) -> None:
    for _ in range(2):
        with claimed_directory(tmp_path / "new", "robot.lock", owner="a robot"):
            assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
