"""One crawl on many machines.

A crawl consists of shards, each with a frontier of its own; an agent is a keeper that runs the frontiers of
the shards it holds. An engine (NATS JetStream) keeps what must survive the loss of any one machine: who holds
which shard, what each shard has committed, and the mail between shards.
"""
