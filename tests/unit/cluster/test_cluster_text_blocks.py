"""Which texts are known, as far as the shards that are held know them?"""

import random

import pytest
from shard_grounds import content_of
from text_grounds import FakeShard, blocks_of, fingerprint_of, held

from simulated.text_world import OneIndex
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.text_blocks import TextBlocks
from tiptoe.cluster.text_inquiries import OpenPart, TextInquiries
from tiptoe.cluster.text_messages import (
    CLAIMS_AGAIN,
    CLAIMS_NOTHING,
    ELSEWHERE,
    WITH_WHOLE,
    AskTexts,
    LearnTexts,
    ShardTexts,
    TextClaim,
    TextPart,
    TextRow,
)
from tiptoe.frontier.duplicity import KNOWN, NEW
from tiptoe.frontier.text_outbox import HAS_WHOLE, IS_KEPT, IS_ONCE, SettledText, text_block, text_blocks
from tiptoe.protocol.work import Question
from tiptoe.text.fingerprint import HASH_BYTES
from tiptoe.url.address import host_of

SHARDS = 8
URL = "http://a.example/"
TEXT = fingerprint_of("first", "second", "third")


def learn(
    blocks: TextBlocks[HeldShard], text: bytes, *, url: str = URL, sender: int = 0, number: int = 1,
    flags: int = IS_KEPT | HAS_WHOLE,
) -> list[int]:  # fmt: skip
    """Tell of one settled text; return where it is stored."""
    concerned = text_blocks(text[:HASH_BYTES] if flags & IS_ONCE else text, SHARDS)
    row = TextRow(number, [SettledText(url, text, flags)])
    message = LearnTexts(sorted(set(concerned)), [ShardTexts(sender, [row])])
    return [shard.shard for shard in blocks.learn([message])]


def ask(blocks: TextBlocks[HeldShard], text: bytes, *, url: str = URL, now: float = 0.0) -> bytes:
    """Ask what is known of one text."""
    part = TextPart(url, text, 1, WITH_WHOLE)
    return blocks.ask(AskTexts("m1", list(text_blocks(text, SHARDS)), [part], []), now).marks[0]


def claim(blocks: TextBlocks[HeldShard], url: str, flags: int = 0, *, asker: str = "m1") -> bytes:
    block = text_block(min(TEXT[at : at + 8] for at in (8, 16, 24)), SHARDS)
    return blocks.ask(AskTexts(asker, [], [], [TextClaim(url, TEXT, block, flags)]), 0.0).claimed[0]


def test_a_text_that_was_learned_is_known() -> None:
    blocks, _ = blocks_of(SHARDS, *range(SHARDS))
    assert ask(blocks, TEXT) == bytes([NEW] * 4)
    learn(blocks, TEXT)
    assert ask(blocks, TEXT) == bytes([KNOWN]) + URL.encode()
    assert ask(blocks, fingerprint_of("second", "other"))[1] == KNOWN
    blocks.check()


def test_blocks_that_are_not_held_are_said_to_be_elsewhere() -> None:
    """Whoever asks asks whoever holds them by then; the others are answered."""
    there = text_blocks(TEXT, SHARDS)
    missing = there[-1]
    blocks, shards = blocks_of(SHARDS, *(set(range(SHARDS)) - {missing}))
    stored = learn(blocks, TEXT)
    assert missing not in stored
    marks = ask(blocks, fingerprint_of("third", "first"))
    assert marks[1] == ELSEWHERE
    assert marks[2] == (ELSEWHERE if there[1] == missing else KNOWN)
    uncertain = shards[there[1]]
    uncertain.is_certain = False
    blocks.look(1.0)
    assert ask(blocks, fingerprint_of("third", "first"))[2] == ELSEWHERE, "another agent may have it by now"


def test_what_is_told_twice_is_learned_once() -> None:
    """A message is repeated when its answer got lost; counted again it would look like furniture."""
    blocks, shards = blocks_of(SHARDS, *range(SHARDS))
    learn(blocks, TEXT, number=1)
    for _ in range(5):
        learn(blocks, TEXT, url="http://b.example/", number=2)
    before = {number: content_of(shard.store) for number, shard in shards.items()}
    again: TextBlocks[HeldShard] = TextBlocks(SHARDS)
    for shard in shards.values():
        again.take(held(shard), settles_at=0.0)
    again.look(0.0)
    learn(again, TEXT, url="http://b.example/", number=2)
    assert {number: content_of(shard.store) for number, shard in shards.items()} == before


def test_a_converted_text_is_told_on_by_the_shard_of_its_whole() -> None:
    """In the same write: so the paragraphs of a text that was told before are not counted again."""
    blocks, shards = blocks_of(SHARDS, *range(SHARDS))
    owner = shards[text_block(TEXT, SHARDS)]
    flags = IS_KEPT | HAS_WHOLE | IS_ONCE
    assert learn(blocks, TEXT, flags=flags) == [owner.shard]
    assert [(text.hashes, text.flags) for text in owner.waiting()] == [(TEXT[HASH_BYTES:], IS_KEPT)]
    learn(blocks, TEXT, number=2, flags=flags)
    assert len(owner.waiting()) == 1
    assert ask(blocks, TEXT) == bytes([KNOWN]) + URL.encode()


def test_one_of_two_pages_with_the_same_text_has_the_claim() -> None:
    blocks, _ = blocks_of(SHARDS, *range(SHARDS))
    assert claim(blocks, URL, CLAIMS_NOTHING) == b""
    assert claim(blocks, URL) == b""
    assert claim(blocks, "http://b.example/", asker="m2") == b"\1\1\1\1"
    blocks.check()


def test_a_block_that_has_come_waits_for_the_claims_that_were_made_elsewhere() -> None:
    """Else both pages would be kept: the one that has the claim, and the one that asks first here."""
    blocks, _ = blocks_of(SHARDS, *range(SHARDS), settles_at=2.0)
    assert claim(blocks, "http://b.example/", asker="m2") == b"\1\1\1\1"
    assert claim(blocks, URL, CLAIMS_AGAIN) == b""
    blocks.look(2.0)
    assert claim(blocks, "http://b.example/", asker="m2") == b"\1\1\1\1"
    assert claim(blocks, URL) == b""


def test_a_shard_that_is_lost_while_it_is_written_to_has_stored_nothing() -> None:
    blocks, shards = blocks_of(SHARDS, *range(SHARDS))
    lost = text_blocks(TEXT, SHARDS)[2]

    shards[lost].is_lost = True
    assert lost not in learn(blocks, TEXT)
    assert ask(blocks, fingerprint_of("second"))[1] == ELSEWHERE
    blocks.check()


@pytest.mark.parametrize("seed", range(5))
def test_an_index_in_blocks_at_several_agents_answers_as_one_does(seed: int) -> None:
    """Furniture, copies and parts of copies: whatever is asked, of pages that come one after the other."""
    chance = random.Random(seed)
    agents = [blocks_of(SHARDS, *range(first, SHARDS, 3))[0] for first in range(3)]
    routes = [str(block % 3) for block in range(SHARDS)]
    one, numbers = OneIndex(), [0] * 3
    for page in range(300):
        url = f"http://h{chance.randrange(6)}.example/{page}"
        words = [f"w{chance.randrange(200)}" for _ in range(chance.randint(1, 8))]
        if chance.random() < 0.5:
            words.append(f"notice of {host_of(url)}")
        text = fingerprint_of(*dict.fromkeys(words))
        pages, is_revisit = one.hosts.counts[host_of(url)], chance.random() < 0.1
        answers: dict[int, bytes] = {}
        question = Question(page, url, text, is_revisit)
        inquiries = TextInquiries(SHARDS)
        inquiry = inquiries.begin(answers.update, 0.0)
        for agent, opened in inquiries.add(inquiry, question, routes, shard=0, pages=pages):
            if isinstance(opened, OpenPart):
                request = AskTexts("m", list(opened.blocks), [opened.part], [])
                inquiries.hear(opened, agents[int(agent)].ask(request, 0.0).marks[0], 0.0)
            else:
                inquiries.hear_claim(opened, b"", 0.0)
        inquiries.start(inquiry)
        alone = one.paragraphs.find_known([question])
        assert answers == alone
        is_kept = chance.random() < 0.8
        one.learn(url, text, is_kept=is_kept)
        for place, blocks in enumerate(agents):
            numbers[place] += 1
            own = [at for at, block in enumerate(text_blocks(text, SHARDS)) if block % 3 == place]
            if own:
                flags = (IS_KEPT if is_kept else 0) | (HAS_WHOLE if own[0] == 0 else 0)
                hashes = b"".join(text[8 * at : 8 * at + 8] for at in own)
                row = TextRow(numbers[place], [SettledText(url, hashes, flags)])
                concerned = sorted(set(text_blocks(hashes, SHARDS)))
                blocks.learn([LearnTexts(concerned, [ShardTexts(0, [row])])])


def test_the_number_up_to_which_texts_were_taken_is_kept_by_each_block() -> None:
    """A block that was not there is told later, what the others have passed long ago."""
    blocks, _ = blocks_of(SHARDS, *range(SHARDS - 1))
    for number in range(1, 40):
        learn(blocks, fingerprint_of(f"text {number}", f"and {number}"), number=number)
    late = FakeShard(SHARDS - 1)
    blocks.take(held(late), settles_at=0.0)
    blocks.look(0.0)
    for number in range(1, 40):
        learn(blocks, fingerprint_of(f"text {number}", f"and {number}"), number=number)
    for number in range(1, 40):
        assert ask(blocks, fingerprint_of(f"text {number}", f"and {number}"))[0] == KNOWN
    assert content_of(late.store)


def test_a_text_that_left_the_corpus_is_new_again_where_it_is_met() -> None:
    """Each block forgets the hashes it knows; what another site has as well stays known."""
    blocks, shards = blocks_of(SHARDS, *range(SHARDS))
    learn(blocks, TEXT)
    learn(blocks, fingerprint_of("third", "fourth"), url="http://b.example/", number=2)
    assert ask(blocks, TEXT, url="http://c.example/") == bytes([KNOWN]) + URL.encode()
    for block in set(text_blocks(TEXT, SHARDS)):
        keys = [TEXT[at : at + HASH_BYTES] for at in range(0, len(TEXT), HASH_BYTES)]
        own = b"".join(key for key in keys if text_block(key, SHARDS) == block)
        blocks.unlearn(held(shards[block]), [(URL, own)], is_whole_host=True)
    marks = ask(blocks, TEXT, url="http://c.example/")
    assert marks[:3] == bytes([NEW] * 3)
    assert marks[3] == KNOWN
    blocks.check()
