"""What a rehearsal says when it begins."""

from pathlib import Path

from tiptoe.cli.rehearse_command import opening_text
from tiptoe.keeper.directory import CrawlDirectory


def test_a_rehearsal_that_continues_an_earlier_one_says_so(tmp_path: Path) -> None:
    """Its figures are those of both: who asks for another web does not expect that."""
    out = tmp_path / "rehearsal"
    begins = "A simulated web of 20 hosts is running on this machine; the crawl begins."
    assert opening_text(20, out) == begins
    directory = CrawlDirectory(out)
    directory.claim(["http://h000000-cs.example/"])
    directory.release()
    assert opening_text(20, out) == (
        "A simulated web of 20 hosts is running on this machine; "
        f"the earlier rehearsal in {out} continues. --fresh starts over."
    )
