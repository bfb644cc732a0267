"""Makes, lists and revokes API tokens, and finds the person of one.

made, text = await make_token(store, owner, NewToken("nightly", ("read",), 90))   # the text is told once
token = await find_valid_token(wb, text)      # raises InvalidTokenError
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from app.domain.errors import ConflictError, InviewError, NotFoundError
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import TOKEN_BYTES, hash_token
from app.domain.people.tokens import (
    DEFAULT_DAYS,
    MAX_TOKENS,
    PREFIX,
    ApiToken,
    clean_scopes,
    clean_token_name,
    require_days,
)
from app.runs.people.audit import enter
from app.runs.process.ids import new_id, now
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench
from app.store.database.database import Store
from app.store.people import tokens

TOUCH_EVERY: Final = timedelta(minutes=1)
HINT: Final = 4


class InvalidTokenError(InviewError):
    """A token that opens nothing: unknown, revoked, expired, or of a person who is disabled."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """What a person chooses for a token. `days` None: it does not expire."""

    name: str
    scopes: tuple[str, ...]
    days: int | None = DEFAULT_DAYS


async def make_token(store: Store, owner: str, wanted: NewToken) -> tuple[ApiToken, str]:
    """Make a token; return it with its text, which is not stored and never shown again.

    Raises:
        InputError: name, scopes or days cannot be used.
        ConflictError: the person has too many.
    """
    name, scopes = clean_token_name(wanted.name), clean_scopes(wanted.scopes)
    require_days(wanted.days)
    text, at = PREFIX + secrets.token_urlsafe(TOKEN_BYTES), now()
    expires_at = None if wanted.days is None else at + timedelta(days=wanted.days)
    made = ApiToken(new_id(), owner, name, scopes, text[-HINT:], at, expires_at, None)
    async with store.write() as session:
        if await tokens.count_tokens(session, owner) >= MAX_TOKENS:
            raise ConflictError(f"There are {MAX_TOKENS} API tokens already. Revoke one that is not used.")
        await tokens.insert_token(session, made, hash_token(text))
        await enter(session, AuditAction.TOKEN_MADE, ObjectKind.TOKEN, made.id, scope=" ".join(scopes))
    return made, text


async def list_tokens(store: Store, owner: str) -> tuple[ApiToken, ...]:
    """The tokens of a person that are not revoked, newest first."""
    async with store.read() as session:
        return await tokens.load_tokens(session, owner)


async def revoke_token(store: Store, owner: str, token_id: str) -> None:
    """End a token. What it has open ends within a second.

    Raises:
        NotFoundError: this person has no such token.
    """
    async with store.write() as session:
        if not await tokens.revoke_token(session, owner, token_id, now()):
            raise NotFoundError("API token", token_id)
        await enter(session, AuditAction.TOKEN_REVOKED, ObjectKind.TOKEN, token_id)


async def find_valid_token(wb: Workbench, text: str) -> ApiToken:
    """Return the token with this text and note, every minute, that it was used.

    Raises:
        InvalidTokenError: it opens nothing.
    """
    at = now()
    async with wb.store.read() as session:
        found = await tokens.find_token(session, hash_token(text), LOCAL_OWNER)
    if found is None:
        raise InvalidTokenError("This API token is not valid: it was revoked, or never made. Make another one.")
    if found.expires_at is not None and found.expires_at <= at:
        since = found.expires_at.strftime("%Y-%m-%d %H:%M UTC")
        raise InvalidTokenError(f'The API token "{found.name}" expired on {since}. Make another one.')
    if found.used_at is None or at - found.used_at > TOUCH_EVERY:
        async with wb.store.write() as session:
            await tokens.touch_token(session, found.id, at)
    return found
