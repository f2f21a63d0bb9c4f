"""One crawl on many machines.

A crawl consists of shards, each a frontier of its own; an agent is a keeper that runs the frontiers of the
shards it holds. An engine (NATS JetStream) keeps what has to survive any one machine: who holds which shard,
what each shard has committed, and what is on its way from one to another.
"""
