"""The request log of a real crawl proves its politeness, and no rule can be broken in it unseen."""

import itertools
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from journey_crawl import SMALL, Crawl, Pace, Stage, simulated_web, tiptoe, wait_until

from tiptoe.audit.auditor import Audit, audit
from tiptoe.audit.findings import LogPlace
from tiptoe.write.underway import PLACE_BYTES

pytestmark = pytest.mark.journey

SHAPE = replace(
    SMALL, hosts=9, hosts_per_address=3, robots_share=0.6, robots_error_share=0.2, crawl_delay_share=0.3,
    crawl_delay_seconds=0.1, hostile_share=0.3, hostile_names=("too-many",),
)  # fmt: skip
PACE = Pace(max_hosts=2, max_reqs=4, general_pause=0.4, retry_after_max=0.3)


@dataclass
class Copy:
    """The lines of a crawl's request logs, to be tampered with."""

    directory: Path
    files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @classmethod
    def of(cls, crawl: Path, directory: Path) -> "Copy":
        shutil.copytree(crawl / "log", directory / "log")
        logs = sorted((directory / "log").glob("requests-*.jsonl"))
        return cls(
            directory,
            {log.name: [json.loads(line) for line in log.read_bytes().splitlines()] for log in logs},
        )

    def requests(self) -> Iterator[tuple[str, int, dict[str, Any]]]:
        """Yield file, line and request, in the order they ended."""
        found = [
            (file, number, line)
            for file, lines in self.files.items()
            for number, line in enumerate(lines, 1)
            if "kind" not in line
        ]
        return iter(sorted(found, key=lambda one: one[2]["ended_at"]))

    def pair(
        self, *, one_visit: bool, key: str = "host"
    ) -> tuple[LogPlace, dict[str, Any], LogPlace, dict[str, Any]]:
        """Return two successive requests to a host or an address, the second of no robots.txt."""
        last: dict[str, tuple[str, int, dict[str, Any]]] = {}
        for file, number, line in self.requests():
            before = last.get(line[key])
            is_wanted = line["purpose"] == "page" and line.get("status") == 200
            if before and is_wanted and (before[2]["visit"] == line["visit"]) == one_visit:
                return LogPlace(*before[:2]), before[2], LogPlace(file, number), line
            last[line[key]] = (file, number, line)
        raise AssertionError("no such pair")

    def series(self) -> dict[str, list[dict[str, Any]]]:
        """Return the requests of each visit that is one series: without a pause that would end it."""
        visits: dict[str, list[dict[str, Any]]] = {}
        for *_, line in self.requests():
            visits.setdefault(line["visit"], []).append(line)
        return {visit: lines for visit, lines in visits.items() if longest_pause(lines) < PACE.general_pause}

    def add_to(self, visit: str, **changes: object) -> LogPlace:
        """Add a request to the end of a visit, shortly after its last one; return its place."""
        file, number, last = [one for one in self.requests() if one[2]["visit"] == visit][-1]
        moments = {"started_at": last["ended_at"] + 0.03, "ended_at": last["ended_at"] + 0.031}
        self.files[file].insert(number, {**last, **moments, **changes})
        return LogPlace(file, number + 1)

    def audit(self) -> Audit:
        for name, lines in self.files.items():
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
            (self.directory / "log" / name).write_text(text)
        return audit(self.directory)


def longest_pause(lines: list[dict[str, Any]]) -> float:
    return max((b["started_at"] - a["ended_at"] for a, b in itertools.pairwise(lines)), default=0.0)


def accused(found: Audit) -> set[tuple[str, tuple[LogPlace, ...]]]:
    return {(violation.rule, violation.lines) for violation in found.findings.kept}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Stage, Path]:
    folder = tmp_path_factory.mktemp("audit")
    with simulated_web(folder, SHAPE) as stage:
        crawl = stage.crawl(pace=PACE, harvest__harvesters=2)
        crawl.run()
    return stage, crawl.out


@pytest.fixture
def copy(crawled: tuple[Stage, Path], tmp_path: Path) -> Copy:
    return Copy.of(crawled[1], tmp_path)


def test_a_real_crawl_has_no_violation_and_the_servers_agree(crawled: tuple[Stage, Path]) -> None:
    """Two records, two judges, no code in common."""
    stage, out = crawled
    done = tiptoe("audit", str(out), "--json")
    assert done.returncode == 0, done.stdout
    told = json.loads(done.stdout)
    assert (told["violations"], told["unjudged"], told["cut_off"]) == (0, 0, 0)
    assert stage.violations(PACE) == []
    arrivals = stage.arrivals()
    assert told["requests"] == len(arrivals)
    statuses = Counter(str(arrival.status) for arrival in arrivals)
    assert {name: count for name, count in told["outcomes"].items() if name.isdigit()} == statuses
    assert {"429", "503"} <= statuses.keys(), "nobody asked for patience"


def test_the_report_for_one_host_comes_as_text_and_as_a_page(
    crawled: tuple[Stage, Path], tmp_path: Path
) -> None:
    stage, out = crawled
    host = Counter(arrival.host for arrival in stage.arrivals()).most_common(1)[0]
    done = tiptoe("audit", str(out), host[0], "--html", str(tmp_path / "report.html"))
    assert done.returncode == 0, done.stdout
    assert f"0 violations in {host[1]} requests" in done.stdout
    text = tiptoe("audit", str(out), host[0]).stdout
    assert f"0 violations in {host[1]} requests" in text
    assert "https://example.org/bot" in text
    assert f"What was asked of {host[0]}" in (tmp_path / "report.html").read_text()


def test_a_killed_crawl_hides_no_request(tmp_path: Path) -> None:
    """What was under way is on record too; what arrived is never more than what the log tells."""
    with simulated_web(tmp_path, replace(SMALL, pages_per_host=4, latency_seconds=0.3)) as stage:
        crawl = stage.crawl(harvest__harvesters=2)
        for lines in (10, 20):
            lost = under_way(crawl)
            crawl.start()
            crawl.wait_for_lines(lines)
            wait_until(partial(is_more_under_way_than, lost, crawl), "a request under way")
            crawl.kill_all()
        crawl.run()
    found = audit(crawl.out)
    assert found.findings.kept == []
    assert found.figures.cut_off > 0
    logged = Counter(entry.url for entry in crawl.requests())
    arrived = Counter(arrival.url for arrival in stage.arrivals())
    hidden = (arrived - logged).total()
    assert hidden <= found.figures.cut_off
    assert len(stage.arrivals()) <= found.figures.requests
    assert stage.violations() == []


def under_way(crawl: Crawl) -> int:
    """Count the requests that have begun and not ended, those of dead harvesters included."""
    files = [path.read_bytes() for path in (crawl.out / "log").glob("requests-*.underway")]
    return sum(data[at] != 0 for data in files for at in range(0, len(data), PLACE_BYTES))


def is_more_under_way_than(requests: int, crawl: Crawl) -> bool:
    return under_way(crawl) > requests


# -- each rule, broken once --------------------------------------------------


def test_a_shortened_pause_is_found(copy: Copy) -> None:
    before, first, after, second = copy.pair(one_visit=True)
    second["started_at"] = first["ended_at"] + 0.001
    assert ("POL-1", (before, after)) in accused(copy.audit())


def test_a_third_host_in_a_series_is_found(copy: Copy) -> None:
    """Two are allowed."""
    hosts = {visit: {line["host"] for line in lines} for visit, lines in copy.series().items()}
    visit = next(visit for visit, seen in hosts.items() if len(seen) == PACE.max_hosts)
    stranger = next(line["host"] for *_, line in copy.requests() if line["host"] not in hosts[visit])
    added = copy.add_to(visit, host=stranger, url=f"http://{stranger}/robots.txt", purpose="robots")
    assert ("POL-2", (added,)) in accused(copy.audit())


def test_one_request_more_in_a_series_is_found(copy: Copy) -> None:
    counts = Counter((line["visit"], line["host"]) for lines in copy.series().values() for line in lines)
    visit, host = next(pair for pair, count in counts.items() if count == PACE.max_reqs)
    added = copy.add_to(visit, host=host, url=f"http://{host}/robots.txt", purpose="robots")
    assert ("POL-3", (added,)) in accused(copy.audit())


def test_a_shortened_rest_is_found(copy: Copy) -> None:
    before, first, after, second = copy.pair(one_visit=False, key="address")
    second["started_at"] = first["ended_at"] + PACE.general_pause - 0.01
    assert ("POL-4", (before, after)) in accused(copy.audit())


def test_two_requests_at_once_are_found(copy: Copy) -> None:
    before, first, after, second = copy.pair(one_visit=True, key="address")
    second["started_at"] = first["started_at"] + (first["ended_at"] - first["started_at"]) / 2
    assert ("POL-4", (before, after)) in accused(copy.audit())


def test_a_forbidden_page_is_found(copy: Copy) -> None:
    file, number, told = next(
        (file, number, line)
        for file, lines in copy.files.items()
        for number, line in enumerate(lines, 1)
        if line.get("kind") == "robots" and any(not allowed for allowed, _ in line.get("rules", ()))
    )
    pattern = next(pattern for allowed, pattern in told["rules"] if not allowed)
    page = next(
        (LogPlace(name, at), line)
        for name, at, line in copy.requests()
        if line["url"].startswith(told["origin"] + "/") and line["purpose"] == "page"
    )
    page[1]["url"] = told["origin"] + pattern.rstrip("$").replace("*", "x")
    assert ("POL-5", (LogPlace(file, number), page[0])) in accused(copy.audit())


def test_a_robots_txt_that_was_never_read_is_missed(copy: Copy) -> None:
    for lines in copy.files.values():
        for line in lines:
            if line.get("kind") == "robots" and line["state"] == "rules":
                lines.remove(line)
                origin = line["origin"]
                found = copy.audit().findings.kept
                asked = [one for _, _, one in copy.requests() if one["url"].startswith(f"{origin}/")]
                wanted = sum(one["purpose"] != "robots" for one in asked)
                missed = [one for one in found if one.what == "asked before robots.txt was read"]
                assert len(missed) == wanted > 0
                return


def test_a_longer_crawl_delay_is_missed(copy: Copy) -> None:
    before, _, after, second = copy.pair(one_visit=True)
    for lines in copy.files.values():
        for line in lines:
            if line.get("kind") == "robots" and second["url"].startswith(f"{line['origin']}/"):
                line["crawl_delay"] = 60.0
    assert ("POL-5", (before, after)) in accused(copy.audit())


def test_patience_that_was_not_shown_is_found(copy: Copy) -> None:
    before, first, after, _ = copy.pair(one_visit=True)
    first.update(status=503, retry_after=120.0)
    assert ("POL-8", (before, after)) in accused(copy.audit())


def test_a_request_during_a_pause_of_the_operator_is_found(copy: Copy) -> None:
    _, _, after, second = copy.pair(one_visit=True)
    order = {"kind": "order", "heard_at": second["started_at"] - 0.001, "order": "hold"}
    copy.files[after.file].insert(after.line - 1, order)
    found = copy.audit().findings.kept
    first = next(one for one in found if one.rule == "POL-10")
    assert first.lines == (LogPlace(after.file, after.line + 1),)


def test_a_slower_pace_that_was_not_kept_is_found(copy: Copy) -> None:
    before, _, after, second = copy.pair(one_visit=True)
    second["delay"] = 60.0
    assert ("POL-10", (before, after)) in accused(copy.audit())


def test_a_crawler_without_a_name_is_found(copy: Copy) -> None:
    for lines in copy.files.values():
        lines[0]["terms"]["user_agent"] = "Mozilla/5.0"
    assert copy.audit().findings.by_rule == {"POL-7": len(copy.files)}
