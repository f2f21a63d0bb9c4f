"""How we stand with a site, answer by answer."""

from access_samples import a_rule

from tiptoe.access.access_rule import AccessRule
from tiptoe.access.secret import Secret
from tiptoe.access.site_session import REFUSED_IN_ROW, REFUSED_SECONDS, VAIN_SECONDS, SiteSession, Standing

PAGE = "https://a.example/page"
LOGIN_PAGE = "https://a.example/login"


def session_in(now: float = 0.0) -> SiteSession:
    """Return a session that has begun."""
    session = SiteSession(a_rule(), "https://a.example")
    session.entered(now)
    return session


def test_a_session_begins_with_a_login_and_ends_when_the_site_says_so() -> None:
    session = SiteSession(a_rule(), "https://a.example")
    assert session.needs_login(PAGE)
    session.entered(0.0)
    assert not session.needs_login(PAGE)
    assert not session.note_answer(PAGE, 200, "", 1.0)
    assert session.note_answer(PAGE, 302, LOGIN_PAGE + "?next=%2Fpage", 2.0)
    assert session.needs_login(PAGE)


def test_statuses_that_mean_logged_out_are_those_of_the_rule() -> None:
    assert session_in().note_answer(PAGE, 401, "", 1.0)
    assert session_in().note_answer(PAGE, 403, "", 1.0)
    assert session_in().note_answer(PAGE, 302, LOGIN_PAGE + "/?next=x", 1.0)
    assert not session_in().note_answer(PAGE, 404, "", 1.0)
    assert not session_in().note_answer(PAGE, 302, "https://a.example/other", 1.0)


def test_a_page_is_asked_for_once_more_and_not_again() -> None:
    """Some pages are forbidden to everybody; a login for each try would never end."""
    session = session_in()
    assert session.note_answer(PAGE, 403, "", 1.0)
    session.entered(2.0)
    assert not session.note_answer(PAGE, 403, "", 3.0)
    assert session.standing is Standing.IN


def test_logins_in_vain_become_rare() -> None:
    """A section of forbidden pages must not cost a login for each."""
    session, now, logins = session_in(), 0.0, 0
    for number in range(1000):
        now += 5.0
        url = f"{PAGE}/{number}"
        if session.note_answer(url, 403, "", now):
            logins += 1
            session.entered(now)
            session.note_answer(url, 403, "", now + 1.0)
    assert now > 60 * VAIN_SECONDS
    assert logins <= 8


def test_a_login_that_helped_makes_the_next_one_easy_again() -> None:
    session = session_in()
    session.note_answer(PAGE, 403, "", 1.0)
    session.entered(2.0)
    session.note_answer(PAGE, 403, "", 3.0)  # in vain
    assert not session.note_answer(PAGE + "/2", 403, "", 4.0)
    assert session.note_answer(PAGE + "/2", 403, "", 3.0 + VAIN_SECONDS)
    session.entered(70.0)
    session.note_answer(PAGE + "/2", 200, "", 71.0)  # it helped
    assert session.note_answer(PAGE + "/3", 403, "", 72.0)


def test_tries_are_bounded_and_the_refusal_lasts_a_while() -> None:
    session = SiteSession(a_rule(), "https://a.example")
    session.turned_away("the site shows the login form again", 0.0)
    assert session.needs_login(PAGE)
    session.turned_away("the site shows the login form again", 1.0)
    assert (session.standing, session.reason) == (Standing.REFUSED, "the site shows the login form again")
    session.forgive(REFUSED_SECONDS)
    assert session.standing is Standing.REFUSED
    session.forgive(REFUSED_SECONDS + 1.0)
    assert (session.standing, session.tries) == (Standing.OUT, 0)


def credentials() -> SiteSession:
    rule = AccessRule(name="rule 1", hosts=("a.example",), hidden=(("Authorization", Secret("Basic x")),))
    return SiteSession(rule, "https://a.example")


def test_credentials_that_were_never_accepted_are_refused_at_once() -> None:
    session = credentials()
    session.note_answer(PAGE + "?q=1", 401, "", 0.0)
    assert session.standing is Standing.REFUSED
    assert session.reason == "the site answered 401 to our credentials at /page"


def test_a_page_that_is_closed_to_good_credentials_is_its_own_business() -> None:
    session = credentials()
    session.note_answer(PAGE, 200, "", 0.0)
    for _ in range(REFUSED_IN_ROW - 1):
        session.note_answer(PAGE, 401, "", 0.0)
    session.note_answer(PAGE, 404, "", 0.0)
    session.note_answer(PAGE, 401, "", 0.0)
    assert session.reason == ""
    for _ in range(REFUSED_IN_ROW):
        session.note_answer(PAGE, 401, "", 0.0)
    assert session.standing is Standing.REFUSED


def test_an_answer_to_a_request_without_credentials_says_nothing_of_them() -> None:
    session = credentials()
    session.note_answer("http://a.example/page", 401, "", 0.0)  # over http they are not shown
    assert session.standing is Standing.OUT
