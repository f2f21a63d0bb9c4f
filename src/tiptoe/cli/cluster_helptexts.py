"""What does `--help` say of the commands for crawls on many machines?"""

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
    "cluster status": "Show how a crawl on many machines stands.",
    "cluster agents": "List the members of a crawl, and what each of them holds.",
    "cluster gather": "Copy what is new at the other members to DIR/members.",
    "cluster share": "Let other members read the files of one that has stopped.",
    "cluster commands": "List the commands that were given to a crawl.",
    "cluster drain": "Have one member give its part of the crawl to the others and end.",
    "cluster stop": "Stop the whole crawl: all members leave in good order.",
    "cluster lost": "Have pages asked for again that lay on the disk of a lost member.",
    "cluster remove": "Delete a crawl from the servers.",
    "cluster import": """Make a crawl that lives on this machine one that many share.

The crawl has to be stopped. All that it knows goes to the servers, divided into shards; what it has written
stays where it is. From then on this directory is that of a member. Nothing is asked for again, and nobody
sooner. The old database is kept beside the new one, as `state/frontier.before-import`, until you delete it.
""",
    "cluster export": """Make a crawl that many machines have shared one that lives on this machine alone.

All members have to be stopped. What the crawl knows is copied into a new directory; what members have written
stays with them. On the servers it stays as it was: do not go on with it in both places.
""",
    "cluster server": """Run one server of a cluster until it is stopped.

The first one makes what the cluster needs (certificates, passwords) in its directory, prints the line for
the next machine and the one for members. It listens on this machine only, unless `--host` says otherwise,
and encrypts everything unless told `--plain`. One server alone waits for its disk with every message; of
three, any one may disappear with its disk.
""",
    "cluster add-user": "Let somebody come to the crawls of a cluster, or to one of them only.",
    "cluster remove-user": "Let somebody come in no longer; who is in is shown out.",
    "cluster users": "List who may come in, and to which crawl.",
}
"""What a command does, by its words; the first line stands in the list of all."""

EXAMPLES: Final = {
    "cluster try": """
tiptoe cluster try                             # three agents, three servers, about half a minute
tiptoe cluster try --agents 5 --hosts 2000     # more of everything; kill -9 whom you like
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
tiptoe crawl --out czech --cluster nats/members/member.json      # goes on
""",
    "cluster export": """
tiptoe cluster stop czech
tiptoe cluster export czech --out alone
tiptoe crawl --out alone                                         # goes on
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
