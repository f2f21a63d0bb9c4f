"""What does `--help` say of each command, beside its options?"""

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
    "crawl": """Crawl politely from seeds, or go on with an earlier crawl.

The same directory continues the crawl that lives in it, with the settings it remembers; what is given anew
is stronger, shown, and remembered from then on. The word `default` takes a setting back to its default.
Ctrl-C stops cleanly; a second one stops at once and costs nothing but the requests under way.

Exit code 0: nothing is left to ask for; 1: something of ours is broken; 2: the command line, a setting or a
file has to be changed; 3: a limit is reached; 4: not a single page was fetched; 5: pages were fetched, but
without text for the corpus; 130: stopped by a signal or by `tiptoe stop`; 141: nobody reads its output.
""",
    "convert": """Turn the documents of a crawl (pdf, doc, docx, odt, rtf, epub, txt) into text.

Their text enters the corpus, their links join the crawl: at once if it runs, else when it goes on. Each is
converted once; Ctrl-C or a crash costs nothing. Each is read in a process of its own that can do no harm.
""",
    "read": """Read text from elsewhere into a corpus: archives, folders, mail, news, feeds.

WARC files of any maker, folders of HTML, PDF, Word and other documents, mbox files and news archives, feeds
saved to disk; or the directory of a crawl, whose corpus is then built anew from its archive: the same
documents under the same ids. Texts are read and judged as those of a crawl are, by the same settings, which
are those of that crawl unless told otherwise. Nobody is asked: no network.

It can be stopped or killed at any moment and goes on where it was; what was read is not read again, and what
is new in a source is. What brought no text is counted with its reason, and damage listed in DIR/log/read.log.
DIR is then read like a crawl: `tiptoe export DIR`, `tiptoe stats DIR`.
""",
    "repair": """Read everything a crawl has written, repair what can be, and say what is lost.

The crawl must not run. The database is saved as far as it can be read, damaged records are taken out of the
files, indexes are made anew. The next `tiptoe crawl` asks again for pages whose texts or answers are lost.

Of a member of a crawl on many machines, whose servers have to answer: a damaged database is put aside and
taken from them anew; what its files should hold is read from there, and whoever holds the shards asks again.
""",
    "forget": """Remove a host, or pages, from everything that a crawl has, for good.

For owners who want out. What TARGET names goes out of the corpus, the archive and its indexes, the lists of
documents and of pages that are gone, descriptions, later ratings, the catalog and the database; it is never
asked again, whatever links to it. `forgotten.jsonl` keeps what was removed when, and why, in numbers; the
request log stays, since it proves how the host was treated. Exports that were made before are not touched.

TARGET is a host (`www.example.cz`), a host with all below it (`*.example.cz`), an address, or how addresses
begin (`https://www.example.cz/private/*`), whether http or https. The crawl must not run: while it does,
`tiptoe block` leaves a host alone at once. Whoever is killed over it leaves the rest to the next
`tiptoe forget` or `tiptoe crawl`.
""",
    "rehearse": """Try a configuration on a simulated web, without touching the net.

The crawl is then judged from the servers' side: one violation of politeness and the rehearsal fails.
Unless the configuration says otherwise, pauses are short, and all is over in half a minute.
""",
    "status": "Show the figures of a running crawl.",
    "why": "Tell the story of one host or page: where it is, what it waits for, what came of it.",
    "pause": "Make no further request until `tiptoe resume`.",
    "resume": "Go on after `tiptoe pause`.",
    "block": "Ask nothing more of a host or IP address, from this moment on.",
    "unblock": "Let a blocked host or IP address be asked again.",
    "slow": "Ask a host or IP address more rarely, from this moment on.",
    "set": """Change settings of a running crawl, from this moment on.

Those that `tiptoe config` marks as live: pauses, limits, the number of harvesters. The crawl remembers them
for its next runs. A slower pace holds for the very next request, and a pause that has begun never becomes
shorter: visits under way end, and their addresses rest.
""",
    "stop": "Stop a running crawl cleanly; the next `tiptoe crawl` goes on.",
    "downlist": "Keep robots from downloading the same twice.",
    "downlist export": """Write what a crawl has downloaded since a mark, and what it claims.

One address a line, with moment, digest and robot. What is queued is claimed by a crawl that waits for
exchanges (`--claims`). The crawl may be running; the file is a plain text that can be sent anywhere.
""",
    "downlist merge": """Make one list of those of several robots: who has each address.

Downloads come before claims, earlier ones before later ones, and claims that are known from an earlier merge
before new ones. What several claim at once is divided evenly, by host. Memory does not grow with the lists.
""",
    "downlist apply": """Have a crawl, running or not, never ask for what other robots have.

It is dropped from its queue, except what is under way. With --exchange what the crawl claimed and won may be
asked for from then on.
""",
    "downlist exchange": "Exchange the lists of crawls on one machine: export, merge and apply.",
    "stats": """Show what a crawl has found: outcomes, text, types, languages, hosts, times.

Reads only files: the crawl may be running, stopped or crashed. Of a crawl on many machines, those of all
agents: gathered first if DIR is that of a member, or from the directories that are named.
""",
    "export": """Write the corpus of a crawl in a form that other tools load.

Formats: **jsonl**, one document a line, as the corpus has it; **parquet**, for pandas, DuckDB and Hugging
Face; **duckdb**, a database with one table, documents; **vertical**, for Sketch Engine and Manatee, with
sentences and tokens; **txt**, a paragraph a line, an empty line between documents, and beside it an index.
Every document names its WARC record. Copies of the archive to look at: **wacz**, one file for ReplayWeb.page;
**site**, a folder of files with links between them, of all hosts or of each `--host`. Reads only files: the
crawl may be running. The file, or the folder, appears when it is complete.

What is labelled as boilerplate (menus, footers, teasers) is left out, unless you say --all.

A crawl that visits pages again keeps each version that changed. All are exported;
`--as-of now` makes it a mirror of the web instead: of each page the last version, and
none of pages that are gone. `--as-of 2026-12-31` is the mirror as it was after that day (UTC).

`--dedup paragraph` leaves out every paragraph met before. `--dedup document` leaves out documents with a text
met before, or 90 % of whose characters stand in paragraphs met before. The first one stays. What is left out
is counted.

Of a crawl on many machines the corpora of all agents are exported: gathered first if DIR is that of a member,
or from the directories that are named. A version of a page that two agents have written is exported once.
""",
    "freshness": """Estimate how fresh the collection is, and what revisits have found.

From the record of every page: how often it changes, how likely it is still as we know it, when it is due.
Reads the database beside a running crawl, or that of a stopped one, and changes nothing. Of a crawl on many
machines each agent that runs reads its own shards: from the directory of any member one sees the whole. Exit
code 1: some shards are missing, since nobody who answers holds them.
""",
    "history": """Show when a page was visited, and what each visit found.

Versions are the texts that entered the corpus: the first, and each that had changed. Reads only files, and of
those no more than it must: the crawl may be running. Of a crawl on many machines, those of all agents.
""",
    "audit": """Check the request log of a crawl against every rule of politeness.

Says how many violations there are, and each with its lines of the log; 0 is the only pass. Reads nothing but
DIR/log/requests-*, also while the crawl runs. Exit code 0: none, 1: some, 2: it could not be judged.

Of a crawl on many machines the logs of all agents are judged together: gathered first if DIR is that of a
member, or from the directories that are named. Whose logs are missing is said, and makes exit code 2.
""",
    "segmenter": "Say how usable texts are: as a service, or later.",
    "segmenter serve": "Run the built-in segmenter as a service until it is stopped.",
    "segmenter catch-up": """Rate the documents of a crawl whose usability is unknown.

So it is when the segmenter was down or slow. The files of the corpus do not change:
ratings go to DIR/usability, to a file for each of them. Stopped at any moment, it goes on
where it was. Exit code 0: all are rated, 1: some are still unknown.
""",
    "config": "Print every setting, its value and who set it, also for a crawl.",
    "scope": "Ask which addresses belong to a crawl.",
    "scope explain": "Say which rule decides about an address, without any request.",
    "botpage": "Write the information page for webmasters.",
    "filters": "Check and explain filters, and write them in other forms.",
    "filters new": "Write a set of filters to start from.",
    "filters check": """Say what is wrong in the files of filters, by file and line.

Errors keep a crawl from starting; warnings say what is not honoured, or understood otherwise than it is
written. Exit code 0: no error, 1: some, 2: there are no such files.
""",
    "filters explain": """Say which line decides about an address, in each stage of both filters.

Nothing is fetched by itself: --type says what its server would call it, --html what it would send. With
--fetch the page comes from the archive of a crawl, or from its server, which is asked once in the name of
that crawl and by all its rules; what was asked stands in its request log. Exit code 1: it could not be had.
""",
    "filters import": "Write the same filters in TOML to the standard output.",
    "filters export": "Write the text files that say the same as a TOML file.",
    "fields": "Check rules for fields of documents, and try them on a page.",
    "fields check": """Say what is wrong in a file of rules for fields, by line and rule.

Exit code 0: nothing, 1: something, 2: there is no such file.
""",
    "fields try": """Show what each rule gives on a page, and by which selector.

The page is a local HTML file, or an address that is looked up in the archive of a crawl (--crawl); nothing is
fetched. For a file, --url says where it comes from; without it all rules are tried, whatever their hosts and
paths. Exit code 0: at least one rule has found something, 1: none has.
""",
    "check": "Check whether a service of your own keeps its contract.",
    "check segmenter": """Check whether a segmenter keeps the contract.

Says of each rule what is expected and what came. Exit code 0: all are kept, 1: some are broken.
""",
    "simulate": "Try strategies in virtual time: a year takes seconds.",
    "simulate revisit": """\
Try the strategies of revisiting in virtual time, on pages whose every change is known.

Prints how fresh each strategy keeps them, beside the figures of the thesis of the Brno crawler and the best
that is possible. Touches no crawl and no net. Exit code 0: everything that is to hold does, 1: something
does not.
""",
    "completion": """Print the script by which a shell completes commands, options and crawls.

For bash, zsh and fish. To be made anew after an update of tiptoe.
""",
    "manual": """Write the manual pages: tiptoe(1), and one for each command.

They say what `--help` says.
""",
}
"""What a command does, by its words; the first line stands in the list of all."""

EXAMPLES: Final = {
    "crawl": r"""
tiptoe crawl https://www.example.cz/ --contact https://example.org/bot
tiptoe crawl seeds.txt --contact me@example.org --include '\.cz$' --out czech
tiptoe crawl example.cz --profile site --contact me@example.org --out site     # one site, whole
tiptoe crawl --list urls.txt --contact me@example.org --out listed             # these and no others
tiptoe crawl example.cz --profile site --requisites page --export site \
    --contact me@example.org --out site                 # a copy of it, for reading offline
zcat seeds.gz | tiptoe crawl - --contact me@example.org --out czech
tiptoe crawl --out czech                                # goes on, within the same bounds
tiptoe crawl --out czech --max-pages default            # goes on without that limit
tiptoe crawl --out czech --on-end idle --schedule 'mon-fri 22:00-06:00; sat,sun'
tiptoe crawl --out czech --add-seeds https://www.example.sk/    # also while it runs
tiptoe crawl https://a.example/ --contact me@example.org --access access.toml    # behind a login
""",
    "convert": """
tiptoe convert czech
tiptoe convert czech --document-timeout 5m --document-memory 4GiB
tiptoe convert czech --again            # all of them, anew
tiptoe crawl --out czech --set documents.convert=background
""",
    "read": """
tiptoe read CC-MAIN-20260114-00000.warc.gz --out cc --languages cs,sk --extraction main
tiptoe read czech --out czech-anew                      # a crawl, from its archive
tiptoe read pages/ letters.mbox news/ --out old --processes 8
tiptoe read --out old                                   # goes on, and looks for what is new
""",
    "repair": """
tiptoe repair czech
tiptoe repair czech --check        # change nothing; exit code 1: something is damaged
tiptoe repair czech --lost         # finished files that are not there were not moved: they are lost
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
tiptoe why www.example.cz czech                     # waiting, until when and why? given up?
tiptoe why https://www.example.cz/news czech        # queued, fetched, discarded, never met?
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
tiptoe export czech --format parquet --as-of now        # a mirror: one version of each page
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
tiptoe history czech www.example.cz/news --diff 2 3     # paragraphs that went and came
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
tiptoe segmenter catch-up czech --again --segmenter built-in      # all anew
""",
    "config": """
tiptoe config czech                                    # what is in force there, and who said so
tiptoe config --config crawl.toml --max-pages 1000     # is that what you meant?
tiptoe config --format toml > crawl.toml               # a complete file to start from
tiptoe config --profiles                               # settings that belong together
tiptoe config --profile archive                        # what one of them means
""",
    "scope explain": """
tiptoe scope explain https://www.example.cz/news/1 czech
tiptoe scope explain example.cz/tag/x --prefix https://example.cz/news/ --exclude-url /tag/
tiptoe scope explain blog.example.cz --seed example.cz --same-site
""",
    "botpage": """
tiptoe botpage --contact https://example.org/bot --mail bot@example.org --out bot.html
tiptoe botpage czech --out bot.html                    # of a crawl that has begun
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
tiptoe simulate revisit --out plots                      # all of them: some minutes
tiptoe simulate revisit --experiment hosts --format json
""",
    "completion": """For example, for every new shell, or for this one alone:
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
