"""What do the short names of outcomes, discards and endings mean?

Names are short because they are counted, stored and searched for; whoever
reads a summary for the first time needs a few words more.
"""

from collections.abc import Mapping
from typing import Final

from tiptoe.observe.outcomes import status_said

__all__ = ["MEANINGS", "READ_MEANINGS", "in_plain_words"]

MEANINGS: Final[Mapping[str, str]] = {
    # answers
    "ok": "received and read",
    "redirect": "moved elsewhere",
    "robots_rules": "robots.txt read, or there is none",
    "robots_moved": "robots.txt lies on another host",
    # what does not enter the corpus
    "disallowed": "robots.txt says no: not asked for",
    "not_html": "no web page, and no document that can be read",
    "stored_aside": "pdf, doc, docx, odt, rtf, epub or plain text: waits for `tiptoe convert`",
    "unreadable": "compressed in a way that cannot be undone",
    "noindex": "the page asks not to be indexed: in the archive, not in the corpus",
    "tdm_reserved": "reserved against text and data mining",
    "no_text": "no text at all",
    "too_short": "less text than text.min_chars wants",
    "no_main_text": "nothing but menus and the like",
    "broken_off": "the page ended before its announced length: asked for once more",
    "challenge": "a wall that wants to see a browser or a person: the host is left alone for a while",
    "login_failed": "the site does not let us in, see fetch.access: its host is left until the next start",
    "avoided": "not asked for: it would log us out, or a rule of fetch.access avoids it",
    "soft_404": "says that there is no such page, as if there were one",
    "repeated_text": "the same text as under other addresses of its host",
    "duplicate": "nearly all of its text stands in the corpus already",
    "other_language": "its text is in none of the languages wanted",
    "filtered": "the filters of the operator want no such page; the log of the harvester names the lines",
    "filter_failed": "a function of one's own in the filters failed on it; the log of the harvester says how",
    # what is left out of a page
    "body_cut": "longer, or slower, than we take, or shorter than announced: read as far as it came",
    "page_cut": "more tags, characters or paragraphs than are read of one page: the rest was left out",
    "coding_broken": "compressed data that break off: read as far as they go",
    "many_links": "more links on one page, or longer ones, than we take",
    "repeated_links": "links under a text that its host has repeated ten times: not followed",
    "no_page": "a link to a script, to mail, to data: not to a page",
    "unfollowed": "a link that it, its page or its server asks not to follow",
    "bad_href": "a link that is no address we could ask for",
    # troubles: tried again, then given up
    "overloaded": "429 or 503: the host and its address are left alone for a while",
    "server_error": "5xx, 408 or 425",
    "robots_unreachable": "robots.txt, or /.well-known/tdmrep.json, was not to be had",
    "no_such_host": "the name does not exist",
    "dns_failed": "the name could not be looked up",
    "private_address": "the name points into a private network, and fetch.allow_networks does not allow it",
    "refused": "connection refused",
    "unreachable": "no way to the address",
    "timed_out": "no answer in time",
    "too_slow": "too few bytes a second",
    "reset": "the connection broke",
    "tls_failed": "no secure connection: certificate or protocol",
    "bad_answer": "not HTTP",
    "headers_too_big": "more header than we take",
    "bad_url": "not an address that can be asked for",
    "harvester_lost": "a process of ours died over it",
    # never asked for
    "host_gone": "its host was given up",
    "link_filtered": "the filters of the operator want no such link; the log of a harvester has the lines",
    "link_filter_failed": "a link on which a function of one's own in the filters failed",
    "many_hosts": "on one more host than filter-by-max src=hosts allows",
    "host_full": "more pages than one host may give",
    "crawl_delay": "its host wants longer pauses (Crawl-delay) than its robots.txt holds",
    "mirror": "the host repeats another one",
    "no_yield": "its host, or that part of it, gave next to no usable text and is left for a long while",
    "zero_usability": "found on the second page in a row without any usable text, see scope.follow_useless",
    "out_of_scope": "outside the bounds of the crawl",
    "unlisted": "scope.follow wants no links from there",
    "too_deep": "too many links away from the seeds",
    "redirect_chain": "too many redirects in a row",
    "sitemap_chain": "sitemaps or feeds too deep in one another",
    "key_taken": "its host cannot be told from another one: both names have the same key",
    "redirect_loop": "redirects that lead back to where they began",
    "trap_shape": "endless pages that differ only in numbers",
    "trap_textless": "its host, or that part of it, gave ever more pages and no new text",
    "trap_depth": "farther from the seeds than any page should be",
    "trap_long_url": "an address too long to be meant for people",
    "trap_deep_path": "a path that grows without end",
    "trap_repeating_path": "a path that repeats itself",
    "trap_many_parameters": "parameters that grow without end",
    "trap_repeated_parameter": "one parameter over and over",
    "lease_lost": "reported too late; asked for again",
    "not_leased": "reported for a host that was not visited: a harvester was mistaken",
    "waiting": "tried, and to be tried again",
    "astray": "to hosts that no machine knows: a database was damaged",
    "downlist": "downloaded by others",
    "forgotten": "its owner wants to be forgotten",
    "page_gone": "looked for in vain several times in a row: not visited again",
    "unwatched": "by the settings not to be visited again",
    # why a run ends
    "finished": "nothing left to ask for",
    "page_limit": "page limit reached",
    "byte_limit": "byte limit reached",
    "time_limit": "time limit reached",
    "packets": "every harvester has done its packets",
    "operator": "stopped by the operator",
    "interrupted": "interrupted",
    "unread": "nobody reads its output any more",
    "no_harvesters": "harvesters die as soon as they start; see log/harvester-errors.log",
}


READ_MEANINGS: Final[Mapping[str, str]] = {
    "other_record": "records that are no answers: requests, revisits, notes",
    "not_ok": "answers with a status other than 2xx",
    "rules": "robots.txt and its like",
    "link_source": "sitemaps, and feeds without a text",
    "broken_record": "records that are damaged",
    "record_cut_off": "records that end too early",
    "endless_record": "records without an end",
    "no_answer": "responses that are no HTTP",
    "no_message": "messages without a text",
    "missing": "could not be opened",
    "too_big": "larger than fetch.decoded_max",
    "crashed": "killed the process that read them",
    "encrypted": "locked with a password",
    "broken": "documents that are not whole",
    "timeout": "documents not read in time",
    "memory": "documents that would take too much memory",
    "unsupported": "documents of a version that we cannot read",
}
"""What `tiptoe read` may meet beside these."""


def in_plain_words(name: str) -> str:
    """Return what a name means; nothing when nobody knows it."""
    return MEANINGS.get(name) or READ_MEANINGS.get(name) or status_said(name)
