"""Who judges the texts of documents?

The same that judge pages: the model of languages, the keeper's index of
paragraphs, and the segmenter. A keeper or segmenter that does not answer leaves
a text unjudged, and the work goes on.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, cast

import xxhash

from tiptoe import __version__
from tiptoe.cli.control import ask
from tiptoe.convert.text_judging import Candidate, Comparison, Judging, Rate
from tiptoe.decide.storing import store_point
from tiptoe.errors import CrawlerError, ProtocolError
from tiptoe.frontier.duplicity import KNOWN, NEW
from tiptoe.harvest.judgement import UNKNOWN, DuplicityRules, TextJudgement, judge
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.document_texts import StoppedTexts
from tiptoe.protocol.messages import Command
from tiptoe.protocol.work import Question
from tiptoe.segment.catchup import RateTexts, Remote, rate_with
from tiptoe.segment.scorer import Scorer
from tiptoe.segment.segmenter_protocol import TEXT_CHARS_MAX, SubmittedText, cut_text
from tiptoe.settings.layers import Settings
from tiptoe.text.fingerprint import HASH_BYTES, Fingerprint, fingerprint
from tiptoe.text.language import LanguageIdentifier

__all__ = ["OPTIONS", "Comparer", "judging", "rate_in_batches"]

OPTIONS: Final = (
    "text.min_chars", "text.detect_language", "text.languages",
    "text.duplicity", "text.duplicity_min_chars", "text.duplicity_max",
    "segmenter.url", "segmenter.timeout", "segmenter.batch", "segmenter.off",
)  # fmt: skip
"""The settings that say how texts are judged."""

AGAIN_SECONDS: Final = 0.5
AGAIN_MAX: Final = 10
"""How often a text is asked about that a page under way may decide; then it is kept."""

Look = Callable[[list[Question]], dict[int, bytes]]


@contextlib.contextmanager
def judging(settings: Settings, directory: Path) -> Iterator[Judging]:
    """Bring together who judges the texts of a crawl."""
    own = settings.text
    identifier = LanguageIdentifier.load() if own.detect_language else None
    rules = DuplicityRules(chars_min=own.duplicity_min_chars, duplicity_max=own.duplicity_max)
    with Index(directory) as index, _rating(settings) as rate:
        yield Judging(
            store=store_point(
                chars_min=own.min_chars,
                languages=own.languages if identifier else (),
                is_copy=rules.is_copy,
            ),
            identify=identifier.identify_document if identifier else None,
            compare=Comparer(index.look, rules) if own.duplicity else None,
            rate=rate,
        )


# -- how usable? ---------------------------------------------------------


@contextlib.contextmanager
def _rating(settings: Settings) -> Iterator[Rate | None]:
    own = settings.segmenter
    if own.off:
        yield None
    elif not own.url:
        yield rate_in_batches(rate_with(Scorer(wanted=settings.text.languages)), own.batch)
    else:
        agent = f"tiptoe/{__version__}"
        remote = Remote(own.url, agent, timeout_seconds=own.timeout, documents_max=own.batch)
        with contextlib.closing(remote):
            yield rate_in_batches(remote, own.batch)


def rate_in_batches(rate: RateTexts, documents_max: int) -> Rate:
    """Return what rates texts, so many at a time; no answer is an answer too."""

    def rate_all(candidates: list[Candidate]) -> list[float | None]:
        usabilities: dict[str, float | None] = {}
        for batch in _batches(candidates, documents_max):
            # `tiptoe segmenter catch-up` rates later what nobody could rate now.
            with contextlib.suppress(ProtocolError):
                usabilities |= {id: rating.usability for id, rating in rate(batch).items()}
        return [usabilities.get(str(number)) for number in range(len(candidates))]

    return rate_all


def _batches(candidates: list[Candidate], documents_max: int) -> Iterator[list[SubmittedText]]:
    batch: list[SubmittedText] = []
    chars = 0
    for number, candidate in enumerate(candidates):
        paragraphs = cut_text(candidate.text.paragraphs)
        size = sum(map(len, paragraphs))
        if batch and (len(batch) >= documents_max or chars + size > TEXT_CHARS_MAX):
            yield batch
            batch, chars = [], 0
        language = candidate.spoken.language if candidate.spoken else ""
        batch.append(SubmittedText(str(number), candidate.stored.url, language, paragraphs))
        chars += size
    if batch:
        yield batch


# -- said before? --------------------------------------------------------


class Index:
    """The keeper's index of texts: of one that runs over its socket, else in its database."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._stopped = StoppedTexts(directory)

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *problem: object) -> None:
        self._stopped.close()

    def look(self, questions: list[Question]) -> dict[int, bytes]:
        """Return what is known of texts; nothing when the keeper comes or goes in this moment."""
        try:
            if find_keeper(self._directory) is None:
                return self._stopped.look(questions)
            self._stopped.close()  # what it shows is old from now on
            answer = ask(self._directory, Command("known", questions=questions))
            return cast(dict[int, bytes], answer["marks"])
        except CrawlerError:
            return {}


class Comparer:
    """Compares texts with the corpus, and each with those of its batch that come before it."""

    def __init__(
        self, look: Look, rules: DuplicityRules, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._look = look
        self._rules = rules
        self._sleep = sleep

    def __call__(self, candidates: list[Candidate]) -> list[Comparison]:
        """Return what of each text is known."""
        marks = [self._mark(candidate) for candidate in candidates]
        own = [_own_key(candidate, mark) for candidate, mark in zip(candidates, marks, strict=True)]
        urls = [candidate.stored.url for candidate in candidates]
        answers = self._settled(urls, marks, own)
        kept: set[bytes] = set()
        compared = []
        for number, mark in enumerate(marks):
            keys = _keys(mark)
            judgement = judge(mark, _with_kept(answers[2 * number], keys, kept), self._rules)
            is_own = answers[2 * number + 1][:1] == bytes((KNOWN,))
            if is_own or not judgement.is_certain:
                judgement = UNKNOWN
            is_copy = judgement.duplicity is not None and self._rules.is_copy(judgement.duplicity)
            if not is_copy:
                kept.update(keys)
            compared.append(_comparison(judgement, mark, own[number]))
        return compared

    def _mark(self, candidate: Candidate) -> Fingerprint:
        paragraphs = candidate.text.paragraphs
        whole = xxhash.xxh3_64_digest("\n".join(paragraphs).encode("utf-8", "surrogatepass"))
        return fingerprint(paragraphs, whole, chars_min=self._rules.chars_min)

    def _settled(self, urls: list[str], marks: list[Fingerprint], own: list[bytes]) -> dict[int, bytes]:
        """Ask about all texts, and again about those that pages under way may decide."""
        questions = [
            Question(2 * number + is_own, url, own[number] if is_own else marks[number].hashes)
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
                and not judge(marks[question.number // 2], answers[question.number], self._rules).is_certain
            ]
            if not questions:
                break
            self._sleep(AGAIN_SECONDS)
        return answers


def _own_key(candidate: Candidate, mark: Fingerprint) -> bytes:
    """Return by what this very document is known: converted again, it is no copy of itself."""
    return xxhash.xxh3_64_digest(candidate.stored.id.encode() + mark.hashes[:HASH_BYTES])


def _keys(mark: Fingerprint) -> list[bytes]:
    return [mark.hashes[at : at + HASH_BYTES] for at in range(0, len(mark.hashes), HASH_BYTES)]


def _with_kept(answer: bytes, keys: list[bytes], kept: set[bytes]) -> bytes:
    """Return the marks of a text when the texts before it in its batch are known too."""
    if keys[0] in kept:
        return bytes((KNOWN,))
    if len(answer) != len(keys):  # known as a whole, or nobody could say
        return answer
    pairs = zip(answer, keys, strict=True)
    return bytes(KNOWN if known == NEW and key in kept else known for known, key in pairs)


def _comparison(judgement: TextJudgement, mark: Fingerprint, own: bytes) -> Comparison:
    # In second place: the end of a long fingerprint may be cut off.
    learned = mark.hashes[:HASH_BYTES] + own + mark.hashes[HASH_BYTES:]
    return Comparison(judgement.duplicity, judgement.repeated, learned)
