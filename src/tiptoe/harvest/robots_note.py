"""What does an answer to a request for robots.txt mean?

RFC 9309, 2.3.1.
"""

import time

from tiptoe.fetch.coding import Decoded, decode_body
from tiptoe.fetch.limits import ROBOTS_BYTES_MIN
from tiptoe.fetch.outcome import Answer
from tiptoe.fetch.robots import BODY_BYTES_MAX, parse_robots
from tiptoe.harvest.retry_after import retry_after
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import RobotsNote, RobotsState
from tiptoe.url.suspects import LinkingAnswer

__all__ = ["is_whole", "robots_note"]


def robots_note(answer: Answer, tools: Tools) -> RobotsNote:
    """Return the rules in an answer, or why there are none."""
    if 200 <= answer.status < 300:
        text = _rules_text(answer, tools)
        if text is None:
            return RobotsNote(RobotsState.UNREACHABLE)
        began = time.perf_counter()
        robots = parse_robots(text, tools.agent)
        tools.activities.spent("robots", began)
        sitemaps = [url for href in robots.sitemaps if (url := tools.outlinks.resolve(answer.url, href))]
        return RobotsNote(RobotsState.RULES, list(robots.rules), robots.crawl_delay or 0.0, sitemaps)
    if 300 <= answer.status < 400 and "location" in answer.headers:
        location = tools.outlinks.redirect(LinkingAnswer(answer.url), answer.headers["location"])
        if location:
            return RobotsNote(RobotsState.MOVED, location=location)
    if answer.status >= 500 or answer.status == 429:
        return RobotsNote(RobotsState.UNREACHABLE, retry_after=retry_after(answer))
    return RobotsNote(RobotsState.RULES)  # the file does not exist: no rules


def _rules_text(answer: Answer, tools: Tools) -> bytes | None:
    """Return the text of a robots.txt; None if any part is missing that we would have to read."""
    bytes_max = max(tools.limits.decoded_bytes_max, ROBOTS_BYTES_MIN)
    decoded = decode_body(answer.body, answer.headers.get("content-encoding"), bytes_max)
    is_enough = len(decoded.data) > BODY_BYTES_MAX and b"\0" not in decoded.data
    return decoded.data if is_whole(answer, decoded) or is_enough else None


def is_whole(answer: Answer, decoded: Decoded) -> bool:
    """Whether a file is complete: neither truncated nor damaged in its content coding."""
    # Many servers announce a coding but send plain text: then nothing is missing.
    is_readable = decoded.complete or (decoded.data == answer.body and _is_utf8(answer.body))
    return is_readable and answer.truncated is None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
