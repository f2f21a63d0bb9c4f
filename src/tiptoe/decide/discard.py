"""Why does a page not enter the corpus?

For the reasons to drop a *link*, see `url/dropped.py`.
"""

from enum import StrEnum

__all__ = ["Discard"]


class Discard(StrEnum):
    """Reasons, by the names under which they are counted; `observe/meanings.py` explains them."""

    # given by the decision points `fetch`, `parse` and `store`
    DISALLOWED = "disallowed"  # by robots.txt
    NOT_HTML = "not_html"
    NOINDEX = "noindex"
    TDM_RESERVED = "tdm_reserved"
    NO_TEXT = "no_text"
    TOO_SHORT = "too_short"  # less text than the operator wants
    NO_MAIN_TEXT = "no_main_text"  # nothing but boilerplate
    REPEATED_TEXT = "repeated_text"  # the same text as at other URLs of the host
    OTHER_LANGUAGE = "other_language"  # in none of the languages wanted
    DUPLICATE = "duplicate"  # nearly all of its text is in the corpus already
    FILTERED = "filtered"  # denied by a line of the operator's filters
    FILTER_FAILED = "filter_failed"  # a function of the operator's filters failed on it
    # recognised from the answer: there is no page to decide about
    STORED_ASIDE = "stored_aside"  # a document that `tiptoe convert` can read
    UNREADABLE = "unreadable"  # the content coding is broken from the start
    BROKEN_OFF = "broken_off"  # the body ended early: it is requested once more
    CHALLENGE = "challenge"  # in place of the page came one that demands a browser or a person
    LOGIN_FAILED = "login_failed"  # the site rejects our login: see `fetch.access`
    AVOIDED = "avoided"  # not requested: it would log us out, or a rule of `fetch.access` says so
    SOFT_404 = "soft_404"  # says "not found" with a status that says otherwise
