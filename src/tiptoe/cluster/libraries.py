"""Which additional libraries does a crawl on many machines need?"""

from contextlib import AbstractContextManager

from tiptoe.observe.extra_libraries import extra_libraries

__all__ = ["cluster_libraries"]

EXTRA = ("nats", "cryptography")


def cluster_libraries() -> AbstractContextManager[None]:
    """Tell the operator how to install what an import within the context does not find."""
    return extra_libraries("cluster", EXTRA, who="a crawl on many machines")
