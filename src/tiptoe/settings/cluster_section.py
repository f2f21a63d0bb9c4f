"""Which settings make a crawl one on many machines?"""

from dataclasses import dataclass

from tiptoe.settings import form
from tiptoe.settings.setting import count, duration, text, words

# One argument a line would stretch these tables over twice their length.
# fmt: off

__all__ = ["ClusterSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings:
    """Other machines that share the crawl."""

    servers: str = text(
        "", option="--cluster", is_local=True,
        help="Share the crawl with other machines: a credentials file written by `tiptoe cluster server`, or "
        "addresses of NATS servers such as nats://a:4222,b:4222,c:4222. The first machine creates the "
        "crawl, others join it. Empty: the crawl runs on this machine alone.",
    )
    crawl: str = text(
        "", each=form.be_crawl_name, option="--crawl-name", is_local=True,
        help="Name of the crawl on these servers, which may have others; by default that of the robot "
        "(crawl.name).",
    )
    agent: str = text(
        "", each=form.be_agent_name, option="--agent", is_local=True,
        help="Name of this machine in the cluster; by default its host name.",
    )
    shards: int = count(
        32, unit="shards", at_least=1, at_most=1024,
        fixed="hosts live in shards by this number",
        help="Parts that the crawl is divided into when it is created, which is also the largest number of "
        "machines that can share it. Many parts on few machines cost more.",
    )
    lease: float = duration(
        "30s", at_least="3s", at_most="10m",
        fixed="all members have to count the same",
        help="A machine that is silent for this long loses its part of the crawl to the others.",
    )
    affinity: tuple[str, ...] = words(
        each=form.be_affinity, fixed="it says where every host of the crawl lives",
        help="Labels for parts of the web, by the ending of host names (sk=.sk) or by network "
        "(campus=10.0.0.0/8), and how much of the crawl is reserved for a label (sk=25%; by default labels "
        "share half of it).",
    )
    takes: tuple[str, ...] = words(
        each=form.be_label, is_local=True,
        help="Labels that this machine takes; the word rest, like an empty list, stands for hosts without a "
        "label. Labels that nobody takes are shared by all.",
    )
    disk_wait: float = duration(
        "60s", at_least="1s", at_most="1d", is_local=True,
        help="When the disk of this machine has been full (write.disk_free_min) for this long, its part of "
        "the crawl goes to machines that have room; once it has had room for as long, it gets a part again.",
    )
    weight: int = count(
        1, unit="times", at_least=1, at_most=100, is_local=True,
        help="How much of the crawl this machine gets, compared with others.",
    )
