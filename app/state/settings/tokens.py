"""Settings → API tokens: what programs sign in with. The text of a new one is shown until the page is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import reflex as rx

from app.domain.errors import InviewError
from app.domain.people.tokens import DEFAULT_DAYS, ApiToken, TokenScope
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.people.tokens import NewToken, list_tokens, make_token, revoke_token
from app.runs.process.ids import now
from app.runs.workbench import current
from app.state.faults import describe_fault

DAYS: Final = ("7", "30", str(DEFAULT_DAYS), "365")
NEVER: Final = "never"


@dataclass(frozen=True)
class TokenItem:
    """A token. `about`: the end of its text and its scopes. Times are ISO, "" for none."""

    id: str
    name: str
    about: str
    created_at: str
    used_at: str
    expires_at: str
    expired: bool


class TokensState(rx.State):
    """`made` is the text of the token that was just made; `asked` the one that may be revoked."""

    items: rx.Field[tuple[TokenItem, ...]] = rx.field(())
    made: rx.Field[str] = rx.field("")
    asked: rx.Field[str] = rx.field("")
    said: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Show the tokens that are not revoked."""
        self.made = self.asked = self.said = ""
        await self._read()

    @rx.event
    async def make(self, form: dict[str, Any]) -> None:
        """Make the token that the form describes. An empty form after it has what is usual."""
        self.made = ""
        days = str(form.get("days", ""))
        scopes = tuple(scope for scope in TokenScope if form.get(scope))
        if days not in {*DAYS, NEVER} or not scopes:
            self.said = translate("settings.tokens.no_scope")
            return
        wanted = NewToken(str(form.get("name", "")), scopes, None if days == NEVER else int(days))
        try:
            _, self.made = await make_token(current().store, caller(), wanted)
        except InviewError as fault:
            self.said = describe_fault(fault)
            return
        self.said = translate("settings.tokens.made")
        await self._read()

    @rx.event
    async def ask(self, token_id: str) -> None:
        """Ask whether a token is to be revoked."""
        self.asked = str(token_id)

    @rx.event
    async def end_ask(self) -> None:
        """Keep it."""
        self.asked = ""

    @rx.event
    async def revoke(self, token_id: str) -> None:
        """End a token."""
        name = next((item.name for item in self.items if item.id == token_id), "")
        self.asked = self.made = ""
        try:
            await revoke_token(current().store, caller(), str(token_id))
        except InviewError as fault:
            self.said = describe_fault(fault)
        else:
            self.said = translate("settings.tokens.revoked", name=name)
        await self._read()

    async def _read(self) -> None:
        self.items = tuple(map(_describe, await list_tokens(current().store, caller())))


def _describe(token: ApiToken) -> TokenItem:
    scopes = ", ".join(translate(f"settings.tokens.scopes.{scope}") for scope in token.scopes)
    ends = token.expires_at
    return TokenItem(
        id=token.id,
        name=token.name,
        about=f"…{token.hint} · {scopes}",
        created_at=token.created_at.isoformat(),
        used_at="" if token.used_at is None else token.used_at.isoformat(),
        expires_at="" if ends is None else ends.isoformat(),
        expired=ends is not None and ends <= now(),
    )
