"""`inview token …`: API tokens of a person, on the machine that the database is on. A running server goes by them."""

from __future__ import annotations

from app.domain.errors import InputError, NotFoundError
from app.domain.people.people import clean_email
from app.runs.people.tokens import NewToken, list_tokens, make_token, revoke_token
from app.runs.send.commands import LOCAL_OWNER
from app.settings import Settings
from app.store.database.database import Store, open_store
from app.store.people import people


async def add(settings: Settings, email: str, wanted: tuple[str, tuple[str, ...], str]) -> str:
    """Make a token with this name, these scopes and days ("never": no end), and return its text.

    Raises:
        InputError: one of them cannot be used.
        NotFoundError: nobody has this address.
    """
    name, scopes, days = wanted
    if days != "never" and not days.isdecimal():
        raise InputError("days", 'has to be a number, or "never".')
    life = None if days == "never" else int(days)
    async with open_store(settings.database_url) as store:
        return (await make_token(store, await _owner(settings, store, email), NewToken(name, scopes, life)))[1]


async def describe_tokens(settings: Settings, email: str) -> tuple[str, ...]:
    """One line for each token of a person that is not revoked.

    Raises:
        NotFoundError: nobody has this address.
    """
    async with open_store(settings.database_url) as store:
        found = await list_tokens(store, await _owner(settings, store, email))
    return tuple(
        f"{one.id}  …{one.hint}  {','.join(one.scopes)}  "
        f"{'never expires' if one.expires_at is None else f'expires {one.expires_at:%Y-%m-%d}'}  {one.name}"
        for one in found
    )


async def revoke(settings: Settings, email: str, token_id: str) -> None:
    """End a token of a person.

    Raises:
        NotFoundError: nobody has this address, or the person has no such token.
    """
    async with open_store(settings.database_url) as store:
        await revoke_token(store, await _owner(settings, store, email), token_id)


async def _owner(settings: Settings, store: Store, email: str) -> str:
    if not email and not settings.accounts:
        return LOCAL_OWNER
    if not email:
        raise InputError("person", "has to be an e-mail address where accounts are on: --person ann@example.org.")
    async with store.read() as session:
        found = await people.find_by_email(session, clean_email(email))
    if found is None:
        raise NotFoundError("person", email)
    return found[0].id
