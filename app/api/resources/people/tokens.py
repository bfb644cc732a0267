"""API tokens over HTTP. Only a session may manage tokens: a token opens none of these addresses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Bench, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body, Days
from app.api.http.negotiation import JSON, offers, require_json_body
from app.api.http.patterns import NAME
from app.domain.people.tokens import DEFAULT_DAYS, MAX_TOKEN_NAME, ApiToken, TokenScope
from app.runs.people import tokens

router = APIRouter(prefix="/tokens", tags=["tokens"], dependencies=[Depends(offers(JSON))])


class WantedToken(Body):
    """An API token to be made. `days` null: it does not expire."""

    name: Annotated[str, Field(pattern=NAME, max_length=MAX_TOKEN_NAME, description="One line.")]
    scopes: Annotated[list[Annotated[TokenScope, Field(strict=False)]], Field(min_length=1, max_length=len(TokenScope))]
    days: Days | None = DEFAULT_DAYS


@dataclass(frozen=True, slots=True)
class TokenView:
    """A token without its text, of which `hint` is the end. `expires_at` null: it does not expire."""

    id: str
    name: str
    scopes: tuple[TokenScope, ...]
    hint: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewTokenView(TokenView):
    """A token that was made. `token` is its text, which no other answer has."""

    token: str


@dataclass(frozen=True, slots=True)
class TokensView:
    """The tokens that are not revoked, newest first."""

    items: tuple[TokenView, ...]


@router.get("", summary="List the API tokens", responses=says(TokensView, "forbidden"))
async def list_them(bench: Bench, owner: Owner) -> Response:
    return answer(TokensView(tuple(TokenView(*_shown(one)) for one in await tokens.list_tokens(bench.store, owner))))


@router.post(
    "",
    summary="Make an API token",
    description="The answer has its text, which cannot be read again.",
    status_code=201,
    dependencies=[Depends(require_json_body)],
    responses=says(NewTokenView, *WITH_BODY, "forbidden", "conflict", status=201, description="The token."),
)
async def make(bench: Bench, owner: Owner, body: WantedToken) -> Response:
    wanted = tokens.NewToken(body.name, tuple(body.scopes), body.days)
    made, text = await tokens.make_token(bench.store, owner, wanted)
    return answer(NewTokenView(*_shown(made), text), 201)


@router.delete(
    "/{token_id}",
    summary="Revoke an API token",
    description="What it has open ends within a second.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Revoked."}} | fails("forbidden", "not-found"),
)
async def revoke(
    bench: Bench, owner: Owner, token_id: Annotated[str, Path(max_length=64, description="A token.")]
) -> Response:
    await tokens.revoke_token(bench.store, owner, token_id)
    return Response(status_code=204)


def _shown(
    token: ApiToken,
) -> tuple[str, str, tuple[TokenScope, ...], str, datetime, datetime | None, datetime | None]:
    return token.id, token.name, token.scopes, token.hint, token.created_at, token.expires_at, token.used_at
