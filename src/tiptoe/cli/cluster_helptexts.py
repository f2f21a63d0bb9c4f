"""What does `--help` say about the commands for crawls on many machines?"""

from typing import Final

__all__ = ["EXAMPLES", "HELP"]

CLUSTER_USER_EXAMPLES = """
tiptoe cluster add-user petr --crawl czech --dir nats    # nats/members/petr.json is for petr
tiptoe cluster add-user eva --read-only --crawl czech --dir nats
tiptoe cluster remove-user petr --dir nats
"""

HELP: Final = {
    "cluster": "Share a crawl among many machines.",
    "cluster try": "Try a whole cluster on this machine, on a simulated web.",
    "cluster status": "Show the state of a crawl on many machines.",
    "cluster agents": "List the members of a crawl, and what each of them holds.",
    "cluster gather": "Copy new files of the other members to DIR/members.",
    "cluster share": "Let other members read the files of one that has stopped.",
    "cluster commands": "List the commands that were given to a crawl.",
    "cluster drain": "Make one member hand its part of the crawl over to the others and end.",
    "cluster stop": "Stop the whole crawl: all members end cleanly.",
    "cluster lost": "Request pages again that were on the disk of a lost member.",
    "cluster remove": "Delete a crawl from the servers.",
    "cluster import": """Turn a crawl on this machine into one that many machines share.

The crawl has to be stopped. Its database is copied to the servers, divided into shards; the files it has
written stay where they are. From then on this directory belongs to a member. Nothing is requested again, and
no pause is cut short. The old database is kept beside the new one, as `state/frontier.before-import`, until
you delete it.
""",
    "cluster export": """Turn a crawl that many machines have shared into one on this machine alone.

All members have to be stopped. The database of the crawl is copied into a new directory; the files that
members have written stay with them. The crawl on the servers is not changed: do not continue it in both
places.
""",
    "cluster server": """Run one server of a cluster until it is stopped.

The first server creates what the cluster needs (certificates, passwords) in its directory, and prints the
commands for the next machine and for members. It listens on this machine only, unless you give `--host`, and
encrypts everything, unless you give `--plain`. A single server waits for its disk with every message; of
three, any one may be lost together with its disk.
""",
    "cluster add-user": "Give somebody access to the crawls of a cluster, or to only one of them.",
    "cluster remove-user": "Withdraw somebody's access; open connections are closed.",
    "cluster users": "List who has access, and to which crawl.",
}
"""What each command does, by its words; the first line appears in the list of commands."""

EXAMPLES: Final = {
    "cluster try": """
tiptoe cluster try                             # three agents, three servers, about half a minute
tiptoe cluster try --agents 5 --hosts 2000     # more of everything; kill -9 any of them
""",
    "cluster status": """
tiptoe cluster status czech                             # ./czech is the directory of a member
tiptoe cluster status nats/member.json --name czech     # from elsewhere
""",
    "cluster gather": """
tiptoe cluster gather czech                                        # from the directory of a member
tiptoe cluster gather copy --cluster eva.json --what corpus        # from a machine that takes no part
""",
    "cluster drain": """
tiptoe cluster drain blue czech                             # blue leaves the crawl of ./czech
tiptoe cluster drain blue nats/member.json --name czech     # the same from elsewhere
""",
    "cluster lost": """
tiptoe cluster lost blue czech     # its disk is gone: what was on it is fetched once more
""",
    "cluster remove": "tiptoe cluster remove nats/member.json --name czech --yes",
    "cluster import": """
tiptoe cluster import czech --cluster nats/members/member.json
tiptoe crawl --out czech --cluster nats/members/member.json      # continues
""",
    "cluster export": """
tiptoe cluster stop czech
tiptoe cluster export czech --out alone
tiptoe crawl --out alone                                         # continues
tiptoe cluster remove czech
""",
    "cluster server": """
tiptoe cluster server --dir nats                                          # one server, on this machine only
tiptoe cluster server --dir nats --servers 3 --host a.example             # the first of three machines
tiptoe cluster server --dir nats --join-file join.json --host b.example   # the next
tiptoe cluster server --dir nats                                          # the same again, after a stop
""",
    "cluster add-user": CLUSTER_USER_EXAMPLES,
    "cluster remove-user": CLUSTER_USER_EXAMPLES,
}
