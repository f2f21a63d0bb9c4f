"""Which libraries does a crawl on many machines need on top?"""

from contextlib import AbstractContextManager

from tiptoe.observe.extra_libraries import extra_libraries

__all__ = ["cluster_libraries"]

EXTRA = ("nats", "cryptography")


def cluster_libraries() -> AbstractContextManager[None]:
    """Tell an operator how to get what an import inside of this does not find."""
    return extra_libraries("cluster", EXTRA, who="a crawl on many machines")
