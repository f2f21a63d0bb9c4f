"""What does `--help` say about each command, apart from its options?"""

from typing import Final

__all__ = ["EXAMPLES", "HELP"]

PAUSE_EXAMPLES = """
tiptoe pause czech
tiptoe resume czech
"""

BLOCK_EXAMPLES = """
tiptoe block www.example.cz czech
tiptoe block 192.0.2.7 czech            # all hosts of an address
tiptoe unblock www.example.cz czech
"""

DOWNLIST_EXAMPLES = r"""For example, on each of two machines, with files that are sent by any means:
tiptoe crawl seeds.txt --contact me@example.org --out prague --claims --on-end idle --background
tiptoe downlist export prague --out prague.list                         # says: exchange 1
tiptoe downlist merge prague.list brno.list --known all.list --out all.list
tiptoe downlist apply prague all.list --exchange 1
tiptoe downlist export prague --since prague.list --out prague.next     # the next time
"""

FILTERS_IMPORT_EXAMPLES = """
tiptoe filters import myfilters > filters.toml
tiptoe filters export filters.toml otherfilters
tiptoe crawl https://www.example.cz/ --filters filters.toml --contact me@example.org
"""

HELP: Final = {
    "crawl": """Crawl politely from seeds, or continue an earlier crawl.

If the directory has a crawl already, that crawl continues with the settings it remembers. New values override
them; they are shown, and remembered from then on. The word `default` resets a setting to its default. Ctrl-C
stops cleanly; a second one stops at once and loses only the requests under way.

Exit code 0: nothing is left to request; 1: something in tiptoe or on this machine is broken; 2: the command
line, a setting or a file has to be changed; 3: a limit was reached; 4: not a single page was fetched; 5:
pages were fetched, but without text for the corpus; 130: stopped by a signal or by `tiptoe stop`; 141: its
output was closed.
""",
    "convert": """Turn the documents of a crawl (pdf, doc, docx, odt, rtf, epub, txt) into text.

Their text enters the corpus, and their links join the crawl: at once if it is running, otherwise when it
continues. Each document is converted once, in a confined process; Ctrl-C or a crash loses nothing.
""",
    "read": """Read text from elsewhere into a corpus: archives, folders, mail, news, feeds.

Sources are WARC files written by any tool, folders of HTML, PDF, Word and other documents, mbox files and
news archives, feeds saved to disk; or the directory of a crawl, whose corpus is then rebuilt from its
archive: the same documents under the same ids, with the settings of that crawl unless you give others. Texts
are extracted and judged as in a crawl. The network is not used.

It can be stopped or killed at any moment and continues where it was; what was read is not read again, but
what is new in a source is. Items without text are counted by reason, and damage is listed in
DIR/log/read.log. Use DIR like that of a crawl: `tiptoe export DIR`, `tiptoe stats DIR`.
""",
    "repair": """Read everything a crawl has written, repair what can be repaired, and report what is lost.

The crawl must not be running. What can be read of a damaged database is saved, damaged records are removed
from the files, and indexes are rebuilt. The next `tiptoe crawl` requests pages again whose texts or answers
are lost.

It also repairs a member of a crawl on many machines, if the servers are running: a damaged database is put
aside and copied from the servers, which also know what the files should contain. Lost pages are requested
again by the agents that hold their shards.
""",
    "forget": """Remove a host, or pages, from everything that a crawl has stored, for good.

For owners who want their pages removed. TARGET is removed from the corpus, the archive and its indexes, the
lists of documents and of pages that are gone, descriptions, later ratings, the catalog and the database, and
is never requested again, whatever links to it. `forgotten.jsonl` records what was removed, when and why, in
numbers only. The request log stays, since it proves how the host was treated. Earlier exports are not
changed.

TARGET is a host (`www.example.cz`), a domain with all its hosts (`*.example.cz`), an address, or the
beginning of addresses (`https://www.example.cz/private/*`), whether http or https. The crawl must not be
running; if it is, `tiptoe block` leaves a host alone at once. If the command is killed, the next `tiptoe
forget` or `tiptoe crawl` completes its work.

A crawl on many machines goes on: in the directory of any member, the command is given to all. Its shards obey
at once, each member's files when its agent is next started (or by `--resume` while none is running). `--list`
shows who has yet to do so; the exit code is 1 until all have.
""",
    "rehearse": """Try a configuration on a simulated web, without using the network.

The crawl is then judged from the servers' side: a single violation of politeness makes the rehearsal fail.
Unless the configuration says otherwise, pauses are short, and it takes about half a minute.
""",
    "status": "Show the figures of a running crawl.",
    "why": "Tell the story of one host or page: its state, what it waits for, what came of it.",
    "pause": "Make no more requests until `tiptoe resume`.",
    "resume": "Continue after `tiptoe pause`.",
    "block": "Make no more requests to a host or IP address, from now on.",
    "unblock": "Allow requests to a blocked host or IP address again.",
    "slow": "Make requests to a host or IP address less often, from now on.",
    "set": """Change settings of a running crawl, from this moment on.

This works for settings that `tiptoe config` marks as live: pauses, limits, the number of harvesters. The
crawl remembers them for its next runs. A slower pace applies from the very next request on: visits under way
end, and their addresses rest. A pause that has begun never becomes shorter.
""",
    "stop": "Stop a running crawl cleanly; the next `tiptoe crawl` continues it.",
    "downlist": "Keep robots from downloading the same pages.",
    "downlist export": """Write what a crawl has downloaded since an earlier list, and what it claims.

Each line has an address, a time, a digest and the robot. A crawl that waits for exchanges (`--claims`) claims
what is in its queue. The crawl may be running; the file is plain text that can be sent anywhere.
""",
    "downlist merge": """Merge the lists of several robots into one that says who has each address.

Downloads take precedence over claims, earlier downloads over later ones, and claims from an earlier merge
over new ones. What several robots claim at once is divided evenly, by host. Memory does not grow with the
lists.
""",
    "downlist apply": """Tell a crawl, running or not, never to request what other robots have.

Such addresses are dropped from its queue, except those under way. With --exchange, the crawl may from then on
request what it claimed and was assigned.
""",
    "downlist exchange": "Exchange the lists of crawls on one machine: export, merge and apply.",
    "stats": """Show what a crawl has found: outcomes, text, types, languages, hosts, times.

Reads only files: the crawl may be running, stopped or crashed. For a crawl on many machines, it reads the
files of all agents, which are gathered first if DIR belongs to a member, or read from the directories you
name.
""",
    "export": """Write the corpus of a crawl in a format that other tools load.

Formats: **jsonl**, one document per line, as in the corpus; **parquet**, for pandas, DuckDB and Hugging Face;
**duckdb**, a database with one table, documents; **vertical**, for Sketch Engine and Manatee, with sentences
and tokens; **txt**, one paragraph per line, an empty line between documents, and an index beside it. Every
document names its WARC record. Copies of the archive for reading: **wacz**, one file for ReplayWeb.page;
**site**, a folder of linked files, for all hosts or for each `--host`. Reads only files: the crawl may be
running. The file or folder appears when it is complete.

Paragraphs labelled as boilerplate (menus, footers, teasers) are left out unless you give --all.

A crawl that visits pages again keeps each version that changed, and all of them are exported. With
`--as-of now` you get only the latest version of each page, and no pages that are gone; with
`--as-of 2026-12-31`, the collection as it was at the end of that day (UTC).

`--dedup paragraph` leaves out every paragraph that has occurred before. `--dedup document` leaves out
documents whose text has occurred before, or with 90 % of their characters in paragraphs that have. The first
occurrence is kept. What is left out is counted.

For a crawl on many machines, the corpora of all agents are exported. They are gathered first if DIR belongs
to a member, or read from the directories you name. A version of a page that two agents wrote is exported
once.
""",
    "freshness": """Estimate how fresh the collection is, and what revisits have found.

For every page, it estimates how often the page changes and how likely our copy is still up to date, and it
counts when pages are due. Reads the database of a running or stopped crawl, and changes nothing. In a crawl
on many machines, each running agent reads its own shards, so the directory of any member shows the whole.
Exit code 1: some shards are missing, because no agent that answers holds them.
""",
    "history": """Show when a page was visited, and what each visit found.

Versions are the texts that entered the corpus: the first, and each that had changed. Reads only the files it
needs; the crawl may be running. For a crawl on many machines, it reads the files of all agents.
""",
    "audit": """Check the request log of a crawl against every rule of politeness.

Reports how many violations there are, and lists each with its lines of the log; only 0 is a pass. Reads
nothing but DIR/log/requests-*; the crawl may be running. Exit code 0: none, 1: some, 2: it could not be
judged.

For a crawl on many machines, the logs of all agents are judged together. They are gathered first if DIR
belongs to a member, or read from the directories you name. Missing logs are reported; the exit code is then
2.
""",
    "segmenter": "Rate how usable texts are, telling running text from lists and debris.",
    "segmenter serve": "Run the built-in segmenter as a service until it is stopped.",
    "segmenter catch-up": """Rate the documents of a crawl whose usability is unknown.

It is unknown if the segmenter was down or slow. The files of the corpus do not change: ratings go to
DIR/usability, one file for each corpus file. You may stop it at any moment; it continues where it was. Exit
code 0: all are rated, 1: some are still unknown.
""",
    "config": "Print every setting, its value and where it was set.",
    "scope": "Check which addresses belong to a crawl.",
    "scope explain": "Say which rule decides about an address, without any request.",
    "botpage": "Write the information page for webmasters.",
    "filters": "Check, explain and convert filters.",
    "filters new": "Write a set of filters to start from.",
    "filters check": """Report mistakes in filter files, by file and line.

Errors keep a crawl from starting; warnings tell what has no effect, or is interpreted differently than it is
written. Exit code 0: no errors, 1: some, 2: there are no such files.
""",
    "filters explain": """Say which line decides about an address, in each stage of both filters.

Nothing is fetched unless you ask for it: --type gives the type that the server would declare, --html the page
that it would send. With --fetch the page comes from the archive of a crawl, or else from its server, with one
request in the name of that crawl and under all its rules, recorded in its request log. Exit code 1: the page
could not be fetched.
""",
    "filters import": "Convert filters to TOML, on standard output.",
    "filters export": "Convert a TOML file to text files.",
    "fields": "Check rules for fields of documents, and try them on a page.",
    "fields check": """Report mistakes in a file of rules for fields, by line and rule.

Exit code 0: nothing, 1: something, 2: there is no such file.
""",
    "fields try": """Show what each rule finds on a page, and by which selector.

The page is a local HTML file, or an address that is looked up in the archive of a crawl (--crawl); nothing is
fetched. For a file, --url says where it comes from; without it all rules are tried, whatever their hosts and
paths. Exit code 0: at least one rule has found something, 1: none has.
""",
    "check": "Check whether a service of your own follows its contract.",
    "check segmenter": """Check whether a segmenter keeps the contract.

Reports for each rule what was expected and what was received. Exit code 0: all are kept, 1: some are broken.
""",
    "simulate": "Try strategies in virtual time: a year takes seconds.",
    "simulate revisit": """\
Try the revisit strategies in virtual time, on pages whose every change is known.

Prints how fresh each strategy keeps them, next to the figures of the thesis on the Brno crawler and the best
possible result. Touches neither a crawl nor the network. Exit code 0: all expectations are met, 1: some are
not.
""",
    "completion": """Print the script with which a shell completes commands, options and names of crawls.

For bash, zsh and fish. Generate it again after an update of tiptoe.
""",
    "manual": """Write the manual pages: tiptoe(1), and one for each command.

They contain the same text as `--help`.
""",
}
"""What each command does, by its words; the first line appears in the list of commands."""

EXAMPLES: Final = {
    "crawl": r"""
tiptoe crawl https://www.example.cz/ --contact https://example.org/bot
tiptoe crawl seeds.txt --contact me@example.org --include '\.cz$' --out czech
tiptoe crawl example.cz --profile site --contact me@example.org --out site     # one whole site
tiptoe crawl --list urls.txt --contact me@example.org --out listed             # only these
tiptoe crawl example.cz --profile site --requisites page --export site \
    --contact me@example.org --out site                 # a copy of it, for reading offline
zcat seeds.gz | tiptoe crawl - --contact me@example.org --out czech
tiptoe crawl --out czech                                # continues, within the same bounds
tiptoe crawl --out czech --max-pages default            # continues without that limit
tiptoe crawl --out czech --on-end idle --schedule 'mon-fri 22:00-06:00; sat,sun'
tiptoe crawl --out czech --add-seeds https://www.example.sk/    # also while it runs
tiptoe crawl https://a.example/ --contact me@example.org --access access.toml    # behind a login
""",
    "convert": """
tiptoe convert czech
tiptoe convert czech --document-timeout 5m --document-memory 4GiB
tiptoe convert czech --again            # converts all of them again
tiptoe crawl --out czech --set documents.convert=background
""",
    "read": """
tiptoe read CC-MAIN-20260114-00000.warc.gz --out cc --languages cs,sk --extraction main
tiptoe read czech --out czech-anew                      # a crawl, from its archive
tiptoe read pages/ letters.mbox news/ --out old --processes 8
tiptoe read --out old                                   # continues, and reads what is new
""",
    "repair": """
tiptoe repair czech
tiptoe repair czech --check        # change nothing; exit code 1: something is damaged
tiptoe repair czech --lost         # missing finished files were not moved away: they are lost
""",
    "forget": """
tiptoe forget www.example.cz czech --dry-run
tiptoe forget www.example.cz czech --reason "letter of the owner, 17 November 2026"
tiptoe forget "https://www.example.cz/private/*" czech --reason "personal data"
tiptoe forget --list czech
""",
    "rehearse": """
tiptoe rehearse
tiptoe rehearse crawl.toml --hosts 50 --max-pages 500
tiptoe rehearse --hosts 20 --revisit adaptive --on-end watch --max-seconds 60
""",
    "status": """
tiptoe status czech
tiptoe status czech --json
tiptoe status czech --watch --every 5s  # with plots, until Ctrl-C
tiptoe status czech --check             # for a health check
""",
    "why": """
tiptoe why www.example.cz czech                     # why does it wait, and until when? was it given up?
tiptoe why https://www.example.cz/news czech        # was it queued, fetched, discarded, never found?
tiptoe why www.example.cz/news czech --json
""",
    "pause": PAUSE_EXAMPLES,
    "resume": PAUSE_EXAMPLES,
    "block": BLOCK_EXAMPLES,
    "unblock": BLOCK_EXAMPLES,
    "slow": """
tiptoe slow www.example.cz czech --delay 2m
tiptoe slow www.example.cz czech --delay 0s     # as configured again
""",
    "set": """
tiptoe set czech politeness.req_delay=10s
tiptoe set czech crawl.max_pages=200000 harvest.harvesters=4
tiptoe set czech politeness.general_pause=default
""",
    "stop": "tiptoe stop czech",
    "downlist export": DOWNLIST_EXAMPLES,
    "downlist merge": DOWNLIST_EXAMPLES,
    "downlist apply": DOWNLIST_EXAMPLES,
    "downlist exchange": r"""
watch --interval 60 tiptoe downlist exchange prague brno --known all.list
""",
    "stats": """
tiptoe stats czech
tiptoe stats czech --html czech.html
tiptoe stats czech --json --top 100 > czech.json
""",
    "export": """
tiptoe export czech --format parquet
tiptoe export czech --format vertical --lang cs --dedup paragraph --out czech.vert
tiptoe export czech --format txt --sentences --lang cs --lang sk --min-usability 0.5
tiptoe export czech --format parquet --as-of now        # the latest version of each page
tiptoe export czech --format duckdb                     # czech.duckdb, with a table of documents
tiptoe export czech --format parquet --shard-size 500MB # czech-dataset/, with a card
tiptoe export czech --format jsonl --all                # with menus and the like, labelled
tiptoe export czech --format jsonl --out - | zstd > czech.jsonl.zst
tiptoe export czech --format wacz
tiptoe export czech --format site --host www.example.cz --out example
""",
    "freshness": """
tiptoe freshness czech
tiptoe freshness czech --html freshness.html
tiptoe freshness czech --json > freshness.json
""",
    "history": """
tiptoe history czech https://www.example.cz/
tiptoe history czech www.example.cz/news --show 3       # the text of version 3
tiptoe history czech www.example.cz/news --diff 2 3     # paragraphs removed and added
tiptoe history czech www.example.cz/news --answer 3     # what the server sent for version 3
""",
    "audit": """
tiptoe audit czech
tiptoe audit czech www.example.cz --html report.html    # to be sent to its webmaster
tiptoe audit czech --json
tiptoe audit czech-1 czech-2 czech-3                    # one crawl, brought together from three machines
""",
    "segmenter serve": """
tiptoe segmenter serve
tiptoe segmenter serve --listen 192.0.2.7:8750 --lang cs,sk     # for crawls on other machines
""",
    "segmenter catch-up": """
tiptoe segmenter catch-up czech --segmenter http://127.0.0.1:8750
tiptoe segmenter catch-up czech --again --segmenter built-in      # rates all of them again
""",
    "config": """
tiptoe config czech                                    # what is in force there, and where it was set
tiptoe config --config crawl.toml --max-pages 1000     # is that what you meant?
tiptoe config --format toml > crawl.toml               # a complete file to start from
tiptoe config --profiles                               # what each profile sets
tiptoe config --profile archive                        # all settings with this profile
""",
    "scope explain": """
tiptoe scope explain https://www.example.cz/news/1 czech
tiptoe scope explain example.cz/tag/x --prefix https://example.cz/news/ --exclude-url /tag/
tiptoe scope explain blog.example.cz --seed example.cz --same-site
""",
    "botpage": """
tiptoe botpage --contact https://example.org/bot --mail bot@example.org --out bot.html
tiptoe botpage czech --out bot.html                    # for an existing crawl
tiptoe botpage --config crawl.toml --purpose "Texts for the Example Corpus." --out bot.html
""",
    "filters new": """
tiptoe filters new myfilters
tiptoe crawl https://www.example.cz/ --filters myfilters --contact me@example.org
""",
    "filters check": """
tiptoe filters check myfilters
tiptoe filters check filters.toml --json
""",
    "filters explain": """
tiptoe filters explain myfilters https://www.example.cz/logo.png
tiptoe filters explain myfilters https://www.example.cz/a --depth 3 --type text/html
tiptoe filters explain myfilters https://www.example.cz/a --html page.html
tiptoe filters explain myfilters https://www.example.cz/a --fetch --crawl crawl
""",
    "filters import": FILTERS_IMPORT_EXAMPLES,
    "filters export": FILTERS_IMPORT_EXAMPLES,
    "fields check": "tiptoe fields check fields.toml",
    "fields try": """
tiptoe fields try fields.toml page.html
tiptoe fields try fields.toml page.html --url https://shop.example/book/1
tiptoe fields try fields.toml https://shop.example/book/1 --crawl crawl
""",
    "check segmenter": "tiptoe check segmenter http://127.0.0.1:8750",
    "simulate revisit": """
tiptoe simulate revisit --experiment server
tiptoe simulate revisit --experiment poisson --pages 10000
tiptoe simulate revisit --out plots                      # all experiments: some minutes
tiptoe simulate revisit --experiment hosts --format json
""",
    "completion": """For example, for every new shell, or (the last line) only for this one:
tiptoe completion bash > ~/.local/share/bash-completion/completions/tiptoe
tiptoe completion zsh > ~/.zfunc/_tiptoe       # ~/.zfunc has to be in $fpath
tiptoe completion fish > ~/.config/fish/completions/tiptoe.fish
source <(tiptoe completion bash)
""",
    "manual": """
tiptoe manual --out ~/.local/share/man/man1
man tiptoe-crawl
""",
}
