"""Does `tiptoe simulate revisit` say what it found?"""

import json
from pathlib import Path

import pytest

from tiptoe.cli.simulate_command import simulate_revisit_command
from tiptoe.errors import SettingsError


def test_figures_stand_beside_those_of_the_thesis(capsys: pytest.CaptureFixture[str]) -> None:
    simulate_revisit_command(experiment="server", pages=60)
    printed = capsys.readouterr().out
    assert "thesis: adaptive" in printed
    assert "may fail by chance" in printed
    assert "95.77 %" in printed


def test_json_has_numbers_and_what_is_to_hold(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code = simulate_revisit_command(
        experiment="coefficients", pages=10, out=tmp_path / "plots", format="json"
    )
    (found,) = json.loads(capsys.readouterr().out)
    assert (code, found["experiment"]) == (0, "coefficients")
    assert found["tables"][0]["rows"][4]["found a change"] == pytest.approx(0.5, abs=0.03)
    assert {check["is_met"] for check in found["checks"]} == {True}
    assert (tmp_path / "plots" / "coefficients-found.svg").exists()


@pytest.mark.parametrize(("pages", "seed"), [(9, 1), (2_000_000, 1), (100, -1)])
def test_numbers_that_make_no_sense_are_refused(pages: int, seed: int) -> None:
    with pytest.raises(SettingsError, match=r"--pages|--seed"):
        simulate_revisit_command(experiment="server", pages=pages, seed=seed)


def test_a_report_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="--out"):
        simulate_revisit_command(experiment="server", pages=10, out=tmp_path / "file")


def test_a_report_that_cannot_be_written_is_said_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The experiments take minutes."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="--out"):
        simulate_revisit_command(experiment="coefficients", pages=10, out=tmp_path / "file" / "plots")
    assert capsys.readouterr().out == ""
