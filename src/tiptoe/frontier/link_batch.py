"""Which links to one host were found together?"""

import msgspec

from tiptoe.frontier.priority import class_of
from tiptoe.frontier.queues import Chunk
from tiptoe.protocol.work import HostLinks, Request
from tiptoe.url.address import host_of, page_key

__all__ = ["LinkBatch"]


class LinkBatch(msgspec.Struct, array_like=True, tag=0, gc=False):
    """Links to one host that were found together, and what their requests will have in common."""

    links: HostLinks
    template: Chunk  # the intake fills in its URLs
    queue_class: int  # see `priority`
    inlink: int = 1  # the host that recommends this one, as one bit of 64; 0 = none
    is_foreign: bool = False  # found on another host

    @property
    def host(self) -> str:
        """The host that the links lead to."""
        return self.links.host

    @classmethod
    def single(cls, request: Request, hint: int = -1) -> "LinkBatch":
        """Return a batch of a single request."""
        links = HostLinks(host_of(request.url), [request.url], page_key(request.url))
        queue_class = class_of(request.purpose, request.depth, request.usability, hint)
        return cls(links, Chunk.of(request), queue_class)
