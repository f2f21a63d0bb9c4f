"""Does the contract say what the code says, and does its example keep it?"""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tiptoe.segment import breaker, segmenter_client
from tiptoe.segment import segmenter_protocol as protocol
from tiptoe.segment.conformance import check_segmenter
from tiptoe.segment.scorer import Parts

CONTRACT = (Path(__file__).parents[3] / "docs" / "protocols" / "segmenter.md").read_text(encoding="utf-8")
STRUCTS = [
    protocol.About,
    protocol.TextBatch,
    protocol.SubmittedText,
    protocol.Ratings,
    protocol.Rating,
    protocol.Problem,
]


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_the_contract_lists_every_message_as_it_is(struct: Any) -> None:
    """Who writes a segmenter in another language has only this page."""
    fields = ", ".join(f"`{field}`" for field in struct.__struct_fields__)
    assert f"| `{struct.__name__}` | {fields} | {struct.__doc__.splitlines()[0]} |" in CONTRACT.splitlines()


def test_the_contract_lists_nothing_else() -> None:
    listed = re.findall(r"^\| `([A-Z]\w+)` \|", CONTRACT, re.MULTILINE)
    assert listed == [struct.__name__ for struct in STRUCTS]


def test_the_contract_names_versions_paths_and_bounds() -> None:
    assert CONTRACT.startswith(f"# The segmenter protocol\n\nVersion {protocol.PROTOCOL_VERSION}.")
    assert f"`GET {protocol.ABOUT_PATH}`" in CONTRACT
    assert f"`POST {protocol.SEGMENT_PATH}`" in CONTRACT
    for bound in (
        f"| {protocol.DOCUMENTS_MAX};",
        f"| {protocol.TEXT_CHARS_MAX:,} characters;".replace(",", " "),
        f"| {protocol.REQUEST_BYTES_MAX >> 20} MiB |",
        f"| {protocol.answer_bytes_max(0) >> 10} KiB and {2 * protocol.ANNOTATIONS_BYTES_MAX >> 10} KiB more",
        f"no more than {protocol.ANNOTATIONS_BYTES_MAX} bytes",
        f"1 to {protocol.ID_CHARS_MAX} characters",
        f"| {segmenter_client.REQUESTS_MAX} from each harvester",
        f"more than {segmenter_client.WAITING_CHARS_MAX // 1_000_000} million characters",
    ):
        assert bound in CONTRACT, bound
    assert (breaker.FIRST_WAIT_SECONDS, breaker.LONGEST_WAIT_SECONDS) == (1.0, 60.0)  # "a second", "a minute"


@pytest.mark.parametrize("part", Parts.__slots__)
def test_every_part_of_the_score_is_explained(part: str) -> None:
    assert f"\n| `{part}` |" in CONTRACT


def test_the_example_is_as_short_as_it_is_said_to_be() -> None:
    assert len(example().splitlines()) <= 32


def example() -> str:
    (code,) = re.findall(r"```javascript\n(.*?)```", CONTRACT, re.DOTALL)
    return str(code)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine to run the example with")
def test_the_example_keeps_the_contract(tmp_path: Path) -> None:
    """It is what people start from."""
    (tmp_path / "segmenter.js").write_text(example(), encoding="utf-8")
    node = subprocess.Popen(["node", tmp_path / "segmenter.js", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert node.stdout is not None
        url = node.stdout.readline().split()[-1]
        outcomes = list(check_segmenter(url, timeout_seconds=30.0))
    finally:
        node.kill()
        node.communicate()
    assert {outcome.name: outcome.came for outcome in outcomes if not outcome.is_kept} == {}
