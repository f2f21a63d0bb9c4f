"""What does a page say about another place?"""

import msgspec

from tiptoe.frontier.priority import class_of
from tiptoe.frontier.queues import Chunk
from tiptoe.protocol.work import HostLinks, Request
from tiptoe.url.address import host_of, page_key

__all__ = ["LinkBatch"]


class LinkBatch(msgspec.Struct, array_like=True, tag=0, gc=False):
    """Links to one host that were found together."""

    links: HostLinks
    template: Chunk  # what the new requests have in common; its URLs are filled in by the intake
    queue_class: int  # see `priority`
    inlink: int = 1  # who says that this host is worth a visit: one bit of 64; 0 = nobody
    is_foreign: bool = False  # found on another host

    @property
    def host(self) -> str:
        """Where the links lead."""
        return self.links.host

    @classmethod
    def single(cls, request: Request, hint: int = -1) -> "LinkBatch":
        """Return what was found when it is a single request."""
        links = HostLinks(host_of(request.url), [request.url], page_key(request.url))
        queue_class = class_of(request.purpose, request.depth, request.usability, hint)
        return cls(links, Chunk.of(request), queue_class)
