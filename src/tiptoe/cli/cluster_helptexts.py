"""What does `--help` say of the commands for crawls on many machines?"""

__all__ = [
    "CLUSTER_DRAIN_EXAMPLES", "CLUSTER_EXPORT_EXAMPLES", "CLUSTER_EXPORT_HELP", "CLUSTER_GATHER_EXAMPLES",
    "CLUSTER_IMPORT_EXAMPLES", "CLUSTER_IMPORT_HELP", "CLUSTER_LOST_EXAMPLES", "CLUSTER_REMOVE_EXAMPLES",
    "CLUSTER_SERVER_EXAMPLES", "CLUSTER_SERVER_HELP", "CLUSTER_STATUS_EXAMPLES", "CLUSTER_TRY_EXAMPLES",
    "CLUSTER_USER_EXAMPLES",
]  # fmt: skip

CLUSTER_SERVER_HELP = """Run one server of a cluster until it is stopped.

The first server creates what the cluster needs (certificates, passwords) in its directory, and prints the
commands for the next machine and for members. It listens on this machine only, unless you give `--host`, and
encrypts everything, unless you give `--plain`. A single server waits for its disk with every message; of
three, any one may be lost together with its disk.
"""

CLUSTER_SERVER_EXAMPLES = """
tiptoe cluster server --dir nats                                          # one server, on this machine only
tiptoe cluster server --dir nats --servers 3 --host a.example             # the first of three machines
tiptoe cluster server --dir nats --join-file join.json --host b.example   # the next
tiptoe cluster server --dir nats                                          # the same again, after a stop
"""

CLUSTER_TRY_EXAMPLES = """
tiptoe cluster try                             # three agents, three servers, about half a minute
tiptoe cluster try --agents 5 --hosts 2000     # more of everything; kill -9 any of them
"""

CLUSTER_STATUS_EXAMPLES = """
tiptoe cluster status czech                             # ./czech is the directory of a member
tiptoe cluster status nats/member.json --name czech     # from elsewhere
"""

CLUSTER_DRAIN_EXAMPLES = """
tiptoe cluster drain blue czech                             # blue leaves the crawl of ./czech
tiptoe cluster drain blue nats/member.json --name czech     # the same from elsewhere
"""

CLUSTER_LOST_EXAMPLES = """
tiptoe cluster lost blue czech     # its disk is gone: what was on it is fetched once more
"""

CLUSTER_REMOVE_EXAMPLES = "tiptoe cluster remove nats/member.json --name czech --yes"

CLUSTER_GATHER_EXAMPLES = """
tiptoe cluster gather czech                                        # from the directory of a member
tiptoe cluster gather copy --cluster eva.json --what corpus        # from a machine that takes no part
"""

CLUSTER_USER_EXAMPLES = """
tiptoe cluster add-user petr --crawl czech --dir nats    # nats/members/petr.json is for petr
tiptoe cluster add-user eva --read-only --crawl czech --dir nats
tiptoe cluster remove-user petr --dir nats
"""

CLUSTER_IMPORT_HELP = """Turn a crawl on this machine into one that many machines share.

The crawl has to be stopped. Its database is copied to the servers, divided into shards; the files it has
written stay where they are. From then on this directory belongs to a member. Nothing is requested again, and
no pause is cut short. The old database is kept beside the new one, as `state/frontier.before-import`, until
you delete it.
"""

CLUSTER_IMPORT_EXAMPLES = """
tiptoe cluster import czech --cluster nats/members/member.json
tiptoe crawl --out czech --cluster nats/members/member.json      # continues
"""

CLUSTER_EXPORT_HELP = """Turn a crawl that many machines have shared into one on this machine alone.

All members have to be stopped. The database of the crawl is copied into a new directory; the files that
members have written stay with them. The crawl on the servers is not changed: do not continue it in both
places.
"""

CLUSTER_EXPORT_EXAMPLES = """
tiptoe cluster stop czech
tiptoe cluster export czech --out alone
tiptoe crawl --out alone                                         # continues
tiptoe cluster remove czech
"""
