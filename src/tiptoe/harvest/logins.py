"""How does a visit log in to a site?

If the site's access rule has a login form, the page with the form is fetched and the form is posted before
anything else is requested. These two requests are like any other: with pauses, counted in the budget of the
visit, logged, and only made if robots.txt allows them. A page that shows that we are logged out is requested
once more, after another login.

A failed login is a trouble of the host: `login_failed` if the site refuses us, otherwise the trouble itself
(a timeout, 503). Answers to login requests are never archived, because they contain secrets.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from tiptoe.access.access_rules import AccessRules, approach_in
from tiptoe.access.login_form import FilledForm, NoForm, fill_form, login_refusal
from tiptoe.access.site_session import SiteSession, Standing
from tiptoe.decide.discard import Discard
from tiptoe.decide.fetching import PendingRequest
from tiptoe.fetch.approach import Approach
from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.frontier.patience import trouble_of
from tiptoe.harvest.document import Reading
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.lane import Lane
from tiptoe.harvest.mediatype import declared_charset
from tiptoe.harvest.tools import Tools
from tiptoe.parse.charset import decode
from tiptoe.protocol.work import Purpose, Request, RobotsNote
from tiptoe.url.address import host_of, split_url
from tiptoe.url.whatwg import whatwg_join

__all__ = ["Logins"]

REQUESTS_LEAST: Final = 3
"""Minimum budget for a login: its two requests and one for a page. With less, it waits for the next visit."""

Ask = Callable[[Lane, Request, RobotsNote, Approach], Awaitable[Answer | Failed | None]]
"""Make one request of a lane at its pace; None when the visit ends first."""


class Logins:
    """Logs in to the sites of a visit, as the access rules say."""

    def __init__(self, ask: Ask, tell: Callable[[Draft], None], tools: Tools, access: AccessRules) -> None:
        self._ask = ask
        self._tell = tell
        self._tools = tools
        self._access = access
        self._now = tools.calendar_time

    async def enter(self, lane: Lane, request: Request, note: RobotsNote) -> bool:
        """Log in if the next request of a lane needs it; False when the request cannot be made now.

        Then either the lane is left with the request still in it, or the keeper was told its outcome.
        """
        session = self._access.session_of(request.url)
        if session is None:
            return True
        if session.rule.avoids(request.url):
            lane.requests.popleft()
            self._tell(Draft(request, reading=Reading(discard=Discard.AVOIDED)))
            return False
        session.forgive(self._now())
        while session.needs_login(request.url):
            if not await self._log_in(lane, request, note, session):
                return False
        if session.standing is Standing.REFUSED:
            lane.requests.popleft()
            self._refuse(request, session)
            return False
        return True

    def is_welcome(self, lane: Lane, request: Request, answer: Answer | Failed) -> bool:
        """Whether an answer shows the page, not that we are logged out; the latter is dealt with here."""
        session = self._access.session_of(request.url)
        if session is None or isinstance(answer, Failed):
            return True
        self._keep_cookies(session, answer)
        is_again = session.note_answer(
            request.url, answer.status, _location(answer), self._now(), says_so=self._says_so(session, answer)
        )
        if is_again:
            lane.requests.appendleft(request)
            self._count(answer)
            return False
        if session.standing is Standing.REFUSED:
            self._count(answer)
            self._refuse(request, session)
            return False
        return True

    async def _log_in(self, lane: Lane, request: Request, note: RobotsNote, session: SiteSession) -> bool:
        """Try to log in once; False when the lane was left, or after trouble, which the keeper was told."""
        login_page = Request(session.login_url, Purpose.LOGIN)
        if not self._may_ask(lane, login_page, session):
            return True
        if lane.budget < REQUESTS_LEAST:
            lane.is_left = True
            return False
        answer = await self._request(lane, request, note, session, login_page)
        if answer is None:
            return False
        form = self._filled_form(session, answer)
        if form is None or not self._may_ask(lane, Request(form.url, Purpose.LOGIN), session):
            return True
        answer = await self._request(lane, request, note, session, Request(form.url, Purpose.LOGIN), form)
        if answer is not None:
            self._judge(session, answer)
        return answer is not None

    def _may_ask(self, lane: Lane, login: Request, session: SiteSession) -> bool:
        """Whether robots.txt allows a login request; if not, the login has finally failed."""
        pending = PendingRequest(login.url, lane.robots_of(session.origin), login.purpose)
        if self._tools.fetch.refusal(pending) is None:
            return True
        path = split_url(login.url).path.partition("?")[0]
        session.turned_away(
            f"robots.txt forbids {path}; log in with a browser and use cookies_file",
            self._now(),
            is_final=True,
        )
        return False

    async def _request(
        self, lane: Lane, page: Request, note: RobotsNote, session: SiteSession, login: Request,
        form: FilledForm | None = None,
    ) -> Answer | None:  # fmt: skip
        """Make a login request; None when the lane was left, or after trouble, which the keeper was told."""
        approach = approach_in(session, login.url, self._now(), form)
        answer = await self._ask(lane, login, note, approach)
        if answer is None:
            lane.is_left = True
            return None
        failure = answer.failure.value if isinstance(answer, Failed) else ""
        status = answer.status if isinstance(answer, Answer) else 0
        if isinstance(answer, Failed) or trouble_of(status, failure) is not None:
            lane.requests.popleft()  # the trouble is reported as that of the page
            self._tell(Draft(page, answer, is_on_the_way=True))
            return None
        self._keep_cookies(session, answer)
        self._count(answer)
        return answer

    def _filled_form(self, session: SiteSession, answer: Answer) -> FilledForm | None:
        """Return the form of a login page, filled in; None if there is none, and so the login has failed."""
        assert session.rule.login is not None
        self._tools.busy.begin(answer.url)
        try:
            if not 200 <= answer.status < 300:
                raise NoForm(f"the login page answered {answer.status}")
            return fill_form(session.rule.login, answer.url, self._text(answer))
        except NoForm as problem:
            session.turned_away(str(problem), self._now(), is_final=True)
            return None
        finally:
            self._tools.busy.end()

    def _judge(self, session: SiteSession, answer: Answer) -> None:
        """Note whether the login worked."""
        assert session.rule.login is not None
        now = self._now()
        self._tools.busy.begin(answer.url)
        refusal = login_refusal(
            session.rule.login,
            page_url=session.login_url,
            status=answer.status,
            location=_location(answer),
            html=self._text(answer),
            cookies=session.jar.names(now),
        )
        self._tools.busy.end()
        if refusal:
            session.turned_away(refusal, now)
            self._tools.log.note("login.refused", host=host_of(session.origin), reason=refusal)
        else:
            session.entered(now)
            self._tools.log.note("login.worked", host=host_of(session.origin), rule=session.rule.name)

    def _refuse(self, request: Request, session: SiteSession) -> None:
        """Tell the keeper that a page is out of reach because the login failed."""
        self._tools.log.note("login.failed", host=host_of(session.origin), reason=session.reason)
        reading = Reading(discard=Discard.LOGIN_FAILED)
        self._tell(Draft(request, reading=reading, detail=session.reason))

    def _count(self, answer: Answer) -> None:
        """Tell the keeper about a request that only counts as made."""
        self._tell(Draft(Request(answer.url, Purpose.LOGIN), answer, is_on_the_way=True))

    def _keep_cookies(self, session: SiteSession, answer: Answer) -> None:
        rule = session.rule
        if (rule.login is not None or rule.cookies) and rule.may_reveal(answer.url):
            parts = split_url(answer.url)
            session.jar.take(answer.headers.every("set-cookie"), parts.host, parts.path, self._now())

    def _says_so(self, session: SiteSession, answer: Answer) -> bool:
        """Whether the page only says that we are logged out."""
        login = session.rule.login
        return login is not None and bool(login.again_text) and login.again_text in self._text(answer)

    def _text(self, answer: Answer) -> str:
        bytes_max = self._tools.limits.decoded_bytes_max
        decoded = decode_body(answer.body, answer.headers.get("content-encoding"), bytes_max)
        return decode(decoded.data, declared_charset(answer)).text


def _location(answer: Answer) -> str:
    """Return the absolute URL that an answer redirects to; empty if it does not."""
    if not 300 <= answer.status < 400 or "location" not in answer.headers:
        return ""
    return whatwg_join(answer.url, answer.headers["location"]) or ""
