"""What does `--help` say of each command, beside its options?"""

__all__ = [
    "AUDIT_EXAMPLES", "AUDIT_HELP", "BLOCK_EXAMPLES", "BOTPAGE_EXAMPLES", "CATCH_UP_EXAMPLES",
    "CATCH_UP_HELP", "CHECK_SEGMENTER_EXAMPLES", "CHECK_SEGMENTER_HELP", "COMPLETION_EXAMPLES",
    "COMPLETION_HELP", "CONFIG_EXAMPLES", "CONVERT_EXAMPLES", "CONVERT_HELP", "CRAWL_EXAMPLES",
    "CRAWL_HELP", "DOWNLIST_APPLY_HELP", "DOWNLIST_EXAMPLES", "DOWNLIST_EXCHANGE_EXAMPLES",
    "DOWNLIST_EXPORT_HELP", "DOWNLIST_MERGE_HELP", "EXPORT_EXAMPLES", "EXPORT_HELP",
    "FIELDS_CHECK_EXAMPLES", "FIELDS_CHECK_HELP", "FIELDS_TRY_EXAMPLES", "FIELDS_TRY_HELP",
    "FILTERS_CHECK_EXAMPLES", "FILTERS_CHECK_HELP", "FILTERS_EXPLAIN_EXAMPLES", "FILTERS_EXPLAIN_HELP",
    "FILTERS_IMPORT_EXAMPLES", "FILTERS_NEW_EXAMPLES", "FORGET_EXAMPLES", "FORGET_HELP",
    "FRESHNESS_EXAMPLES", "FRESHNESS_HELP", "HISTORY_EXAMPLES", "HISTORY_HELP", "MANUAL_EXAMPLES",
    "MANUAL_HELP", "PAUSE_EXAMPLES", "READ_EXAMPLES", "READ_HELP", "REHEARSE_EXAMPLES", "REHEARSE_HELP",
    "REPAIR_EXAMPLES", "REPAIR_HELP", "SCOPE_EXPLAIN_EXAMPLES", "SCOPE_EXPLAIN_HELP", "SERVE_EXAMPLES",
    "SET_EXAMPLES", "SET_HELP", "SIMULATE_EXAMPLES", "SIMULATE_HELP", "SLOW_EXAMPLES", "STATS_EXAMPLES",
    "STATS_HELP", "STATUS_EXAMPLES", "STOP_EXAMPLES", "WHY_EXAMPLES", "WHY_HELP",
]  # fmt: skip

CRAWL_HELP = """Crawl politely from seeds, or continue an earlier crawl.

If the directory has a crawl already, that crawl continues with the settings it remembers. New values override
them; they are shown, and remembered from then on. The word `default` resets a setting to its default. Ctrl-C
stops cleanly; a second one stops at once and loses only the requests under way.

Exit code 0: nothing is left to request; 1: something in tiptoe or on this machine is broken; 2: the command
line, a setting or a file has to be changed; 3: a limit was reached; 4: not a single page was fetched; 5:
pages were fetched, but without text for the corpus; 130: stopped by a signal or by `tiptoe stop`; 141: its
output was closed.
"""

CRAWL_EXAMPLES = r"""
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
"""

DOWNLIST_EXPORT_HELP = """Write what a crawl has downloaded since an earlier list, and what it claims.

Each line has an address, a time, a digest and the robot. A crawl that waits for exchanges (`--claims`) claims
what is in its queue. The crawl may be running; the file is plain text that can be sent anywhere.
"""

DOWNLIST_MERGE_HELP = """Merge the lists of several robots into one that says who has each address.

Downloads take precedence over claims, earlier downloads over later ones, and claims from an earlier merge
over new ones. What several robots claim at once is divided evenly, by host. Memory does not grow with the
lists.
"""

DOWNLIST_APPLY_HELP = """Tell a crawl, running or not, never to request what other robots have.

Such addresses are dropped from its queue, except those under way. With --exchange, the crawl may from then on
request what it claimed and was assigned.
"""

DOWNLIST_EXAMPLES = r"""For example, on each of two machines, with files that are sent by any means:
tiptoe crawl seeds.txt --contact me@example.org --out prague --claims --on-end idle --background
tiptoe downlist export prague --out prague.list                         # says: exchange 1
tiptoe downlist merge prague.list brno.list --known all.list --out all.list
tiptoe downlist apply prague all.list --exchange 1
tiptoe downlist export prague --since prague.list --out prague.next     # the next time
"""

DOWNLIST_EXCHANGE_EXAMPLES = r"""
watch --interval 60 tiptoe downlist exchange prague brno --known all.list
"""

AUDIT_HELP = """Check the request log of a crawl against every rule of politeness.

Reports how many violations there are, and lists each with its lines of the log; only 0 is a pass. Reads
nothing but DIR/log/requests-*; the crawl may be running. Exit code 0: none, 1: some, 2: it could not be
judged.

For a crawl on many machines, the logs of all agents are judged together. They are gathered first if DIR
belongs to a member, or read from the directories you name. Missing logs are reported; the exit code is then
2.
"""

AUDIT_EXAMPLES = """
tiptoe audit czech
tiptoe audit czech www.example.cz --html report.html    # to be sent to its webmaster
tiptoe audit czech --json
tiptoe audit czech-1 czech-2 czech-3                    # one crawl, brought together from three machines
"""

REHEARSE_HELP = """Try a configuration on a simulated web, without using the network.

The crawl is then judged from the servers' side: a single violation of politeness makes the rehearsal fail.
Unless the configuration says otherwise, pauses are short, and it takes about half a minute.
"""

REHEARSE_EXAMPLES = """
tiptoe rehearse
tiptoe rehearse crawl.toml --hosts 50 --max-pages 500
tiptoe rehearse --hosts 20 --revisit adaptive --on-end watch --max-seconds 60
"""

STATUS_EXAMPLES = """
tiptoe status czech
tiptoe status czech --json
tiptoe status czech --watch --every 5s  # with plots, until Ctrl-C
tiptoe status czech --check             # for a health check
"""

PAUSE_EXAMPLES = """
tiptoe pause czech
tiptoe resume czech
"""

BLOCK_EXAMPLES = """
tiptoe block www.example.cz czech
tiptoe block 192.0.2.7 czech            # all hosts of an address
tiptoe unblock www.example.cz czech
"""

SLOW_EXAMPLES = """
tiptoe slow www.example.cz czech --delay 2m
tiptoe slow www.example.cz czech --delay 0s     # as configured again
"""

SET_HELP = """Change settings of a running crawl, from this moment on.

This works for settings that `tiptoe config` marks as live: pauses, limits, the number of harvesters. The
crawl remembers them for its next runs. A slower pace applies from the very next request on: visits under way
end, and their addresses rest. A pause that has begun never becomes shorter.
"""

SET_EXAMPLES = """
tiptoe set czech politeness.req_delay=10s
tiptoe set czech crawl.max_pages=200000 harvest.harvesters=4
tiptoe set czech politeness.general_pause=default
"""

STOP_EXAMPLES = "tiptoe stop czech"

CONFIG_EXAMPLES = """
tiptoe config czech                                    # what is in force there, and where it was set
tiptoe config --config crawl.toml --max-pages 1000     # is that what you meant?
tiptoe config --format toml > crawl.toml               # a complete file to start from
tiptoe config --profiles                               # what each profile sets
tiptoe config --profile archive                        # all settings with this profile
"""

BOTPAGE_EXAMPLES = """
tiptoe botpage --contact https://example.org/bot --mail bot@example.org --out bot.html
tiptoe botpage czech --out bot.html                    # for an existing crawl
tiptoe botpage --config crawl.toml --purpose "Texts for the Example Corpus." --out bot.html
"""

STATS_HELP = """Show what a crawl has found: outcomes, text, types, languages, hosts, times.

Reads only files: the crawl may be running, stopped or crashed. For a crawl on many machines, it reads the
files of all agents, which are gathered first if DIR belongs to a member, or read from the directories you
name.
"""

STATS_EXAMPLES = """
tiptoe stats czech
tiptoe stats czech --html czech.html
tiptoe stats czech --json --top 100 > czech.json
"""

CONVERT_HELP = """Turn the documents of a crawl (pdf, doc, docx, odt, rtf, epub, txt) into text.

Their text enters the corpus, and their links join the crawl: at once if it is running, otherwise when it
continues. Each document is converted once, in a confined process; Ctrl-C or a crash loses nothing.
"""

CONVERT_EXAMPLES = """
tiptoe convert czech
tiptoe convert czech --document-timeout 5m --document-memory 4GiB
tiptoe convert czech --again            # converts all of them again
tiptoe crawl --out czech --set documents.convert=background
"""

READ_HELP = """Read text from elsewhere into a corpus: archives, folders, mail, news, feeds.

Sources are WARC files written by any tool, folders of HTML, PDF, Word and other documents, mbox files and
news archives, feeds saved to disk; or the directory of a crawl, whose corpus is then rebuilt from its
archive: the same documents under the same ids, with the settings of that crawl unless you give others. Texts
are extracted and judged as in a crawl. The network is not used.

It can be stopped or killed at any moment and continues where it was; what was read is not read again, but
what is new in a source is. Items without text are counted by reason, and damage is listed in
DIR/log/read.log. Use DIR like that of a crawl: `tiptoe export DIR`, `tiptoe stats DIR`.
"""

READ_EXAMPLES = """
tiptoe read CC-MAIN-20260114-00000.warc.gz --out cc --languages cs,sk --extraction main
tiptoe read czech --out czech-anew                      # a crawl, from its archive
tiptoe read pages/ letters.mbox news/ --out old --processes 8
tiptoe read --out old                                   # continues, and reads what is new
"""

SERVE_EXAMPLES = """
tiptoe segmenter serve
tiptoe segmenter serve --listen 192.0.2.7:8750 --lang cs,sk     # for crawls on other machines
"""

CATCH_UP_HELP = """Rate the documents of a crawl whose usability is unknown.

It is unknown if the segmenter was down or slow. The files of the corpus do not change: ratings go to
DIR/usability, one file for each corpus file. You may stop it at any moment; it continues where it was. Exit
code 0: all are rated, 1: some are still unknown.
"""

CATCH_UP_EXAMPLES = """
tiptoe segmenter catch-up czech --segmenter http://127.0.0.1:8750
tiptoe segmenter catch-up czech --again --segmenter built-in      # rates all of them again
"""

CHECK_SEGMENTER_HELP = """Check whether a segmenter keeps the contract.

Reports for each rule what was expected and what was received. Exit code 0: all are kept, 1: some are broken.
"""

CHECK_SEGMENTER_EXAMPLES = "tiptoe check segmenter http://127.0.0.1:8750"

EXPORT_HELP = """Write the corpus of a crawl in a format that other tools load.

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
"""

EXPORT_EXAMPLES = """
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
"""

HISTORY_HELP = """Show when a page was visited, and what each visit found.

Versions are the texts that entered the corpus: the first, and each that had changed. Reads only the files it
needs; the crawl may be running. For a crawl on many machines, it reads the files of all agents.
"""

HISTORY_EXAMPLES = """
tiptoe history czech https://www.example.cz/
tiptoe history czech www.example.cz/news --show 3       # the text of version 3
tiptoe history czech www.example.cz/news --diff 2 3     # paragraphs removed and added
tiptoe history czech www.example.cz/news --answer 3     # what the server sent for version 3
"""

FRESHNESS_HELP = """Estimate how fresh the collection is, and what revisits have found.

For every page, it estimates how often the page changes and how likely our copy is still up to date, and it
counts when pages are due. Reads the database of a running or stopped crawl, and changes nothing. In a crawl
on many machines, each running agent reads its own shards, so the directory of any member shows the whole.
Exit code 1: some shards are missing, because no agent that answers holds them.
"""

FRESHNESS_EXAMPLES = """
tiptoe freshness czech
tiptoe freshness czech --html freshness.html
tiptoe freshness czech --json > freshness.json
"""

REPAIR_HELP = """Read everything a crawl has written, repair what can be repaired, and report what is lost.

The crawl must not be running. What can be read of a damaged database is saved, damaged records are removed
from the files, and indexes are rebuilt. The next `tiptoe crawl` requests pages again whose texts or answers
are lost.

It also repairs a member of a crawl on many machines, if the servers are running: a damaged database is put
aside and copied from the servers, which also know what the files should contain. Lost pages are requested
again by the agents that hold their shards.
"""

REPAIR_EXAMPLES = """
tiptoe repair czech
tiptoe repair czech --check        # change nothing; exit code 1: something is damaged
tiptoe repair czech --lost         # missing finished files were not moved away: they are lost
"""

SIMULATE_HELP = """Try the revisit strategies in virtual time, on pages whose every change is known.

Prints how fresh each strategy keeps them, next to the figures of the thesis on the Brno crawler and the best
possible result. Touches neither a crawl nor the network. Exit code 0: all expectations are met, 1: some are
not.
"""

SIMULATE_EXAMPLES = """
tiptoe simulate revisit --experiment server
tiptoe simulate revisit --experiment poisson --pages 10000
tiptoe simulate revisit --out plots                      # all experiments: some minutes
tiptoe simulate revisit --experiment hosts --format json
"""

FIELDS_CHECK_HELP = """Report mistakes in a file of rules for fields, by line and rule.

Exit code 0: nothing, 1: something, 2: there is no such file.
"""

FIELDS_CHECK_EXAMPLES = "tiptoe fields check fields.toml"

FIELDS_TRY_HELP = """Show what each rule finds on a page, and by which selector.

The page is a local HTML file, or an address that is looked up in the archive of a crawl (--crawl); nothing is
fetched. For a file, --url says where it comes from; without it all rules are tried, whatever their hosts and
paths. Exit code 0: at least one rule has found something, 1: none has.
"""

FIELDS_TRY_EXAMPLES = """
tiptoe fields try fields.toml page.html
tiptoe fields try fields.toml page.html --url https://shop.example/book/1
tiptoe fields try fields.toml https://shop.example/book/1 --crawl crawl
"""

FILTERS_NEW_EXAMPLES = """
tiptoe filters new myfilters
tiptoe crawl https://www.example.cz/ --filters myfilters --contact me@example.org
"""

FILTERS_CHECK_HELP = """Report mistakes in filter files, by file and line.

Errors keep a crawl from starting; warnings tell what has no effect, or is interpreted differently than it is
written. Exit code 0: no errors, 1: some, 2: there are no such files.
"""

FILTERS_CHECK_EXAMPLES = """
tiptoe filters check myfilters
tiptoe filters check filters.toml --json
"""

FILTERS_EXPLAIN_HELP = """Say which line decides about an address, in each stage of both filters.

Nothing is fetched unless you ask for it: --type gives the type that the server would declare, --html the page
that it would send. With --fetch the page comes from the archive of a crawl, or else from its server, with one
request in the name of that crawl and under all its rules, recorded in its request log. Exit code 1: the page
could not be fetched.
"""

FILTERS_EXPLAIN_EXAMPLES = """
tiptoe filters explain myfilters https://www.example.cz/logo.png
tiptoe filters explain myfilters https://www.example.cz/a --depth 3 --type text/html
tiptoe filters explain myfilters https://www.example.cz/a --html page.html
tiptoe filters explain myfilters https://www.example.cz/a --fetch --crawl crawl
"""

FILTERS_IMPORT_EXAMPLES = """
tiptoe filters import myfilters > filters.toml
tiptoe filters export filters.toml otherfilters
tiptoe crawl https://www.example.cz/ --filters filters.toml --contact me@example.org
"""

WHY_HELP = "Tell the story of one host or page: its state, what it waits for, what came of it."

WHY_EXAMPLES = """
tiptoe why www.example.cz czech                     # why does it wait, and until when? was it given up?
tiptoe why https://www.example.cz/news czech        # was it queued, fetched, discarded, never found?
tiptoe why www.example.cz/news czech --json
"""

SCOPE_EXPLAIN_HELP = "Say which rule decides about an address, without any request."

SCOPE_EXPLAIN_EXAMPLES = """
tiptoe scope explain https://www.example.cz/news/1 czech
tiptoe scope explain example.cz/tag/x --prefix https://example.cz/news/ --exclude-url /tag/
tiptoe scope explain blog.example.cz --seed example.cz --same-site
"""

FORGET_HELP = """Remove a host, or pages, from everything that a crawl has stored, for good.

For owners who want their pages removed. TARGET is removed from the corpus, the archive and its indexes, the
lists of documents and of pages that are gone, descriptions, later ratings, the catalog and the database, and
is never requested again, whatever links to it. `forgotten.jsonl` records what was removed, when and why, in
numbers only. The request log stays, since it proves how the host was treated. Earlier exports are not
changed.

TARGET is a host (`www.example.cz`), a domain with all its hosts (`*.example.cz`), an address, or the
beginning of addresses (`https://www.example.cz/private/*`), whether http or https. The crawl must not be
running; if it is, `tiptoe block` leaves a host alone at once. If the command is killed, the next `tiptoe
forget` or `tiptoe crawl` completes its work.
"""

FORGET_EXAMPLES = """
tiptoe forget www.example.cz czech --dry-run
tiptoe forget www.example.cz czech --reason "letter of the owner, 17 November 2026"
tiptoe forget "https://www.example.cz/private/*" czech --reason "personal data"
tiptoe forget --list czech
"""

COMPLETION_HELP = """Print the script with which a shell completes commands, options and names of crawls.

For bash, zsh and fish. Generate it again after an update of tiptoe.
"""

COMPLETION_EXAMPLES = """For example, for every new shell, or (the last line) only for this one:
tiptoe completion bash > ~/.local/share/bash-completion/completions/tiptoe
tiptoe completion zsh > ~/.zfunc/_tiptoe       # ~/.zfunc has to be in $fpath
tiptoe completion fish > ~/.config/fish/completions/tiptoe.fish
source <(tiptoe completion bash)
"""

MANUAL_HELP = """Write the manual pages: tiptoe(1), and one for each command.

They contain the same text as `--help`.
"""

MANUAL_EXAMPLES = """
tiptoe manual --out ~/.local/share/man/man1
man tiptoe-crawl
"""
