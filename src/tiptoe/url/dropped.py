"""Why is a link, a request or a part of a page dropped?

Every drop is counted by one of these names. For why a *page* does not enter the corpus, see
`decide/discard.py`; for troubles with requests, see `frontier/patience.py`.
"""

import enum

__all__ = ["Dropped"]


class Dropped(enum.StrEnum):
    """Reasons, by the names under which they are counted; `observe/meanings.py` explains them."""

    # of a host that was given up
    HOST_GONE = "host_gone"
    MIRROR = "mirror"  # its texts are those of another host
    KEY_TAKEN = "key_taken"  # its name has the same key as another one
    CRAWL_DELAY = "crawl_delay"  # with the pauses it wants, its robots.txt expires before any page
    # of a host or section
    HOST_FULL = "host_full"
    NO_YIELD = "no_yield"
    # of a link
    ZERO_USABILITY = "zero_usability"  # found on a useless page that was itself found on a useless page
    OUT_OF_SCOPE = "out_of_scope"
    UNLISTED = "unlisted"  # neither a seed nor found where the operator wants links to be followed
    TOO_DEEP = "too_deep"
    BAD_HREF = "bad_href"
    REDIRECT_CHAIN = "redirect_chain"
    REDIRECT_LOOP = "redirect_loop"
    SITEMAP_CHAIN = "sitemap_chain"
    DOWNLIST = "downlist"
    FORGOTTEN = "forgotten"  # its owner wants to be forgotten: see `frontier/wishes.py`
    LINK_FILTERED = "link_filtered"  # denied by lines of the operator's filters
    LINK_FILTER_FAILED = "link_filter_failed"  # a function of the operator's filters failed on it
    MANY_HOSTS = "many_hosts"  # on a new host, after as many hosts as the filters allow
    # of a page that is no longer visited
    PAGE_GONE = "page_gone"
    UNWATCHED = "unwatched"  # the settings exclude it from revisits
    # of a link that seems to lead into a trap
    TRAP_SHAPE = "trap_shape"
    TRAP_DEPTH = "trap_depth"
    TRAP_LONG_URL = "trap_long_url"
    TRAP_DEEP_PATH = "trap_deep_path"
    TRAP_REPEATING_PATH = "trap_repeating_path"
    TRAP_MANY_PARAMETERS = "trap_many_parameters"
    TRAP_REPEATED_PARAMETER = "trap_repeated_parameter"
    TRAP_TEXTLESS = "trap_textless"  # its host or section has ever more pages but no new text
    # of a link, or another message, to a host in another shard
    ASTRAY = "astray"  # it is unknown where that host lives, because a database was damaged
    # of a part of a page
    BODY_CUT = "body_cut"
    PAGE_CUT = "page_cut"
    CODING_BROKEN = "coding_broken"
    NO_PAGE = "no_page"
    UNFOLLOWED = "unfollowed"
    MANY_LINKS = "many_links"
    REPEATED_LINKS = "repeated_links"  # on a page with a text that its host repeats over and over
    # of a result
    LEASE_LOST = "lease_lost"
    NOT_LEASED = "not_leased"
