"""Under which rules is a request made, and what does the request log say about it?"""

from dataclasses import dataclass

from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.harvest.retry_after import retry_after
from tiptoe.protocol.work import RobotsNote
from tiptoe.write.logentries import RequestEntry

__all__ = ["RequestContext", "entry_of"]


@dataclass(slots=True, kw_only=True)
class RequestContext:
    """What the keeper and the rules of the host say about a request; most of it is logged for the audit."""

    visit: int
    host: str
    address: str
    delay: float
    rules: RobotsNote | None = None
    decision: str = "allowed"
    rules_request: str = ""  # which of a host's rules are requested: "robots" or "tdmrep"
    texts: bytes = b""  # hashes of the host's last texts: see `frontier/repetition.py`
    prose: bytes = b""  # hashes of the host's latest prose: see `frontier/novelty.py`
    is_broken_off: bool = False  # the answer is no longer wanted, and the task that awaits it is cancelled


def entry_of(
    answer: Answer | Failed, context: RequestContext, *, purpose: str, harvester: str, ended_at: float
) -> RequestEntry:
    """Return the line of the request log for a request that has ended."""
    status: int | None = None
    failure: str | None = None
    wish = 0.0
    truncated: str | None = None
    if isinstance(answer, Failed):
        failure = answer.failure.value
        size = answer.bytes_received
    else:
        status = answer.status
        wish = retry_after(answer)
        truncated = answer.truncated
        size = len(answer.header_block) + len(answer.body)
    return RequestEntry(
        started_at=ended_at - answer.seconds,
        ended_at=ended_at,
        host=context.host,
        address=context.address,
        url=answer.url,
        purpose=purpose,
        robots=context.decision,
        delay=context.delay,
        visit=str(context.visit),
        harvester=harvester,
        status=status,
        failure=failure,
        bytes_received=size,
        crawl_delay=(context.rules.crawl_delay or None) if context.rules else None,
        retry_after=wish or None,
        truncated=truncated,
    )
