"""What do the short names of outcomes, discards and endings mean?

Names are short because they are counted, stored and searched for; someone who
reads a summary for the first time needs a short explanation.
"""

from collections.abc import Mapping
from typing import Final

from tiptoe.observe.outcomes import status_text

__all__ = ["MEANINGS", "READ_MEANINGS", "in_plain_words"]

MEANINGS: Final[Mapping[str, str]] = {
    # answers
    "ok": "received and read",
    "redirect": "moved elsewhere",
    "robots_rules": "robots.txt and tdmrep.json, two requests: read, or not there",
    "robots_moved": "robots.txt is on another host",
    # what does not enter the corpus
    "disallowed": "robots.txt forbids it: not requested",
    "not_html": "not a web page, and not a readable document",
    "stored_aside": "pdf, doc, docx, odt, rtf, epub or plain text: kept for `tiptoe convert`",
    "unreadable": "compressed in a way that cannot be decoded",
    "noindex": "the page asks not to be indexed: in the archive, not in the corpus",
    "tdm_reserved": "reserved against text and data mining",
    "no_text": "no text at all",
    "too_short": "less text than text.min_chars requires",
    "no_main_text": "nothing but menus and the like",
    "broken_off": "the page ended before its announced length: requested once more",
    "challenge": "a check for browsers or people (CAPTCHA): the host is left alone for a while",
    "login_failed": "the login did not work, see fetch.access: the host is left alone until the next start",
    "avoided": "not requested: it would log us out, or a rule of fetch.access avoids it",
    "soft_404": "an error page (no such page) sent as if it were a normal one",
    "repeated_text": "the same text as at other addresses of its host",
    "duplicate": "nearly all of its text is already in the corpus",
    "other_language": "its text is in none of the languages wanted",
    "filtered": "denied by your filters; the harvester's log names the lines",
    "filter_failed": "a function of your own in the filters failed; the harvester's log says how",
    # what is left out of a page
    "body_cut": "too long, too slow, or shorter than announced: what was received is read",
    "page_cut": "too many tags, characters or paragraphs: the rest of the page was left out",
    "coding_broken": "compressed data that break off: read up to that point",
    "many_links": "too many or too long links on one page: the rest is left out",
    "repeated_links": "links on a page whose text its host has repeated ten times: not followed",
    "no_page": "a link to a script, mail or data, not to a page",
    "unfollowed": "links marked as not to be followed, by the link, page or server (nofollow)",
    "bad_href": "a link that is not a usable address",
    # troubles: tried again, then given up
    "overloaded": "429 or 503: the host and its address are left alone for a while",
    "server_error": "5xx, 408 or 425",
    "robots_unreachable": "robots.txt, or /.well-known/tdmrep.json, could not be fetched",
    "no_such_host": "the name does not exist",
    "dns_failed": "the name could not be looked up",
    "private_address": "the name points into a private network, and fetch.allow_networks does not allow it",
    "refused": "connection refused",
    "unreachable": "no route to the address",
    "timed_out": "no answer in time",
    "too_slow": "too few bytes a second",
    "reset": "the connection broke",
    "tls_failed": "no secure connection: certificate or protocol",
    "bad_answer": "not HTTP",
    "headers_too_big": "headers too long",
    "bad_url": "not an address that can be requested",
    "harvester_lost": "one of our processes died while handling it",
    # never requested
    "host_gone": "its host was given up",
    "link_filtered": "links denied by your filters; the harvester's log names the lines",
    "link_filter_failed": "links on which a function of your own in the filters failed",
    "many_hosts": "on more hosts than filter-by-max src=hosts allows",
    "host_full": "more pages than crawl.pages_per_host allows",
    "crawl_delay": "its host wants pauses (Crawl-delay) so long that robots.txt would expire",
    "mirror": "the host repeats another one",
    "no_yield": "its host, or that part of it, gave next to no usable text and is left alone for a long time",
    "zero_usability": "found on the second page in a row without any usable text, see scope.follow_useless",
    "out_of_scope": "outside the bounds of the crawl",
    "unlisted": "scope.follow excludes links from there",
    "too_deep": "too many links away from the seeds",
    "redirect_chain": "too many redirects in a row",
    "sitemap_chain": "sitemaps or feeds nested too deeply",
    "key_taken": "its host cannot be distinguished from another one: both names have the same key",
    "redirect_loop": "redirects that lead back to where they began",
    "trap_shape": "endless pages that differ only in numbers",
    "trap_textless": "its host, or that part of it, gave more and more pages without new text",
    "trap_depth": "farther from the seeds than any page should be",
    "trap_long_url": "an address too long to be meant for people",
    "trap_deep_path": "a path that grows without end",
    "trap_repeating_path": "a path that repeats itself",
    "trap_many_parameters": "parameters that grow without end",
    "trap_repeated_parameter": "one parameter over and over",
    "lease_lost": "reported too late; requested again",
    "not_leased": "reported for a host that was not visited: a harvester was mistaken",
    "waiting": "tried, and to be tried again",
    "astray": "mail to hosts that no machine knows: a database was damaged",
    "downlist": "downloaded by others",
    "forgotten": "removed with `tiptoe forget`",
    "page_gone": "not found several times in a row: not visited again",
    "unwatched": "excluded from revisits by the settings",
    # why a run ends
    "finished": "nothing left to request",
    "page_limit": "page limit reached",
    "byte_limit": "byte limit reached",
    "time_limit": "time limit reached",
    "packets": "every harvester has done its packets (harvest.batch_count)",
    "operator": "stopped by the operator",
    "interrupted": "interrupted",
    "unread": "its output was closed",
    "no_harvesters": "harvesters die as soon as they start; see log/harvester-errors.log",
}


READ_MEANINGS: Final[Mapping[str, str]] = {
    "other_record": "records that are no answers: requests, revisits, notes",
    "read_before": "records that were read before, from another copy of their file",
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
"""Further names, which only `tiptoe read` uses."""


def in_plain_words(name: str) -> str:
    """Return what a name means; empty when it is unknown."""
    return MEANINGS.get(name) or READ_MEANINGS.get(name) or status_text(name)
