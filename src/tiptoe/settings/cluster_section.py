"""Which settings make a crawl one on many machines?"""

from dataclasses import dataclass

from tiptoe.settings import form
from tiptoe.settings.setting import count, duration, text, words

# One argument a line would stretch these tables over twice their length.
# fmt: off

__all__ = ["ClusterSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings:
    """With which other machines the crawl is shared."""

    servers: str = text(
        "", option="--cluster", is_local=True,
        help="Share the crawl with other machines: file of credentials that `tiptoe cluster server` has "
        "written, or addresses of NATS servers such as nats://a:4222,b:4222,c:4222. The first machine "
        "creates the crawl, others join it. Empty: it lives on this machine alone.",
    )
    crawl: str = text(
        "", each=form.be_crawl_name, option="--crawl-name", is_local=True,
        help="Name of the crawl on these servers, where there may be others; by default that of the robot "
        "(crawl.name).",
    )
    agent: str = text(
        "", each=form.be_agent_name, option="--agent", is_local=True,
        help="Name of this machine in the cluster; by default its host name.",
    )
    shards: int = count(
        32, unit="shards", at_least=1, at_most=1024,
        fixed="hosts live in shards by this number",
        help="Parts that the crawl is divided into when it is created: the most machines that can share it. "
        "Many parts on few machines cost more.",
    )
    lease: float = duration(
        "30s", at_least="3s", at_most="10m",
        fixed="all members have to count the same",
        help="A machine that is silent for this long loses its part of the crawl to the others.",
    )
    affinity: tuple[str, ...] = words(
        each=form.be_affinity, fixed="it says where every host of the crawl lives",
        help="Labels for parts of the web, by the end of names (sk=.sk), by network (campus=10.0.0.0/8), and "
        "how much of the crawl is set apart for one (sk=25%; else labels share half of it).",
    )
    takes: tuple[str, ...] = words(
        each=form.be_label, is_local=True,
        help="Labels that this machine takes; the word rest stands for what has none, as does saying "
        "nothing. What nobody takes is shared by all.",
    )
    disk_wait: float = duration(
        "60s", at_least="1s", at_most="1d", is_local=True,
        help="When the disk of this machine has been full (write.disk_free_min) for this long, its part of "
        "the crawl goes to machines that have room; when it has had room for as long, it gets some again.",
    )
    weight: int = count(
        1, unit="times", at_least=1, at_most=100, is_local=True,
        help="How much of what it takes this machine gets, compared with others.",
    )
