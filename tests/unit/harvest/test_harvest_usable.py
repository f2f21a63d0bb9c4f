"""How much usable text does a page bring?"""

from pathlib import Path

import pytest
from harvest_samples import make_answer, make_context, make_tools

from tiptoe.frontier.yields import usable_chars
from tiptoe.harvest.journey import digest, read, report
from tiptoe.harvest.judgement import DuplicityRules, TextJudgement
from tiptoe.protocol.work import LastVisit, Request, Result
from tiptoe.segment.segmenter_protocol import Rating

NOTICE = "This notice about cookies stands on every single page of the whole site."
TEXT = "And this is what the page itself has to say, which nobody has said before."
PAGE = f"<title>t</title><p>{NOTICE}<p>{TEXT}".encode()


def brought(
    directory: Path, *repeated: int, usability: float | None = 0.5, last_visit: LastVisit | None = None
) -> Result:
    """Take a page to the corpus of which these paragraphs stand elsewhere."""
    tools = make_tools(directory)
    tools.duplicity = DuplicityRules()
    request = Request("http://a.example/", last_visit=last_visit)
    draft = read(request, make_answer(body=PAGE), make_context(), tools)
    draft.rating = Rating("", usability)
    draft.judgement = TextJudgement(0.4, list(repeated))
    digest(draft, tools)
    return report(draft)


def counted(result: Result) -> float:
    """Return what the keeper makes of a result."""
    assert result.usability is not None
    return usable_chars(result.usability, result.text_chars, result.usable_chars, result.discard)


def test_text_that_stands_elsewhere_is_worth_nothing(tmp_path: Path) -> None:
    """A site of the same notice on ever new pages must not look rich."""
    result = brought(tmp_path, 0)
    assert result.usable_chars == counted(result) == len(TEXT) / 2


def test_of_a_page_that_is_new_all_counts(tmp_path: Path) -> None:
    result = brought(tmp_path)
    assert result.usable_chars is None
    assert counted(result) == (len(NOTICE) + len(TEXT)) / 2


@pytest.mark.parametrize(
    ("usability", "last_visit"),
    [(None, None), (0.5, LastVisit(visits=1, version=1))],
    ids=["unrated", "again"],
)
def test_what_nobody_rated_or_stood_here_before_is_not_counted_down(
    tmp_path: Path, usability: float | None, last_visit: LastVisit | None
) -> None:
    assert brought(tmp_path, 0, usability=usability, last_visit=last_visit).usable_chars is None
