"""What is known of a text, when several agents know some of it each?"""

from text_grounds import fingerprint_of

from tiptoe.cluster.text_inquiries import (
    MOVING_SECONDS,
    QUESTION_SECONDS,
    RETRY_SECONDS,
    OpenClaim,
    Opened,
    OpenPart,
    TextInquiries,
)
from tiptoe.cluster.text_messages import CLAIMS_AGAIN, CLAIMS_NOTHING, ELSEWHERE, WITH_WHOLE
from tiptoe.frontier.duplicity import CLAIMED, FURNITURE, KNOWN, NEW
from tiptoe.frontier.text_outbox import text_block, text_blocks
from tiptoe.protocol.work import Question

SHARDS = 8
ROUTES = ["near", "far"] * 4
TEXT = fingerprint_of(*"abcdefgh")
URL = "http://a.example/"


class Asking:
    """Inquiries about one page at a time, and what comes of them."""

    def __init__(self) -> None:
        self.inquiries = TextInquiries(SHARDS)
        self.answers: list[bytes] = []

    def ask(self, text: bytes = TEXT, *, url: str = URL, is_look: bool = False) -> list[Opened]:
        inquiry = self.inquiries.begin(lambda answers: self.answers.append(answers[7]), 0.0)
        opened = self.inquiries.add(
            inquiry, Question(7, url, text), ROUTES, shard=3, pages=1, is_look=is_look
        )
        self.inquiries.start(inquiry)
        return opened

    def hear(
        self, opened: list[Opened], marks: int = NEW, claimed: bytes | None = b"", now: float = 0.0
    ) -> None:
        for _, one in opened:
            if isinstance(one, OpenPart):
                self.inquiries.hear(one, bytes([marks]) * len(one.places), now)
            else:
                self.inquiries.hear_claim(one, claimed, now)
        self.inquiries.finish(now)


def parts_in(opened: list[Opened]) -> list[OpenPart]:
    return [one for _, one in opened if isinstance(one, OpenPart)]


def test_every_hash_is_asked_of_whoever_holds_its_block() -> None:
    opened = Asking().ask()
    blocks = text_blocks(TEXT, SHARDS)
    for agent, one in opened:
        if isinstance(one, OpenPart):
            assert {ROUTES[block] for block in one.blocks} == {agent}
            assert list(one.blocks) == list(text_blocks(one.part.hashes, SHARDS))
            assert bool(one.part.flags & WITH_WHOLE) == (0 in one.places)
    assert sorted(place for part in parts_in(opened) for place in part.places) == list(range(len(blocks)))


def test_the_claim_is_asked_where_copies_meet() -> None:
    """Also such as differ in a short line, which makes another whole of them."""
    (claim,) = [one for _, one in Asking().ask() if isinstance(one, OpenClaim)]
    other = TEXT[-8:] + TEXT[8:]
    (near_copy,) = [one for _, one in Asking().ask(other) if isinstance(one, OpenClaim)]
    smallest = min(TEXT[at : at + 8] for at in range(8, len(TEXT), 8))
    assert claim.claim.block == near_copy.claim.block == text_block(smallest, SHARDS)
    assert claim.claim.hashes == TEXT


def test_answers_are_put_together_when_the_last_has_come() -> None:
    asking = Asking()
    opened = asking.ask()
    for _, one in opened[:-1]:
        assert isinstance(one, OpenPart)
        marks = [FURNITURE if place == 2 else KNOWN if place % 2 else NEW for place in one.places]
        asking.inquiries.hear(one, bytes(marks), 0.0)
        asking.inquiries.finish(0.0)
    assert asking.answers == []
    asking.hear(opened[-1:], claimed=bytes([1, 1, 1, 0, 0, 0, 0, 0, 1]))
    assert asking.answers == [bytes([CLAIMED, KNOWN, FURNITURE, KNOWN, NEW, KNOWN, NEW, KNOWN, CLAIMED])]


def test_a_text_that_is_known_whole_needs_no_further_word() -> None:
    asking = Asking()
    opened = asking.ask()
    known = bytes([KNOWN]) + b"http://first.example/"
    for _, one in opened:
        if isinstance(one, OpenPart):
            asking.inquiries.hear(one, known if 0 in one.places else bytes(len(one.places)), 0.0)
        else:
            asking.inquiries.hear_claim(one, b"", 0.0)
    asking.inquiries.finish(0.0)
    assert asking.answers == [known]


def test_nobody_waits_beyond_the_limit() -> None:
    """What is not answered by then passes for new; of a text without any answer nobody could say."""
    asking = Asking()
    first, second = asking.ask(), asking.ask(url="http://b.example/")
    part = parts_in(first)[0]
    asking.inquiries.hear(part, bytes([KNOWN]) * len(part.places) if part.places[0] else b"\0" * 9, 0.0)
    asking.inquiries.finish(QUESTION_SECONDS - 0.1)
    assert asking.answers == []
    asking.inquiries.finish(QUESTION_SECONDS)
    assert len(asking.answers) == 2
    assert set(asking.answers[0]) <= {NEW, KNOWN}
    assert asking.answers[1] == b""
    asking.hear(second)  # too late
    assert len(asking.answers) == 2


def test_what_is_elsewhere_is_asked_of_whoever_holds_it_a_little_later() -> None:
    asking = Asking()
    asking.hear(asking.ask(), marks=ELSEWHERE, claimed=bytes([ELSEWHERE]))
    assert asking.answers == []
    assert asking.inquiries.take_again(ROUTES, RETRY_SECONDS / 2) == []
    again = asking.inquiries.take_again(["new"] * SHARDS, RETRY_SECONDS)
    assert {agent for agent, _ in again} == {"new"}
    asking.hear(again, marks=KNOWN, claimed=b"", now=RETRY_SECONDS)
    assert len(asking.answers) == 1
    assert len(asking.inquiries) == 0


def test_it_is_asked_again_no_longer_than_somebody_waits() -> None:
    asking = Asking()
    opened = asking.ask()
    now = 0.0
    while opened:
        asking.hear(opened, marks=ELSEWHERE, claimed=bytes([ELSEWHERE]), now=now)
        now += RETRY_SECONDS
        opened = asking.inquiries.take_again(ROUTES, now)
    asking.inquiries.finish(now)
    assert MOVING_SECONDS <= now <= MOVING_SECONDS + 2 * RETRY_SECONDS
    assert asking.answers == [b""]


def test_a_block_on_its_way_is_waited_for_longer_than_one_whose_holder_is_silent() -> None:
    """Its next holder reads its log first; nobody knows whether a silent one will ever answer."""
    asking = Asking()
    asking.hear(asking.ask(), marks=ELSEWHERE, claimed=b"")
    asking.inquiries.finish(QUESTION_SECONDS)
    assert asking.answers == []
    asking.hear(asking.inquiries.take_again(ROUTES, MOVING_SECONDS - RETRY_SECONDS), marks=KNOWN)
    assert [answer[0] for answer in asking.answers] == [KNOWN]


def test_claims_go_after_their_block() -> None:
    """Only what this page was the first to ask about: others have the rest."""
    asking = Asking()
    asking.hear(asking.ask(), claimed=bytes([0, 1, 0, 0, 0, 0, 0, 0, 0]))
    block = text_block(min(TEXT[at : at + 8] for at in range(8, len(TEXT), 8)), SHARDS)
    assert asking.inquiries.claim_again({(block + 1) % SHARDS}, ROUTES, 1.0) == []
    ((agent, one),) = asking.inquiries.claim_again({block}, ["new"] * SHARDS, 1.0)
    assert agent == "new"
    assert isinstance(one, OpenClaim)
    assert one.claim.hashes == TEXT[:8] + TEXT[16:]
    assert one.claim.flags == CLAIMS_AGAIN


def test_a_page_that_is_no_longer_under_way_has_no_claims() -> None:
    asking = Asking()
    asking.hear(asking.ask())
    asking.hear(asking.ask(url="http://b.example/"))
    assert asking.inquiries.of_shard(3) == [URL, "http://b.example/"]
    ((block, url),) = asking.inquiries.end([URL, "http://never.asked/"])
    assert url == URL
    ((_, one),) = asking.inquiries.claim_again({block}, ROUTES, 0.0)
    assert isinstance(one, OpenClaim)
    assert one.claim.url == "http://b.example/"


def test_a_page_that_ends_before_its_claim_is_sent_claims_nothing() -> None:
    """That it has ended is said with the same request, before its claim is read."""
    asking = Asking()
    (claim,) = [one for _, one in asking.ask() if isinstance(one, OpenClaim)]
    assert claim.claim.flags == claim.flags == 0
    asking.inquiries.end([URL])
    assert claim.claim.flags == claim.flags == CLAIMS_NOTHING


def test_a_text_that_no_visit_brings_claims_nothing() -> None:
    asking = Asking()
    opened = asking.ask(is_look=True)
    (claim,) = [one for _, one in opened if isinstance(one, OpenClaim)]
    assert claim.claim.flags == CLAIMS_NOTHING
    asking.hear(opened)
    assert asking.inquiries.claim_again(range(SHARDS), ROUTES, 0.0) == []


def test_a_page_without_any_text_is_answered_at_once() -> None:
    asking = Asking()
    assert asking.ask(b"") == []
    assert asking.answers == [b""]


def test_what_is_no_whole_number_of_hashes_harms_nobody() -> None:
    """Harvesters may be of another make."""
    asking = Asking()
    asking.hear(asking.ask(TEXT + b"abc"))
    assert asking.answers == [bytes(9)]
