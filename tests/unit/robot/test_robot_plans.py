"""What does a robot send next, when does it call again, and should its crawl run?"""

from hypothesis import given
from hypothesis import strategies as st

from tiptoe.robot.batch_plan import BatchPlan, FileStretch, plan_batch, waiting_bytes
from tiptoe.robot.line_patience import WAIT_SECONDS_MAX, LinePatience
from tiptoe.robot.wanted_crawl import WantedCrawl


def test_a_batch_takes_files_in_order_up_to_its_length() -> None:
    plan = plan_batch(7, {"corpus/b": 50, "corpus/a": 80, "gone/a": 9}, {"corpus/a": 20}, bytes_max=100)
    assert plan == BatchPlan(7, [FileStretch("corpus/a", 20, 80), FileStretch("corpus/b", 0, 40)])


def test_nothing_new_is_no_batch() -> None:
    assert plan_batch(1, {"corpus/a": 80}, {"corpus/a": 80}) is None
    assert plan_batch(1, {"corpus/a": 70}, {"corpus/a": 80}) is None  # cut back: wait until it has grown


@given(
    sizes=st.dictionaries(st.sampled_from("abcde"), st.integers(0, 500)),
    bytes_max=st.integers(1, 200),
)
def test_batches_hold_every_byte_once(sizes: dict[str, int], bytes_max: int) -> None:
    """Nothing is lost between two batches, and nothing is in both."""
    sent: dict[str, int] = {}
    held: list[FileStretch] = []
    while (plan := plan_batch(1, sizes, sent, bytes_max=bytes_max)) is not None:
        assert sum(stretch.last - stretch.first for stretch in plan.stretches) <= bytes_max
        assert all(stretch.first == sent.get(stretch.name, 0) for stretch in plan.stretches)
        held += plan.stretches
        sent |= {stretch.name: stretch.last for stretch in plan.stretches}
    assert sum(stretch.last - stretch.first for stretch in held) == sum(sizes.values())
    assert waiting_bytes(sizes, sent) == 0


def test_calls_are_repeated_ever_more_slowly_and_never_all_at_once() -> None:
    patience = LinePatience()
    waits = [patience.fail(chance=0.0) for _ in range(12)]
    assert waits[:4] == [0.5, 1.0, 2.0, 4.0]
    assert waits[-1] == WAIT_SECONDS_MAX
    assert LinePatience().fail(chance=1.0) == 0.25
    patience.succeed()
    assert patience.fail(chance=0.0) == 0.5
    assert patience.fail(chance=0.0, at_least=30.0) == 30.0


def test_a_crawl_that_was_cut_off_is_started_again_and_one_that_ended_is_not() -> None:
    wish = WantedCrawl(is_wanted=True)
    assert wish.should_start(is_alive=False, has_ended=False, now=0.0)
    wish.note_try(0.0)
    assert not wish.should_start(is_alive=False, has_ended=False, now=5.0)  # it has just been tried
    assert wish.should_start(is_alive=False, has_ended=False, now=10.0)
    assert not wish.should_start(is_alive=True, has_ended=False, now=99.0)
    assert not wish.should_start(is_alive=False, has_ended=True, now=99.0)
    assert not wish.is_wanted


def test_a_crawl_that_dies_again_and_again_is_started_ever_more_rarely() -> None:
    wish, now, starts = WantedCrawl(is_wanted=True), 0.0, []
    while now < 4000.0:
        if wish.should_start(is_alive=False, has_ended=False, now=now):
            wish.note_try(now)
            starts.append(now)
        now += 1.0
    assert starts[:5] == [0.0, 10.0, 30.0, 70.0, 150.0]
    assert len(starts) < 12


def test_a_crawl_that_has_lived_for_a_while_is_started_again_at_once() -> None:
    wish = WantedCrawl(is_wanted=True)
    for now in (0.0, 10.0, 30.0):
        wish.note_try(now)
    assert not wish.should_start(is_alive=True, has_ended=False, now=2000.0)
    assert wish.should_start(is_alive=False, has_ended=False, now=2001.0)


def test_nobody_has_said_start_so_nothing_is_started() -> None:
    wish = WantedCrawl()
    assert not wish.should_start(is_alive=False, has_ended=False, now=0.0)
    wish.want()
    assert wish.should_start(is_alive=False, has_ended=False, now=0.0)
    wish.leave()
    assert not wish.should_start(is_alive=False, has_ended=False, now=0.0)
