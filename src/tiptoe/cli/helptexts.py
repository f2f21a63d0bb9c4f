"""What does `--help` say of each command, beside its options?"""

__all__ = [
    "AUDIT_EXAMPLES", "AUDIT_HELP", "BLOCK_EXAMPLES", "BOTPAGE_EXAMPLES", "CATCH_UP_EXAMPLES",
    "CATCH_UP_HELP", "CHECK_SEGMENTER_EXAMPLES", "CHECK_SEGMENTER_HELP", "CLUSTER_DRAIN_EXAMPLES",
    "CLUSTER_EXPORT_EXAMPLES", "CLUSTER_EXPORT_HELP", "CLUSTER_IMPORT_EXAMPLES", "CLUSTER_IMPORT_HELP",
    "CLUSTER_LOST_EXAMPLES", "CLUSTER_REMOVE_EXAMPLES", "CLUSTER_SERVER_EXAMPLES", "CLUSTER_SERVER_HELP",
    "CLUSTER_STATUS_EXAMPLES", "CLUSTER_TRY_EXAMPLES", "CLUSTER_USER_EXAMPLES", "CONFIG_EXAMPLES",
    "CONVERT_EXAMPLES", "CONVERT_HELP",
    "CRAWL_EXAMPLES", "CRAWL_HELP", "EXPORT_EXAMPLES", "EXPORT_HELP", "FRESHNESS_EXAMPLES",
    "FRESHNESS_HELP", "HISTORY_EXAMPLES", "HISTORY_HELP", "PAUSE_EXAMPLES", "REHEARSE_EXAMPLES",
    "REHEARSE_HELP", "REPAIR_EXAMPLES", "REPAIR_HELP", "SERVE_EXAMPLES", "SET_EXAMPLES", "SET_HELP",
    "SIMULATE_EXAMPLES", "SIMULATE_HELP", "SLOW_EXAMPLES", "STATS_EXAMPLES", "STATS_HELP",
    "STATUS_EXAMPLES", "STOP_EXAMPLES",
]  # fmt: skip

CRAWL_HELP = """Crawl politely from seeds, or go on with an earlier crawl.

The same directory continues the crawl that lives in it, with the settings it remembers; what is given anew
is stronger, shown, and remembered from then on. The word `default` takes a setting back to its default.
Ctrl-C stops cleanly; a second one stops at once and costs nothing but the requests under way.

Exit code 0: nothing is left to ask for; 1: something of ours is broken; 2: the command line, a setting or a
file has to be changed; 3: a limit is reached; 4: not a single page was fetched; 130: stopped by a signal or
by `tiptoe stop`; 141: nobody reads its output.
"""

CRAWL_EXAMPLES = r"""For example:
```
tiptoe crawl https://www.example.cz/ --contact https://example.org/bot
tiptoe crawl seeds.txt --contact me@example.org --include '\.cz$' --out czech
zcat seeds.gz | tiptoe crawl - --contact me@example.org --out czech
tiptoe crawl --out czech                                # goes on, within the same bounds
tiptoe crawl --out czech --max-pages default            # goes on without that limit
```
"""

AUDIT_HELP = """Check the request log of a crawl against every rule of politeness.

Says how many violations there are, and each with its lines of the log; 0 is the only pass. Reads nothing but
DIR/log/requests-*, also while the crawl runs. Exit code 0: none, 1: some, 2: it could not be judged.

Of a crawl on many machines the logs of all agents are judged together: gathered first if DIR is that of a
member, or from the directories that are named. Whose logs are missing is said, and makes exit code 2.
"""

AUDIT_EXAMPLES = """For example:
```
tiptoe audit czech
tiptoe audit czech www.example.cz --html report.html    # to be sent to its webmaster
tiptoe audit czech --json
tiptoe audit czech-1 czech-2 czech-3                    # one crawl, brought together from three machines
```
"""

REHEARSE_HELP = """Try a configuration on a simulated web, without touching the net.

The crawl is then judged from the servers' side: one violation of politeness and the rehearsal fails.
Unless the configuration says otherwise, pauses are short, and all is over in half a minute.
"""

REHEARSE_EXAMPLES = """For example:
```
tiptoe rehearse
tiptoe rehearse crawl.toml --hosts 50 --max-pages 500
tiptoe rehearse --hosts 20 --revisit adaptive --on-completion loop --max-seconds 60
```
"""

STATUS_EXAMPLES = """For example:
```
tiptoe status czech
tiptoe status czech --json
```
"""

PAUSE_EXAMPLES = """For example:
```
tiptoe pause czech
tiptoe resume czech
```
"""

BLOCK_EXAMPLES = """For example:
```
tiptoe block www.example.cz czech
tiptoe block 192.0.2.7 czech            # all hosts of an address
tiptoe unblock www.example.cz czech
```
"""

SLOW_EXAMPLES = """For example:
```
tiptoe slow www.example.cz czech --delay 2m
tiptoe slow www.example.cz czech --delay 0s     # as configured again
```
"""

SET_HELP = """Change settings of a running crawl, from this moment on.

Those that `tiptoe config` marks as live: pauses, limits, the number of harvesters. The crawl remembers them
for its next runs. A slower pace holds for the very next request, and a pause that has begun never becomes
shorter: visits under way end, and their addresses rest.
"""

SET_EXAMPLES = """For example:
```
tiptoe set czech politeness.req_delay=10s
tiptoe set czech crawl.max_pages=200000 harvest.harvesters=4
tiptoe set czech politeness.general_pause=default
```
"""

STOP_EXAMPLES = """For example:
```
tiptoe stop czech
```
"""

CONFIG_EXAMPLES = """For example:
```
tiptoe config czech                                    # what is in force there, and who said so
tiptoe config --config crawl.toml --max-pages 1000     # is that what you meant?
tiptoe config --format toml > crawl.toml               # a complete file to start from
```
"""

BOTPAGE_EXAMPLES = """For example:
```
tiptoe botpage --contact https://example.org/bot --out bot.html
tiptoe botpage czech --out bot.html                    # of a crawl that has begun
tiptoe botpage --config crawl.toml --purpose "Texts for the Example Corpus." --out bot.html
```
"""

STATS_HELP = """Show what a crawl has found: outcomes, text, types, languages, hosts, times.

Reads only files: the crawl may be running, stopped or crashed. Of a crawl on many machines, those of all
agents: gathered first if DIR is that of a member, or from the directories that are named.
"""

STATS_EXAMPLES = """For example:
```
tiptoe stats czech
tiptoe stats czech --html czech.html
tiptoe stats czech --json --top 100 > czech.json
```
"""

CONVERT_HELP = """Turn the documents of a crawl (pdf, doc, docx, odt, rtf, epub, txt) into text.

Their text enters the corpus, their links join the crawl: at once if it runs, else when it goes on. Each is
converted once; Ctrl-C or a crash costs nothing. Each is read in a process of its own that can do no harm.
"""

CONVERT_EXAMPLES = """For example:
```
tiptoe convert czech
tiptoe convert czech --document-timeout 5m --document-memory 4GiB
tiptoe convert czech --again            # all of them, anew
tiptoe crawl --out czech --set documents.convert=background
```
"""

SERVE_EXAMPLES = """For example:
```
tiptoe segmenter serve
tiptoe segmenter serve --listen 192.0.2.7:8750 --lang cs,sk     # for crawls on other machines
```
"""

CATCH_UP_HELP = """Rate the documents of a crawl whose usability is unknown.

So it is when the segmenter was down or slow. The files of the corpus do not change:
ratings go to DIR/usability, to a file for each of them. Stopped at any moment, it goes on
where it was. Exit code 0: all are rated, 1: some are still unknown.
"""

CATCH_UP_EXAMPLES = """For example:
```
tiptoe segmenter catch-up czech --segmenter http://127.0.0.1:8750
tiptoe segmenter catch-up czech --again --segmenter built-in      # all anew
```
"""

CHECK_SEGMENTER_HELP = """Check whether a segmenter keeps the contract.

Says of each rule what is expected and what came. Exit code 0: all are kept, 1: some are broken.
"""

CHECK_SEGMENTER_EXAMPLES = """For example:
```
tiptoe check segmenter http://127.0.0.1:8750
```
"""

EXPORT_HELP = """Write the corpus of a crawl in a form that other tools load.

Formats: **jsonl**, one document a line, as the corpus has it; **parquet**, for pandas, DuckDB and Hugging
Face; **vertical**, for Sketch Engine and Manatee, with sentences and tokens; **txt**, a paragraph a line, an
empty line between documents, and beside it an index. Every document names its WARC record. Reads only files:
the crawl may be running.

A crawl that visits pages again keeps each version that changed. All are exported, since an export must not
lose text unasked; `--as-of now` makes it a mirror of the web instead: of each page the last version, and
none of pages that are gone. `--as-of 2026-12-31` is the mirror as it was after that day (UTC).

`--dedup paragraph` leaves out every paragraph met before. `--dedup document` leaves out documents with a text
met before, or 90 % of whose characters stand in paragraphs met before. The first one stays. What is left out
is counted.

Of a crawl on many machines the corpora of all agents are exported: gathered first if DIR is that of a member,
or from the directories that are named. A version of a page that two agents have written is exported once.
"""

EXPORT_EXAMPLES = """For example:
```
tiptoe export czech --format parquet
tiptoe export czech --format vertical --lang cs --dedup paragraph --out czech.vert
tiptoe export czech --format txt --sentences --lang cs --lang sk --min-usability 0.5
tiptoe export czech --format parquet --as-of now        # a mirror: one version of each page
tiptoe export czech --format jsonl --out - | zstd > czech.jsonl.zst
```
"""

HISTORY_HELP = """Show when a page was visited, and what each visit found.

Versions are the texts that entered the corpus: the first, and each that had changed. Reads only files, and of
those no more than it must: the crawl may be running. Of a crawl on many machines, those of all agents.
"""

HISTORY_EXAMPLES = """For example:
```
tiptoe history czech https://www.example.cz/
tiptoe history czech www.example.cz/news --show 3       # the text of version 3
tiptoe history czech www.example.cz/news --diff 2 3     # paragraphs that went and came
```
"""

FRESHNESS_HELP = """Estimate how fresh the collection is, and what revisits have found.

From the record of every page: how often it changes, how likely it is still as we know it, when it is due.
Reads the database beside a running crawl, or that of a stopped one, and changes nothing.
"""

FRESHNESS_EXAMPLES = """For example:
```
tiptoe freshness czech
tiptoe freshness czech --html freshness.html
tiptoe freshness czech --json > freshness.json
```
"""

REPAIR_HELP = """Read everything a crawl has written, repair what can be, and say what is lost.

The crawl must not run. The database is saved as far as it can be read, damaged records are taken out of the
files, indexes are made anew. The next `tiptoe crawl` asks again for pages whose texts or answers are lost.
"""

REPAIR_EXAMPLES = """For example:
```
tiptoe repair czech
tiptoe repair czech --check        # change nothing; exit code 1: something is damaged
tiptoe repair czech --lost         # finished files that are not there were not moved: they are lost
```
"""

SIMULATE_HELP = """Try the strategies of revisiting in virtual time, on pages whose every change is known.

Prints how fresh each strategy keeps them, beside the figures of the thesis of the Brno crawler and the best
that is possible. Touches no crawl and no net. Exit code 0: everything that is to hold does, 1: something
does not.
"""

SIMULATE_EXAMPLES = """For example:
```
tiptoe simulate revisit --experiment server
tiptoe simulate revisit --experiment poisson --pages 10000
tiptoe simulate revisit --out plots                      # all of them: some minutes
tiptoe simulate revisit --experiment hosts --format json
```
"""

CLUSTER_SERVER_HELP = """Run one server of a cluster until it is stopped.

The first one makes what the cluster needs (certificates, passwords) in its directory, prints the line for
the next machine and the one for members. It listens on this machine only, unless `--host` says otherwise,
and encrypts everything unless told `--plain`. One server alone waits for its disk with every message; of
three, any one may disappear with its disk.
"""

CLUSTER_SERVER_EXAMPLES = """For example:
```
tiptoe cluster server --dir nats                                          # one server, on this machine only
tiptoe cluster server --dir nats --servers 3 --host a.example             # the first of three machines
tiptoe cluster server --dir nats --join-file join.json --host b.example   # the next
tiptoe cluster server --dir nats                                          # the same again, after a stop
```
"""

CLUSTER_TRY_EXAMPLES = """For example:
```
tiptoe cluster try                             # three agents, three servers, about half a minute
tiptoe cluster try --agents 5 --hosts 2000     # more of everything; kill -9 whom you like
```
"""

CLUSTER_STATUS_EXAMPLES = """For example:
```
tiptoe cluster status czech                             # ./czech is the directory of a member
tiptoe cluster status nats/member.json --name czech     # from elsewhere
```
"""

CLUSTER_DRAIN_EXAMPLES = """For example:
```
tiptoe cluster drain blue czech                             # blue leaves the crawl of ./czech
tiptoe cluster drain blue nats/member.json --name czech     # the same from elsewhere
```
"""

CLUSTER_LOST_EXAMPLES = """For example:
```
tiptoe cluster lost blue czech     # its disk is gone: what was on it is fetched once more
```
"""

CLUSTER_REMOVE_EXAMPLES = """For example:
```
tiptoe cluster remove nats/member.json --name czech --yes
```
"""

CLUSTER_USER_EXAMPLES = """For example:
```
tiptoe cluster add-user petr --crawl czech --dir nats    # nats/members/petr.json is for petr
tiptoe cluster remove-user petr --dir nats
```
"""

CLUSTER_IMPORT_HELP = """Make a crawl that lives on this machine one that many share.

The crawl has to be stopped. All that it knows goes to the servers, divided into shards; what it has written
stays where it is. From then on this directory is that of a member. Nothing is asked for again, and nobody
sooner. The old database is kept beside the new one, as `state/frontier.before-import`, until you delete it.
"""

CLUSTER_IMPORT_EXAMPLES = """For example:
```
tiptoe cluster import czech --cluster nats/members/member.json
tiptoe crawl --out czech --cluster nats/members/member.json      # goes on
```
"""

CLUSTER_EXPORT_HELP = """Make a crawl that many machines have shared one that lives on this machine alone.

All members have to be stopped. What the crawl knows is copied into a new directory; what members have written
stays with them. On the servers it stays as it was: do not go on with it in both places.
"""

CLUSTER_EXPORT_EXAMPLES = """For example:
```
tiptoe cluster stop czech
tiptoe cluster export czech --out alone
tiptoe crawl --out alone                                         # goes on
tiptoe cluster remove czech
```
"""
