"""Does a segmenter keep the contract?

Each check is a function with a name, an expectation and a result; only HTTP is used,
so the language in which the segmenter is written does not matter. The rules are those
of docs/protocols/segmenter.md.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import msgspec

from tiptoe.segment.caller import Broken, Caller, ratings_of, want
from tiptoe.segment.segmenter_protocol import (
    ABOUT_PATH,
    PROTOCOL_VERSION,
    SEGMENT_PATH,
    About,
    SubmittedText,
    TextBatch,
    encode,
)

__all__ = ["CHECKS", "Outcome", "check_segmenter"]

PROSE: Final = [
    "The old mill stands at the end of the village, where the road turns towards the river.",
    "Nobody has ground flour in it for sixty years, but the wheel still moves when the water is high. "
    "Children are told not to go near it, and of course they do.",
    "Last autumn a carpenter from the next valley came to look at the roof. He measured everything twice, "
    "wrote the numbers into a small book and promised to return in spring.",
]
UNICODE: Final = [
    "Příliš žluťoučký kůň úpěl ďábelské ódy. “Quoted” – and \\ back/slashes, tabs\t, \u2028 separators.",
    "日本語の文章です。Ελληνικά. Русский текст. עברית. العربية. 😀👩‍👩‍👧‍👦 𝒳 \u0301 \u0000 \u001f",
]
MENU: Final = ["Home", "About us", "Contact", "Sign in"]
TITLES: Final = ["The mill by the river", "Sixty years without flour", "A carpenter measures twice"] * 10
BIG_BATCH: Final = 500
LONG_CHARS: Final = 1_000_000
AT_ONCE: Final = 8
PAGES: Final = 50
TIME_LIMIT_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one check found."""

    name: str
    expected: str
    came: str
    seconds: float
    is_kept: bool


# -- the checks: each returns what was received, in words ----------------


def about(caller: Caller) -> str:
    came = caller.call(ABOUT_PATH)
    want(came.status == 200, f"status {came.status}")
    try:
        said = msgspec.json.decode(came.body, type=About)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise Broken(f"not what is expected: {problem}") from None
    want(said.protocol == PROTOCOL_VERSION, f"protocol {said.protocol}")
    return f"{said.name[:60]} {said.version[:30]}, protocol {said.protocol}"


def head(caller: Caller) -> str:
    came = caller.call(ABOUT_PATH, method="HEAD")
    want(came.status < 500 and not came.body, f"status {came.status}, {len(came.body)} bytes")
    return f"status {came.status}"


def unknown_path(caller: Caller) -> str:
    came = caller.call("/v1/no-such-thing")
    want(came.status == 404, f"status {came.status}")
    return "status 404"


def prose(caller: Caller) -> str:
    rating = caller.segment([SubmittedText("one", "https://a.example/", "en", PROSE)])["one"]
    want(rating.usability is not None, "usability null")
    return f"usability {rating.usability}"


def nothing_to_judge(caller: Caller) -> str:
    texts = [[], MENU, TITLES]
    ratings = caller.segment(
        [SubmittedText(str(number), "", "en", text) for number, text in enumerate(texts)]
    )
    lines = [ratings[str(number)].usability for number in range(len(texts))]
    want(0.0 not in lines, f"usability {', '.join(map(str, lines))}")
    return f"usability {', '.join(map(str, lines))}"


def empty_batch(caller: Caller) -> str:
    caller.segment([])
    return "no documents"


def empty_documents(caller: Caller) -> str:
    ratings = caller.segment([SubmittedText("none"), SubmittedText("blank", "", "", [""])])
    return f"usability {ratings['none'].usability} and {ratings['blank'].usability}"


def big_batch(caller: Caller) -> str:
    ratings = caller.segment([SubmittedText(f"d{number}", "", "", PROSE) for number in range(BIG_BATCH)])
    values = {rating.usability for rating in ratings.values()}
    want(len(values) == 1, f"{len(values)} different usabilities for one text")
    return f"{len(ratings)} documents"


def long_paragraph(caller: Caller) -> str:
    sentence = PROSE[0] + " "
    text = (sentence * (LONG_CHARS // len(sentence) + 1))[:LONG_CHARS]
    rating = caller.segment([SubmittedText("long", "", "", [text])])["long"]
    return f"usability {rating.usability}"


def unicode(caller: Caller) -> str:
    strange = 'příliš-žluťoučký/😀 "quoted" \\ id'
    caller.segment(
        [
            SubmittedText(strange, "https://a.example/?q=%C5%99&x=1", "cs", UNICODE),
            SubmittedText("2", "", "", UNICODE),
        ]
    )
    return "ids and texts came through"


def ids(caller: Caller) -> str:
    names = [*("3", "1", "2"), "x" * 200, "01", "1.0", "null"]
    caller.segment([SubmittedText(name, "", "", PROSE) for name in names])
    return f"{len(names)} ids kept"


def usability_range(caller: Caller) -> str:
    texts = [PROSE, UNICODE, ["Home", "About", "Contact"], ["."], ["1 2 3 4"], ["a" * 5000], PROSE * 20]
    ratings = caller.segment([SubmittedText(str(number), "", "", text) for number, text in enumerate(texts)])
    values = [rating.usability for rating in ratings.values() if rating.usability is not None]
    want(bool(values), "nothing is rated")
    return f"from {min(values)} to {max(values)}"


def determinism(caller: Caller) -> str:
    texts = [SubmittedText("a", "", "", PROSE), SubmittedText("b", "", "", UNICODE)]
    first, second = caller.segment(texts), caller.segment(texts[::-1])
    alone = caller.segment(texts[:1])
    told = {first["a"].usability, second["a"].usability, alone["a"].usability}
    want(
        len(told) == 1 and first["b"].usability == second["b"].usability,
        f"usability {sorted(map(str, told))}",
    )
    return "the same each time"


def unknown_fields(caller: Caller) -> str:
    document = {"id": "1", "paragraphs": PROSE, "colour": "blue", "nested": {"deep": [1, None, {}]}}
    body = msgspec.json.encode({"documents": [document], "future": True})
    ratings_of(caller.call(SEGMENT_PATH, body), ["1"])
    return "passed over"


def left_out_fields(caller: Caller) -> str:
    body = msgspec.json.encode({"documents": [{"id": "1", "paragraphs": PROSE}]})
    ratings_of(caller.call(SEGMENT_PATH, body), ["1"])
    return "url and language left out"


BAD_BODIES: Final = (
    b"",
    b"{",
    b"nonsense",
    b'{"documents":',
    b"\xff\xfe\x00",
    b"[]",
    b'{"documents":7}',
    b"null",
)


def wrong_json(caller: Caller) -> str:
    statuses = []
    for body in BAD_BODIES:
        came = caller.call(SEGMENT_PATH, body)
        want(400 <= came.status < 500, f"status {came.status} for {body!r}")
        statuses.append(came.status)
    caller.segment([SubmittedText("1", "", "", PROSE)])  # it must have survived the requests above
    return f"status {', '.join(map(str, sorted(set(statuses))))}"


def keep_alive(caller: Caller) -> str:
    body = encode(TextBatch([SubmittedText("1", "", "", PROSE)]))
    with caller.again() as fresh:
        answers = [fresh.call(SEGMENT_PATH, body) for _ in range(5)]
    for came in answers:
        ratings_of(came, ["1"])
    opened = sum(came.connections for came in answers)
    want(opened == 1, f"{opened} connections for 5 requests")
    return "5 requests over 1 connection"


def concurrent_batches(caller: Caller) -> str:
    def ask(worker: int) -> None:
        with caller.again() as mine:
            for turn in range(3):
                mine.segment(
                    [SubmittedText(f"{worker}-{turn}-{number}", "", "", PROSE) for number in range(20)]
                )

    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(ask, range(AT_ONCE)))
    return f"{AT_ONCE} at once, no answer mixed up"


def time_limit(caller: Caller) -> str:
    names = [str(number) for number in range(PAGES)]
    batch = encode(TextBatch([SubmittedText(name, "", "", PROSE * 8) for name in names]))
    answers = [caller.call(SEGMENT_PATH, batch) for _ in range(3)]
    for came in answers:
        ratings_of(came, names)
    slowest = max(came.seconds for came in answers)
    want(slowest < TIME_LIMIT_SECONDS, f"{slowest:.2f} s for {PAGES} pages")
    return f"{slowest * 1000:.0f} ms for {PAGES} pages"


CHECKS: Final[dict[str, tuple[Callable[[Caller], str], str]]] = {
    "about": (about, f"GET {ABOUT_PATH} gives name, version and protocol {PROTOCOL_VERSION}"),
    "prose": (prose, "a usability from 0 to 1 for plain prose"),
    "nothing to judge": (nothing_to_judge, "null for menus and lists of titles; 0 is for text"),
    "range": (usability_range, "every usability from 0 to 1, or null"),
    "ids": (ids, "every document answered once, by its id, which is a text"),
    "empty batch": (empty_batch, "no documents in, no documents out"),
    "empty documents": (empty_documents, "documents without text are rated too"),
    "big batch": (big_batch, f"{BIG_BATCH} documents in one request"),
    "long paragraph": (long_paragraph, f"one paragraph of {LONG_CHARS:,} characters"),
    "unicode": (unicode, "any text and any id, control characters included"),
    "unknown fields": (unknown_fields, "fields that it does not know are passed over"),
    "left out fields": (left_out_fields, "only id and paragraphs are sent always"),
    "wrong json": (wrong_json, "status 4xx, and it goes on serving"),
    "unknown path": (unknown_path, "status 404"),
    "head": (head, f"HEAD {ABOUT_PATH} is answered without a body"),
    "same again": (determinism, "one text, one usability, whatever is asked beside it"),
    "keep-alive": (keep_alive, "requests follow each other over one connection"),
    "at once": (concurrent_batches, f"{AT_ONCE} connections served at the same time"),
    "time limit": (time_limit, f"{PAGES} pages within {TIME_LIMIT_SECONDS:.0f} s"),
}
"""The checks by name, and what each expects."""


def check_segmenter(url: str, *, timeout_seconds: float = 10.0) -> Iterator[Outcome]:
    """Yield the outcome of every check of the segmenter at `url`."""
    with Caller(url, timeout_seconds) as caller:
        for name, (check, expected) in CHECKS.items():
            began = time.monotonic()
            try:
                came, is_kept = check(caller), True
            except Broken as problem:
                came, is_kept = str(problem), False
            yield Outcome(name, expected, came, time.monotonic() - began, is_kept)
