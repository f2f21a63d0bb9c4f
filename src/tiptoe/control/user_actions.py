"""What can be done with users, sessions and tokens? Used by pages and API alike."""

from typing import Final

from tiptoe.control.accounts import UserAccount, password_fault, user_name_fault
from tiptoe.control.control_parts import ControlParts
from tiptoe.control.one_time_links import OneTimeLinks
from tiptoe.control.user_role import UserRole
from tiptoe.control.visitor import Visitor
from tiptoe.control.web_problem import WebProblem
from tiptoe.observe.amounts import human_seconds

__all__ = ["UserActions"]

INVITATION_SECONDS: Final = 3 * 86400.0
TOKEN_DAYS_MAX: Final = 3660.0


class UserActions:
    """The actions of one visitor on users."""

    def __init__(self, parts: ControlParts, visitor: Visitor, now: float) -> None:
        self._parts = parts
        self._visitor = visitor
        self._now = now

    @staticmethod
    def role_named(word: str) -> UserRole:
        """Return a role by its name; raise WebProblem when there is none."""
        try:
            return UserRole.named(word)
        except ValueError as error:
            raise WebProblem(422, f"role: {error}", errors={"role": str(error)}) from error

    def invite(self, name: str, role: UserRole) -> str:
        """Return a link with which a new user makes an account of this name."""
        if fault := user_name_fault(name):
            raise WebProblem(422, f"name: {fault}", errors={"name": fault})
        if self._parts.place.directory is None:
            raise WebProblem(409, "this server keeps no accounts; start it with --dir")
        if self._parts.accounts.find(name) is not None:
            raise WebProblem(409, f"there is a user {name} already", errors={"name": "taken"})
        key = self._parts.links.make(OneTimeLinks.JOIN, role, self._now + INVITATION_SECONDS, user=name)
        self._note("user.invite", name, role.word)
        return f"{self._parts.place.url}/welcome?key={key}"

    def withdraw_invitation(self, name: str) -> bool:
        """Make the link of an invitation invalid; return False when it was used, or there was none."""
        is_withdrawn = self._parts.links.withdraw(OneTimeLinks.JOIN, name)
        if is_withdrawn:
            self._note("user.uninvite", name)
        return is_withdrawn

    def change_role(self, name: str, role: UserRole) -> UserRole:
        """Give a user another role; return the previous one. Sessions end, because they have the old role."""
        before = UserRole.named(self._account(name).role)
        if role is not UserRole.ADMINISTRATOR:
            self._expect_other_administrators(name)
        self._parts.accounts.set_role(name, role)
        self._parts.sessions.end_all_of(name)
        self._note("user.role", name, f"{before.word} -> {role.word}")
        return before

    def set_locked(self, name: str, *, is_locked: bool) -> None:
        """Lock or unlock a user's account."""
        self._account(name)
        if is_locked:
            self._expect_other_administrators(name)
        self._parts.accounts.set_locked(name, is_locked=is_locked)
        if is_locked:
            self._parts.sessions.end_all_of(name)
        self._note("user.lock" if is_locked else "user.unlock", name)

    def remove(self, name: str) -> None:
        """Remove a user with all sessions and tokens."""
        self._account(name)
        self._expect_other_administrators(name)
        with self._parts.store.together():
            self._parts.accounts.remove(name)
            self._parts.sessions.end_all_of(name)
            self._parts.tokens.revoke_all_of(name)
        self._note("user.remove", name)

    def end_session(self, id: str) -> bool:
        """End the session of a browser."""
        is_ended = self._parts.sessions.end(id)
        if is_ended:
            self._note("session.end", "", id[:12])
        return is_ended

    def change_password(self, old: str, new: str, again: str, *, address: str) -> dict[str, str]:
        """Change the visitor's own password; return the errors, by field."""
        me = self._visitor.user
        if wait := self._parts.limits.wait_seconds(me, address, self._now):
            return {"old": f"too many tries; wait {human_seconds(wait)}"}
        errors = {"password": password_fault(new), "again": "" if again == new else "not the same"}
        if not any(errors.values()):
            self._parts.limits.note_failure(me, address, self._now)
            if self._parts.accounts.admits(me, old) is None:
                errors["old"] = "not your password"
        if any(errors.values()):
            return {name: fault for name, fault in errors.items() if fault}
        self._parts.limits.note_success(me, address)
        self._parts.accounts.set_password(me, new)
        self._parts.sessions.end_all_of(me, but=self._visitor.session)
        self._note("user.password", me)
        return {}

    def make_token(self, name: str, role: UserRole, days: float = 0.0) -> str:
        """Return a new token of the visitor; a token cannot make tokens, or it could outlive its end."""
        if self._visitor.token:
            raise WebProblem(403, "a token cannot make tokens; make them in the browser, under your name")
        if self._parts.accounts.find(self._visitor.user) is None:
            raise WebProblem(
                409, "only somebody with an account can have tokens; start the server with --dir"
            )
        if not self._visitor.may(role):
            raise WebProblem(403, f"a token cannot be {role.word}: your role is {self._visitor.role.word}")
        if not name:
            raise WebProblem(422, "name the program that is to use the token", errors={"name": "missing"})
        if not 0 <= days <= TOKEN_DAYS_MAX:
            raise WebProblem(
                422, f"days: from 0 to {TOKEN_DAYS_MAX:g}; 0 is for ever", errors={"days": "out of bounds"}
            )
        ends_at = self._now + days * 86400.0 if days else 0.0
        made = self._parts.tokens.make(self._visitor.user, name, role, self._now, ends_at=ends_at)
        if made is None:
            raise WebProblem(409, "you have too many tokens; revoke some first")
        key, id = made
        self._note("token.make", self._visitor.user, f"{id} {name} ({role.word})")
        return key

    def revoke_token(self, id: str) -> bool:
        """Revoke a token: one of the visitor's own, or any for an administrator."""
        owner = None if self._visitor.may(UserRole.ADMINISTRATOR) else self._visitor.user
        is_revoked = self._parts.tokens.revoke(id, user=owner)
        if is_revoked:
            self._note("token.revoke", "", id)
        return is_revoked

    def _account(self, name: str) -> UserAccount:
        account = self._parts.accounts.find(name)
        if account is None:
            raise WebProblem(404, f"there is no user {name!r}")
        return account

    def _expect_other_administrators(self, name: str) -> None:
        account = self._account(name)
        is_last = (
            account.role == UserRole.ADMINISTRATOR.word
            and not self._parts.accounts.other_administrators(name)
        )
        if is_last:
            raise WebProblem(409, f"{name} is the last administrator; make another one first")

    def _note(self, action: str, name: str, detail: str = "") -> None:
        target = f"user/{name}" if name else ""
        visitor = self._visitor
        self._parts.trail.note(visitor.user, action, target, detail, now=self._now, address=visitor.address)
