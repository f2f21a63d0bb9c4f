"""The API's operations on users, tokens and the trail."""

from typing import Annotated, Final, Literal

import msgspec

from tiptoe.control.access_tokens import AccessToken
from tiptoe.control.accounts import UserAccount
from tiptoe.control.action_trail import TrailLine
from tiptoe.control.api.crawl_operations import DoneReply
from tiptoe.control.api_operation import ApiCall, ApiOperation
from tiptoe.control.one_time_links import OneTimeLinks
from tiptoe.control.user_actions import UserActions
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem

__all__ = ["OPERATIONS"]

RoleWord = Literal["reader", "operator", "administrator"]


class InvitationBody(msgspec.Struct):
    """The user to invite."""

    name: str
    role: RoleWord = "reader"


class Invitation(msgspec.Struct, frozen=True):
    """An invited user who has not followed the link yet."""

    name: str
    role: str
    ends_at: float


class LinkReply(msgspec.Struct, frozen=True):
    """A link that can be used once."""

    link: str


class UserBody(msgspec.Struct):
    """What to change about a user; omitted fields stay."""

    role: RoleWord | None = None
    is_locked: bool | None = None


class TokenBody(msgspec.Struct):
    """A token to make for oneself."""

    name: str
    role: RoleWord = "reader"
    days: Annotated[float, msgspec.Meta(ge=0, le=3660)] = 0.0  # 0 = no limit


class TokenReply(msgspec.Struct, frozen=True):
    """The new token, which is shown only once."""

    token: str


class TrailQuery(msgspec.Struct):
    """Which lines of the trail to return."""

    before: Annotated[int, msgspec.Meta(ge=0, le=2**62)] = 0
    words: Annotated[str, msgspec.Meta(max_length=200)] = ""
    count: Annotated[int, msgspec.Meta(ge=1, le=500)] = 100


def list_users(call: ApiCall) -> list[UserAccount]:
    return call.parts.accounts.list_all()


def invite(call: ApiCall) -> LinkReply:
    return LinkReply(_users(call).invite(call.body.name, UserRole.named(call.body.role)))


def list_invitations(call: ApiCall) -> list[Invitation]:
    links = call.parts.links.list_of(OneTimeLinks.JOIN, call.now)
    return [Invitation(link.user, link.role.word, link.ends_at) for link in links]


def withdraw_invitation(call: ApiCall) -> DoneReply:
    if not _users(call).withdraw_invitation(call.path["user"]):
        raise WebProblem(404, f"there is no invitation for {call.path['user']!r}")
    return DoneReply("the invitation was withdrawn")


def change_user(call: ApiCall) -> DoneReply:
    name, body = call.path["user"], call.body
    if body.role is not None:
        _users(call).change_role(name, UserRole.named(body.role))
    if body.is_locked is not None:
        _users(call).set_locked(name, is_locked=body.is_locked)
    return DoneReply(f"{name} was changed")


def remove_user(call: ApiCall) -> DoneReply:
    _users(call).remove(call.path["user"])
    return DoneReply(f"{call.path['user']} was removed")


def list_tokens(call: ApiCall) -> list[AccessToken]:
    return call.parts.tokens.list_of(call.visitor.user)


def make_token(call: ApiCall) -> TokenReply:
    body: TokenBody = call.body
    return TokenReply(_users(call).make_token(body.name.strip(), UserRole.named(body.role), body.days))


def revoke_token(call: ApiCall) -> DoneReply:
    if not _users(call).revoke_token(call.path["token"]):
        raise WebProblem(404, "there is no such token of yours")
    return DoneReply("the token was revoked")


def read_trail(call: ApiCall) -> list[TrailLine]:
    query: TrailQuery = call.query
    return call.parts.trail.read(before=query.before, words=query.words, count=query.count)


def _users(call: ApiCall) -> UserActions:
    return UserActions(call.parts, call.visitor, call.now)


ADMINISTRATOR: Final = UserRole.ADMINISTRATOR

# fmt: off
OPERATIONS: Final = (
    ApiOperation("GET", "/users", list_users, role=ADMINISTRATOR, reply=list[UserAccount], tag="users",
                 summary="List who may come in"),
    ApiOperation("POST", "/users", invite, role=ADMINISTRATOR, body=InvitationBody, reply=LinkReply,
                 status=201, tag="users", summary="Make a link by which somebody makes an account"),
    ApiOperation("PATCH", "/users/{user}", change_user, role=ADMINISTRATOR, body=UserBody, reply=DoneReply,
                 tag="users", summary="Change the role of a user, lock or unlock them"),
    ApiOperation("DELETE", "/users/{user}", remove_user, role=ADMINISTRATOR, reply=DoneReply, tag="users",
                 summary="Remove a user with everything that lets them in"),
    ApiOperation("GET", "/invitations", list_invitations, role=ADMINISTRATOR, reply=list[Invitation],
                 tag="users", summary="List who was invited and has not come yet"),
    ApiOperation("DELETE", "/invitations/{user}", withdraw_invitation, role=ADMINISTRATOR, reply=DoneReply,
                 tag="users", summary="Withdraw an invitation"),
    ApiOperation("GET", "/tokens", list_tokens, reply=list[AccessToken], tag="users",
                 summary="List one's own tokens"),
    ApiOperation("POST", "/tokens", make_token, body=TokenBody, reply=TokenReply, status=201, tag="users",
                 summary="Create a token; in a session only"),
    ApiOperation("DELETE", "/tokens/{token}", revoke_token, reply=DoneReply, tag="users",
                 summary="Revoke a token"),
    ApiOperation("GET", "/trail", read_trail, role=ADMINISTRATOR, query=TrailQuery, reply=list[TrailLine],
                 tag="users", summary="Read who did what"),
)
