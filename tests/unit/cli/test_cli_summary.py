"""What is printed when a crawl has ended."""

import io
import json
import re
from pathlib import Path

import pytest
from cli_samples import make_keeper
from rich.console import Console

from tiptoe.cli.inputs import Downlist
from tiptoe.cli.summary import EXCERPT_CHARS, LIMITS, print_summary
from tiptoe.convert.progress import Progress, store
from tiptoe.decide.discard import Discard
from tiptoe.fetch.outcome import Failure
from tiptoe.frontier.patience import Trouble
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.phrases import REMEDIES
from tiptoe.observe.meanings import MEANINGS, in_plain_words
from tiptoe.observe.run_figures import write_figures
from tiptoe.observe.stops import Stop
from tiptoe.protocol.messages import Judged
from tiptoe.protocol.status import Status
from tiptoe.protocol.work import Request, RobotsState
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS


def summary(keeper: Keeper, directory: Path, downlist: Downlist | None = None) -> str:
    output = io.StringIO()
    settings = Settings.load(None, {"crawl.downlist": "[down].txt"} if downlist else {})
    print_summary(Console(file=output, width=120), keeper, settings, directory, downlist)
    return output.getvalue()


def test_a_summary_says_of_what_its_figures_are(tmp_path: Path) -> None:
    output = io.StringIO()
    print_summary(
        Console(file=output, width=120), make_keeper(tmp_path), Settings.load(None, {}), tmp_path,
        scope=["figures: of 2 of [6] shards"],
    )  # fmt: skip
    ended, scope, *_ = output.getvalue().strip().splitlines()
    assert ended.startswith("The crawl has ended")
    assert scope == "figures: of 2 of [6] shards"


def write_corpus(directory: Path, *documents: dict[str, object]) -> None:
    (directory / "corpus").mkdir()
    lines = [json.dumps(document) + "\n" for document in documents]
    (directory / "corpus" / "tiptoe-h1-0001-00001.jsonl").write_text("".join(lines))


def write_log(directory: Path, requests: int) -> None:
    (directory / "log").mkdir()
    line = {"started_at": 1.0, "ended_at": 2.0, "host": "a.example", "address": "192.0.2.1",
            "url": "http://a.example/", "purpose": "page", "robots": "allowed", "delay": 5.0, "visit": "1",
            "harvester": "h1", "status": 200, "bytes_received": 9}  # fmt: skip
    (directory / "log" / "requests-h1.jsonl").write_text((json.dumps(line) + "\n") * requests)


def test_every_outcome_and_discard_is_counted_by_its_reason(tmp_path: Path) -> None:
    """Nothing goes missing without a word."""
    keeper = make_keeper(tmp_path)
    keeper.figures.stopped_because = Stop.FINISHED
    keeper.frontier.counters.totals.outcomes = {"ok": 1200, "http_404": 3}
    keeper.frontier.counters.totals.discards = {"noindex": 5}
    printed = summary(keeper, tmp_path)
    assert "nothing left to request" in printed
    assert "1 200" in printed
    assert "http_404" in printed
    assert "noindex" in printed


def test_revisits_are_summed_up(tmp_path: Path) -> None:
    keeper = make_keeper(tmp_path)
    assert "visited again" not in summary(keeper, tmp_path)
    counters = keeper.frontier.counters
    counters.totals.revisits_changed, counters.totals.revisits_unchanged = 1200, 3
    counters.totals.watched_seconds, counters.totals.fresh_seconds, counters.totals.aged_seconds = (
        100.0,
        75.0,
        500.0,
    )
    printed = summary(keeper, tmp_path)
    assert "visited again: 1 200 changed, 3 unchanged." in printed
    assert "our copies were 75.0 % up to date, 5.0 s behind, mean (estimated)" in printed


def test_the_corpus_is_shown_as_it_is(tmp_path: Path) -> None:
    """A title in brackets is a title, not markup of ours, and a long text is cut."""
    title = "[bold]Not bold[/bold] [/]"
    write_corpus(
        tmp_path, {"url": "https://a.example/[x]", "title": title, "paragraphs": ["short", "long " * 100]}
    )
    printed = summary(make_keeper(tmp_path), tmp_path)
    assert title in printed
    assert "https://a.example/[x]" in printed
    assert f"    {'long ' * (EXCERPT_CHARS // 5)}…" in printed, "in a file, on one line"
    assert "long " * (EXCERPT_CHARS // 5 + 5) not in printed


def test_documents_are_shown_in_the_encoding_they_were_written_in(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    write_figures(tmp_path, Status(started_at=1.0, now=2.0, encoding="iso-8859-2"))
    (tmp_path / "corpus").mkdir()
    line = '{"url":"https://a.example/","title":"Žluťoučký","paragraphs":[]}\n'
    (tmp_path / "corpus" / "tiptoe-h1-3e8-0001-00001.jsonl").write_text(line, encoding="iso-8859-2")
    assert "Žluťoučký" in summary(make_keeper(tmp_path), tmp_path)


def test_what_counts_as_downloaded_is_said(tmp_path: Path) -> None:
    """A list that was mistaken for another would make a crawl that misses pages, and nobody knows why."""
    keeper = make_keeper(tmp_path)
    assert "Taken as" not in summary(keeper, tmp_path)
    urls = [f"https://a.example/{number}" for number in range(1234)]
    assert "not requested: 1 234 addresses of [down].txt." in summary(keeper, tmp_path, Downlist(urls))
    assert "0 addresses of [down].txt; words there that are no address: 7." in summary(
        keeper, tmp_path, Downlist([], strange=7)
    )


def test_an_empty_crawl_has_a_summary_too(tmp_path: Path) -> None:
    printed = summary(make_keeper(tmp_path), tmp_path)
    assert "0 pages" in printed


def test_every_name_that_is_counted_is_explained() -> None:
    """Whoever reads a summary for the first time has no glossary at hand."""
    names = {trouble.value for trouble in Trouble} | {failure.value for failure in Failure}
    names |= {discard.value for discard in Discard} | {f"robots_{state.value}" for state in RobotsState}
    assert {name for name in names if not in_plain_words(name)} == set()


def test_only_hosts_that_were_asked_are_said_to_have_been(tmp_path: Path) -> None:
    """Most hosts that a crawl hears of are never asked: out of bounds, not there, not their turn."""
    keeper = make_keeper(tmp_path)
    keeper.frontier.counters.totals.hosts = 7
    write_log(tmp_path, 1)
    assert "to 1 host " in summary(keeper, tmp_path)


def test_every_request_that_was_made_is_counted(tmp_path: Path) -> None:
    """Also those whose answer was lost with a process of ours: servers saw them, and so does the audit."""
    keeper = make_keeper(tmp_path)
    write_log(tmp_path, 5)
    keeper.frontier.counters.totals.requests = 5
    assert "5 requests to 1 host (45 B received)" in summary(keeper, tmp_path)
    assert "Of these requests" not in summary(keeper, tmp_path)

    keeper.frontier.counters.totals.requests = 3
    note = "9.0\t4\ta.example\t192.0.2.1\tpage\thttp://a.example/x\n"
    (tmp_path / "log" / "requests-h1.underway").write_text(note)
    printed = " ".join(summary(keeper, tmp_path).split())
    assert "6 requests to 1 host " in printed
    assert (
        "Of these requests 1 was under way when a harvester died; 2 were broken off at the end, or "
        "answered too late for the keeper to hear of it: they are not among those below." in printed
    )


def test_a_crawl_that_asked_nobody_has_no_table_of_hosts(tmp_path: Path) -> None:
    assert "shortest pause" not in summary(make_keeper(tmp_path), tmp_path)


@pytest.mark.parametrize(("stop", "name"), LIMITS.items(), ids=lambda item: str(item))
def test_a_limit_is_named_with_what_to_do(tmp_path: Path, stop: Stop, name: str) -> None:
    """Else the next run ends at once, and nobody knows why."""
    keeper = make_keeper(tmp_path)
    keeper.figures.stopped_because = stop
    output = io.StringIO()
    settings = Settings.load(remembered={name: 20})
    print_summary(Console(file=output, width=120), keeper, settings, tmp_path)
    assert (
        f"The limit is {name} = {SETTINGS[name].show(settings.value(name))} (remembered)."
        in output.getvalue()
    )
    assert f"{SETTINGS[name].option} unlimited takes the limit away" in output.getvalue()


@pytest.mark.parametrize("stop", [Stop.OPERATOR, Stop.INTERRUPTED])
def test_a_crawl_that_was_stopped_says_how_it_continues(tmp_path: Path, stop: Stop) -> None:
    keeper = make_keeper(tmp_path)
    keeper.frontier.add([Request("http://a.example/"), Request("http://a.example/x")], 0.0)
    keeper.figures.stopped_because = stop
    output = io.StringIO()
    command = "`tiptoe crawl --out [czech]`"
    print_summary(Console(file=output, width=120), keeper, Settings.load(), tmp_path, continued_by=command)
    ended, continued, *_ = output.getvalue().strip().splitlines()
    assert ended.startswith("The crawl has ended")
    assert continued == "`tiptoe crawl --out [czech]` continues; 2 addresses wait."


@pytest.mark.parametrize("stop", sorted({*Stop} - {Stop.OPERATOR, Stop.INTERRUPTED}))
def test_a_crawl_that_ended_by_itself_is_not_said_to_continue(tmp_path: Path, stop: Stop) -> None:
    keeper = make_keeper(tmp_path)
    keeper.figures.stopped_because = stop
    output = io.StringIO()
    print_summary(Console(file=output, width=120), keeper, Settings.load(), tmp_path, continued_by="this")
    assert "this continues" not in output.getvalue()


def test_the_advice_names_settings_that_exist() -> None:
    text = " ".join([*REMEDIES.values(), *MEANINGS.values()])
    sections = "|".join({setting.section for setting in SETTINGS.values()})
    named = set(re.findall(rf"\b(?:{sections})\.[a-z_]+", text))
    assert "fetch.allow_networks" in named
    assert named - SETTINGS.keys() == set()


def test_a_crawl_that_brought_nothing_says_why(tmp_path: Path) -> None:
    """Whoever mistyped a name finds out here, at the latest."""
    keeper = make_keeper(tmp_path)
    frontier = keeper.frontier
    frontier.add([Request("http://nosuch.example/")], 0.0)
    for now in (0.0, 4000.0):
        frontier.tick(now)
        frontier.resolved_all([(frontier.new_hosts(1)[0], "", "no_such_host")], now)
    printed = summary(keeper, tmp_path)
    assert "No page was fetched" in printed
    assert "The likely reason: the names of the seeds do not exist (check the spelling" in printed
    assert "1 host given up" not in printed  # which would say the same once more
    assert "Hosts given up: nosuch.example (name not found)." in printed
    frontier.counters.totals.pages = 1
    assert "No page was fetched" not in summary(keeper, tmp_path)


def test_a_crawl_without_a_text_says_why(tmp_path: Path) -> None:
    """A wrong language leaves a corpus as empty as a wrong name."""
    keeper = make_keeper(tmp_path)
    totals = keeper.frontier.counters.totals
    totals.pages = 3
    totals.outcomes.update({"other_language": 3})
    printed = " ".join(summary(keeper, tmp_path).split())
    assert "No text entered the corpus" in printed
    assert "in other languages than those wanted (see text.languages)" in printed
    assert "not followed" not in printed
    totals.discards.update({"zero_usability": 2})
    printed = " ".join(summary(keeper, tmp_path).split())
    assert "2 links were not followed" in printed
    assert "`--set scope.follow_useless=true`" in printed
    totals.outcomes.update({"stored_aside": 1})  # documents wait to be converted
    assert "No text entered" not in summary(keeper, tmp_path)


def test_converted_documents_are_counted_beside_pages(tmp_path: Path) -> None:
    """`tiptoe stats` counts the lines of the corpus, theirs among them."""
    keeper = make_keeper(tmp_path)
    keeper.frontier.counters.totals.documents = 15
    assert "tiptoe convert" not in summary(keeper, tmp_path)
    (tmp_path / "state").mkdir(exist_ok=True)
    store(tmp_path, Progress(counts={"converted": 3, "too_short": 1}))
    printed = " ".join(summary(keeper, tmp_path).split())
    assert "`tiptoe convert` has added 3 documents (pdf and the like): 18 documents in all." in printed


def test_texts_that_nobody_judged_are_told_with_what_can_be_done(tmp_path: Path) -> None:
    keeper = make_keeper(tmp_path)
    assert "segmenter" not in summary(keeper, tmp_path)
    keeper.segmenter.hear("h1", Judged(missed=3, fault="status 503"))
    printed = " ".join(summary(keeper, tmp_path).split())
    assert "did not judge: 3. It does not answer: status 503." in printed
    assert "tiptoe segmenter catch-up" in printed


def test_every_status_has_plain_words() -> None:
    assert all(in_plain_words(f"http_{status}") for status in range(100, 600))
