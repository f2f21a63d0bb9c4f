"""Is the text of a document already in the corpus?

Documents are compared like pages, using the same index of paragraphs. Each is also compared
with those before it in its batch.
"""

import time
from collections.abc import Callable
from typing import Final

import xxhash

from tiptoe.convert.text_judging import Candidate, Comparison
from tiptoe.frontier.duplicity import KNOWN, NEW
from tiptoe.harvest.judgement import UNKNOWN, DuplicityRules, TextJudgement, judge
from tiptoe.protocol.work import Question
from tiptoe.text.fingerprint import HASH_BYTES, Fingerprint, fingerprint_of

__all__ = ["Comparer"]

AGAIN_SECONDS: Final = 0.5
AGAIN_MAX: Final = 10
"""Maximum number of times we ask about a text that depends on a page under way; after that it is kept."""

Look = Callable[[list[Question]], dict[int, bytes]]


class Comparer:
    """Compares texts with the corpus, and each with those before it in its batch."""

    def __init__(
        self, look: Look, rules: DuplicityRules, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._look = look
        self._rules = rules
        self._sleep = sleep

    def __call__(self, candidates: list[Candidate]) -> list[Comparison]:
        """Return what is known of each text."""
        fingerprints = [self._fingerprint(candidate) for candidate in candidates]
        own = [
            _own_key(candidate, fingerprint)
            for candidate, fingerprint in zip(candidates, fingerprints, strict=True)
        ]
        urls = [candidate.stored.url for candidate in candidates]
        answers = self._settled(urls, fingerprints, own)
        kept: set[bytes] = set()
        compared = []
        for number, fingerprint in enumerate(fingerprints):
            keys = _keys(fingerprint)
            judgement = judge(fingerprint, _with_kept(answers[2 * number], keys, kept), self._rules)
            is_own = answers[2 * number + 1][:1] == bytes((KNOWN,))
            if is_own or not judgement.is_certain:
                judgement = UNKNOWN
            is_copy = judgement.duplicity is not None and self._rules.is_copy(judgement.duplicity)
            if not is_copy:
                kept.update(keys)
            compared.append(_comparison(judgement, fingerprint, own[number]))
        return compared

    def _fingerprint(self, candidate: Candidate) -> Fingerprint:
        paragraphs = candidate.text.paragraphs
        whole = xxhash.xxh3_64_digest("\n".join(paragraphs).encode("utf-8", "surrogatepass"))
        return fingerprint_of(paragraphs, whole, chars_min=self._rules.chars_min)

    def _settled(
        self, urls: list[str], fingerprints: list[Fingerprint], own: list[bytes]
    ) -> dict[int, bytes]:
        """Return the marks of all texts; ask again about those that depend on pages under way."""
        questions = [
            Question(2 * number + is_own, url, own[number] if is_own else fingerprints[number].hashes)
            for number, url in enumerate(urls)
            for is_own in (False, True)
        ]
        answers = {question.number: b"" for question in questions}
        for _ in range(AGAIN_MAX):
            answers |= self._look(questions)
            questions = [
                question
                for question in questions
                if question.number % 2 == 0
                and not judge(
                    fingerprints[question.number // 2], answers[question.number], self._rules
                ).is_certain
            ]
            if not questions:
                break
            self._sleep(AGAIN_SECONDS)
        return answers


def _own_key(candidate: Candidate, fingerprint: Fingerprint) -> bytes:
    """Return the key of this very document, so that it is no copy of itself when converted again."""
    return xxhash.xxh3_64_digest(candidate.stored.id.encode() + fingerprint.hashes[:HASH_BYTES])


def _keys(fingerprint: Fingerprint) -> list[bytes]:
    return [fingerprint.hashes[at : at + HASH_BYTES] for at in range(0, len(fingerprint.hashes), HASH_BYTES)]


def _with_kept(answer: bytes, keys: list[bytes], kept: set[bytes]) -> bytes:
    """Return the marks of a text, with the texts kept before it in its batch counted as known."""
    if keys[0] in kept:
        return bytes((KNOWN,))
    if len(answer) != len(keys):  # known as a whole, or no answer
        return answer
    pairs = zip(answer, keys, strict=True)
    return bytes(KNOWN if known == NEW and key in kept else known for known, key in pairs)


def _comparison(judgement: TextJudgement, fingerprint: Fingerprint, own: bytes) -> Comparison:
    # The own key comes second, since the end of a long fingerprint may be cut off.
    learned = fingerprint.hashes[:HASH_BYTES] + own + fingerprint.hashes[HASH_BYTES:]
    return Comparison(judgement.duplicity, judgement.repeated, learned)
