"""Results on their way to the keeper."""

import asyncio
from pathlib import Path

import msgspec
from harvest_samples import NO_RULES, Postbox, make_answer, make_context, make_failure, make_tools, work_for

from tiptoe.decide.discard import Discard
from tiptoe.frontier.visits import visit_id
from tiptoe.harvest.document import Reading
from tiptoe.harvest.draft import BATCH_MAX, Draft
from tiptoe.harvest.journey import digest, read
from tiptoe.harvest.outbox import LISTED_BYTES_MAX, RESULTS_MAX, Outbox
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.messages import News
from tiptoe.protocol.work import HostWork, Purpose, Report, Request, Result
from tiptoe.write.output_kinds import shard_of_file


def failed(number: int) -> Draft:
    """A request that got no answer: there is nothing to write of it."""
    url = f"http://a.example/{number}"
    return Draft(Request(url), make_failure(url))


def digested(tools: Tools, url: str = "http://a.example/") -> Draft:
    """A page that is to be written."""
    draft = read(Request(url), make_answer(url), make_context(), tools)
    digest(draft, tools)
    return draft


def told_of(number: int) -> Result:
    return Result(Request(f"http://a.example/{number}"), failure="reset", seconds=0.1)


def outbox_for(tools: Tools, *, syncs: bool = False) -> tuple[Outbox, Postbox]:
    postbox = Postbox()
    return Outbox(tools, postbox.news.append, syncs=syncs), postbox


def test_results_go_out_in_order_and_once(tmp_path: Path) -> None:
    """The keeper settles them in the order of their requests."""

    async def run() -> list[News]:
        outbox, postbox = outbox_for(make_tools(tmp_path))
        for number in range(3):
            outbox.add(7, failed(number))
        outbox.add(8, failed(9))
        outbox.give_back(7, [Request("http://a.example/left")])
        await outbox.flush()
        await outbox.flush()
        return postbox.news

    (news,) = asyncio.run(run())
    assert news.reports == [
        Report(7, [told_of(0), told_of(1), told_of(2)], [Request("http://a.example/left")]),
        Report(8, [told_of(9)]),
    ]


def test_reports_and_the_size_of_the_files_travel_together(tmp_path: Path) -> None:
    """What the keeper knows of a page and where its files end is one write there (HAR-4)."""

    async def run() -> tuple[Tools, list[News]]:
        tools = make_tools(tmp_path)
        outbox, postbox = outbox_for(tools, syncs=True)
        outbox.add(7, digested(tools))
        await outbox.flush()
        return tools, postbox.news

    tools, (news,) = asyncio.run(run())
    assert len(news.reports) == 1
    assert {name.split("/")[0] for name in news.marks} == {"corpus", "warc"}
    for name, size in news.marks.items():
        assert (tmp_path / f"{name}.open").stat().st_size == size
    tools.outputs.acknowledge(news.marks)
    assert tools.outputs.marks() == {}


def test_a_page_is_told_of_when_it_is_written(tmp_path: Path) -> None:
    """What is told of a page is on the disk, and the links on it are told with it."""

    async def run() -> list[News]:
        tools = make_tools(tmp_path)
        outbox, postbox = outbox_for(tools)
        outbox.add(7, digested(tools))
        await outbox.flush()
        return postbox.news

    (news,) = asyncio.run(run())
    (told,) = news.reports[0].results
    assert [link.urls for link in told.links] == [["http://a.example/x"]]
    assert told.payload_digest
    assert {name.split("/")[0] for name in news.marks} == {"corpus", "warc"}


def test_results_keep_their_order_whether_there_was_anything_to_write_or_not(tmp_path: Path) -> None:
    """A page that was not answered comes between two that were."""

    async def run() -> list[str]:
        tools = make_tools(tmp_path)
        outbox, postbox = outbox_for(tools)
        outbox.add(7, digested(tools, "http://a.example/1"))
        outbox.add(7, failed(2))
        outbox.add(7, Draft(Request("http://a.example/3"), reading=Reading(discard=Discard.DISALLOWED)))
        outbox.add(7, digested(tools, "http://a.example/4"))
        await outbox.flush()
        return [f"{result.request.url[-1]} {result.status}{result.failure}" for result in postbox.results]

    assert asyncio.run(run()) == ["1 200", "2 0reset", "3 0", "4 200"]
    assert (tmp_path / "log" / "disallowed-h1-0001.txt").read_text() == "http://a.example/3\n"


def test_pages_reach_the_kernel_before_they_are_reported(tmp_path: Path) -> None:
    """Copied while they are warm; the keeper hears of them, and of the size of the files, when it is time."""

    async def run() -> None:
        tools = make_tools(tmp_path)
        outbox, postbox = outbox_for(tools)
        for number in range(BATCH_MAX - 1):
            outbox.add(7, digested(tools, f"http://a.example/{number}"))
        assert not tools.outputs.marks()
        outbox.add(7, digested(tools))
        assert {name.split("/")[0] for name in tools.outputs.marks()} == {"corpus", "warc"}
        assert not postbox.news

    asyncio.run(run())


def test_a_disk_that_fills_between_two_reports_is_told_of_with_the_next(tmp_path: Path) -> None:
    """Whoever has just read a page can do nothing about it."""

    def write(descriptor: int, data: memoryview) -> int:
        raise OSError(28, "No space left on device")

    async def run() -> list[News]:
        tools = make_tools(tmp_path, write=write)
        outbox, postbox = outbox_for(tools)
        for number in range(2 * BATCH_MAX):
            outbox.add(7, digested(tools, f"http://a.example/{number}"))
        assert not postbox.news
        await outbox.flush()
        return postbox.news

    (news,) = asyncio.run(run())
    assert news.trouble
    assert not news.reports


def test_a_full_disk_keeps_everything_and_tells_of_it_once(tmp_path: Path) -> None:
    """No page is reported whose text is not in the kernel; nothing is lost meanwhile."""
    has_room = False

    def write(descriptor: int, data: memoryview) -> int:
        if not has_room:
            raise OSError(28, "No space left on device")
        return len(data)

    async def run() -> tuple[Outbox, list[News]]:
        nonlocal has_room
        tools = make_tools(tmp_path, write=write)
        outbox, postbox = outbox_for(tools)
        outbox.add(7, digested(tools))
        outbox.is_full.set()
        for _ in range(3):
            await outbox.flush()
        assert [news.reports for news in postbox.news] == [[]]
        assert postbox.news[0].trouble
        assert outbox.trouble
        assert not outbox.is_full.is_set()  # else it would be tried again without a pause
        outbox.add(7, failed(2))
        has_room = True
        await outbox.flush()
        return outbox, postbox.news

    outbox, news = asyncio.run(run())
    assert len(news) == 2
    assert [told.request.url for told in news[1].reports[0].results] == [
        "http://a.example/",
        "http://a.example/2",
    ]
    assert (news[1].trouble, outbox.trouble) == ("", "")
    assert news[1].marks


def test_the_end_of_the_trouble_is_told_even_when_there_is_nothing_else(tmp_path: Path) -> None:
    """The keeper holds everybody back until it hears of it."""

    async def run() -> list[News]:
        outbox, postbox = outbox_for(make_tools(tmp_path))
        outbox.trouble = "no space left"
        await outbox.flush()
        return postbox.news

    assert [news.trouble for news in asyncio.run(run())] == [""]


def test_a_visit_that_is_done_waits_for_the_keepers_answer(tmp_path: Path) -> None:
    """More work, or the end."""

    async def run() -> list[HostWork]:
        outbox, postbox = outbox_for(make_tools(tmp_path))
        waiting = asyncio.ensure_future(outbox.finish(7, wants_more=True))
        await asyncio.sleep(0)
        await outbox.flush()
        assert postbox.news[0].reports == [Report(7, [], [], is_done=True, wants_more=True)]
        outbox.answered(8, [])  # nobody's
        assert not waiting.done()
        outbox.answered(7, [work_for("a.example", "/x", robots=NO_RULES)])
        outbox.answered(7, [])  # too late to matter
        return await waiting

    assert [work.host for work in asyncio.run(run())] == ["a.example"]


def test_much_to_tell_is_told_at_once(tmp_path: Path) -> None:
    """Memory is bounded by the beat of reports, and by this."""

    async def run() -> tuple[bool, bool, bool]:
        outbox, _ = outbox_for(make_tools(tmp_path))
        for number in range(RESULTS_MAX - 1):
            outbox.add(7, failed(number))
        before = outbox.is_full.is_set()
        outbox.add(7, failed(0))
        full = outbox.is_full.is_set()
        await outbox.flush()
        return before, full, outbox.is_full.is_set()

    assert asyncio.run(run()) == (False, True, False)


def sitemap(number: int) -> Draft:
    """A sitemap that is read, and lists three megabytes of addresses."""
    url = f"http://a.example/{number}.xml"
    listed = [f"http://a.example/{number}/{entry}?{'x' * 470}" for entry in range(6_000)]
    return Draft(Request(url, Purpose.SITEMAP), make_answer(url), Reading(hrefs=listed))


def test_no_message_grows_with_what_sitemaps_list(tmp_path: Path) -> None:
    """A message beyond the bound of frames would end the connection, and come again for ever."""
    count = 3 * LISTED_BYTES_MAX // 3_000_000

    async def run() -> tuple[Tools, bool, list[News]]:
        tools = make_tools(tmp_path)
        outbox, postbox = outbox_for(tools, syncs=True)
        for number in range(count):
            outbox.add(7, sitemap(number))
        outbox.add(8, digested(tools))
        is_told_soon = outbox.is_full.is_set()
        await outbox.flush()
        return tools, is_told_soon, postbox.news

    tools, is_told_soon, news = asyncio.run(run())
    assert is_told_soon
    assert max(len(msgspec.msgpack.encode(message)) for message in news) < LISTED_BYTES_MAX + 8_000_000
    told = [result.request.url for message in news for report in message.reports for result in report.results]
    assert told == [*(f"http://a.example/{number}.xml" for number in range(count)), "http://a.example/"]
    sizes = [sum(message.marks.values()) for message in news]
    assert sizes == sorted(set(sizes))  # each tells of the files as they were with its own pages
    tools.outputs.acknowledge(news[-1].marks)
    assert tools.outputs.marks() == {}


def test_links_that_were_dropped_are_counted_in_the_news(tmp_path: Path) -> None:
    """Every drop has a reason, also on this side of the wire."""

    async def run() -> list[News]:
        tools = make_tools(tmp_path)
        outbox, postbox = outbox_for(tools)
        tools.outlinks.find("http://a.example/", ["/a/" * 9], 1)
        outbox.add(7, failed(1))
        await outbox.flush()
        return postbox.news

    (news,) = asyncio.run(run())
    assert news.discards == {"trap_repeating_path": 1}


def test_what_a_server_wishes_is_told_at_once(tmp_path: Path) -> None:
    """A harvester that dies before it tells takes the wish along."""

    async def run() -> bool:
        outbox, _ = outbox_for(make_tools(tmp_path))
        busy = make_answer(status=503, fields=[("Retry-After", "60")])
        outbox.add(7, Draft(Request("http://a.example/"), busy))
        return outbox.is_full.is_set()

    assert asyncio.run(run())


def test_pages_of_each_shard_go_to_its_own_files_and_are_told_of_together(tmp_path: Path) -> None:
    """Each shard commits its pages with the marks of the files that hold them, and with no others."""

    async def run() -> list[News]:
        tools = make_tools(tmp_path, is_sharded=True)
        outbox, postbox = outbox_for(tools, syncs=True)
        for shard in (7, 8, 7):
            tools.outputs.begin_visit(shard)
            outbox.add(visit_id(shard, 1), digested(tools, f"http://a.example/{shard}"))
        await outbox.flush()
        return postbox.news

    (news,) = asyncio.run(run())
    assert [report.visit for report in news.reports] == [visit_id(7, 1), visit_id(8, 1)]
    for shard, pages in ((7, 2), (8, 1)):
        (name,) = [name for name in news.marks if name.startswith("corpus/") and shard_of_file(name) == shard]
        lines = (tmp_path / f"{name}.open").read_bytes()
        assert (len(lines.splitlines()), len(lines)) == (pages, news.marks[name])


def test_what_waits_of_a_shard_that_was_revoked_is_not_told(tmp_path: Path) -> None:
    """Neither its pages nor its marks, wherever they wait; who awaits an answer about it goes on at once."""

    async def run() -> tuple[list[News], list[HostWork]]:
        tools = make_tools(tmp_path, is_sharded=True)
        outbox, postbox = outbox_for(tools)
        for shard in (7, 8):
            tools.outputs.begin_visit(shard)
            for number in range(BATCH_MAX // 2 + 1):  # some are written by now, one or two are not
                outbox.add(visit_id(shard, 1), digested(tools, f"http://a.example/{shard}/{number}"))
        waiting = asyncio.ensure_future(outbox.finish(visit_id(7, 1), wants_more=True))
        await asyncio.sleep(0)
        outbox.drop(7)
        tools.outputs.revoke(7)
        works = await waiting
        await outbox.flush()
        return postbox.news, works

    (news,), works = asyncio.run(run())
    assert works == []
    assert [(report.visit, len(report.results)) for report in news.reports] == [
        (visit_id(8, 1), BATCH_MAX // 2 + 1)
    ]
    assert {shard_of_file(name) for name in news.marks} == {8}
    assert news.discards == {"lease_lost": BATCH_MAX // 2 + 1}


def test_a_shard_that_is_revoked_while_the_disk_writes_is_not_told_of(tmp_path: Path) -> None:
    """Its marks would be noted although nobody settles its pages."""

    async def run() -> list[News]:
        tools = make_tools(tmp_path, is_sharded=True)
        outbox, postbox = outbox_for(tools, syncs=True)
        for shard in (7, 8):
            tools.outputs.begin_visit(shard)
            outbox.add(visit_id(shard, 1), digested(tools))
        telling = asyncio.ensure_future(outbox.flush())
        await asyncio.sleep(0)
        assert not postbox.news, "it waits for the disk"
        outbox.drop(7)
        tools.outputs.revoke(7)
        await telling
        return postbox.news

    (news,) = asyncio.run(run())
    assert [report.visit for report in news.reports] == [visit_id(8, 1)]
    assert {shard_of_file(name) for name in news.marks} == {8}
    assert news.discards == {"lease_lost": 1}
