"""Settings → API tokens in state: one is made, its text is shown once, and it is revoked after a question."""

from __future__ import annotations

from app.domain.people.tokens import PREFIX, TokenScope
from app.runs.people.tokens import find_valid_token, list_tokens
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench
from app.state.settings.tokens import TokensState
from tests.state.conftest import Tab


async def test_token_is_made_shown_once_and_revoked(tab: Tab, wb: Workbench) -> None:
    await tab.send(TokensState.load)
    await tab.send(TokensState.make, form={"name": " nightly  job ", "read": "on", "days": "never"})

    text = tab.shows(TokensState, "made")
    assert text.startswith(PREFIX)
    found = await find_valid_token(wb, text)
    assert (found.name, found.scopes, found.expires_at) == ("nightly job", (TokenScope.READ,), None)
    (item,) = tab.shows(TokensState, "items")
    assert item.about == f"…{text[-4:]} · read"

    await tab.send(TokensState.ask, token_id=item.id)
    assert tab.shows(TokensState, "asked") == item.id
    await tab.send(TokensState.revoke, token_id=item.id)

    assert tab.shows(TokensState, "items") == ()
    assert tab.shows(TokensState, "made") == ""
    assert await list_tokens(wb.store, LOCAL_OWNER) == ()


async def test_opening_the_page_again_does_not_show_the_text(tab: Tab, wb: Workbench) -> None:
    await tab.send(TokensState.make, form={"name": "x", "gateway": "on", "days": "90"})
    await tab.send(TokensState.load)

    assert tab.shows(TokensState, "made") == ""
    (kept,) = await list_tokens(wb.store, LOCAL_OWNER)
    assert kept.expires_at is not None


async def test_token_without_a_scope_or_a_name_is_not_made(tab: Tab, wb: Workbench) -> None:
    await tab.send(TokensState.make, form={"name": "x", "days": "90"})
    assert tab.shows(TokensState, "said") == "Choose what the token may do."
    await tab.send(TokensState.make, form={"name": " ", "read": "on", "days": "90"})
    assert "1 to 100 characters" in tab.shows(TokensState, "said")

    assert await list_tokens(wb.store, LOCAL_OWNER) == ()
