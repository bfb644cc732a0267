"""Sharing from the page: the dialog with its preview, the link, and the list of links with the way to revoke them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER, change_conversation
from app.runs.temporary import create_temporary
from app.runs.transfer.exports.sharing import list_shares, open_share
from app.runs.workbench import Workbench
from app.state.filters.applied import FilterState
from app.state.toasts import Toast, ToastState
from app.state.transfer import share as sharing
from app.state.transfer.share import ShareState, ShareView
from app.state.transfer.shares import ShareItem, SharesState
from tests.runs.steps import a_conversation, reply_to
from tests.state.conftest import Tab


@pytest.fixture
async def conversation(wb: Workbench, tab: Tab) -> str:
    made = await a_conversation(wb, model="offline:demo")
    await change_conversation(wb, LOCAL_OWNER, made, title="Plans", system_prompt="Be brief.")
    await reply_to(wb, made, "/echo one")
    await reply_to(wb, made, "/echo AKIAIOSFODNN7EXAMPLE")
    tab.path = f"/c/{made}"
    await tab.send(FilterState.open)
    return made


def view(tab: Tab) -> ShareView:
    shown = tab.shows(ShareState, "view")
    assert isinstance(shown, ShareView)
    return shown


def page(tab: Tab) -> str:
    return tab.shows(ShareState, "page")


async def opened(wb: Workbench, tab: Tab) -> str:
    link: str = tab.shows(ShareState, "link")
    found = await open_share(wb, link.rpartition("/s/")[2], counted=True)
    return "" if found is None else found.decode()


@pytest.mark.usefixtures("conversation")
async def test_what_is_previewed_is_what_the_link_opens(wb: Workbench, tab: Tab) -> None:
    await tab.send(ShareState.ask)

    assert view(tab) == ShareView(
        system_prompt=False,
        thinking=False,
        tools=False,
        pairs="2 pairs are shared.",
        notes=("2 secrets are redacted.",),
        filtered=False,
    )
    previewed = page(tab)
    assert "AKIA" not in previewed
    assert "Be brief." not in previewed
    assert await list_shares(wb, LOCAL_OWNER) == ()
    await tab.send(ShareState.make, form={"author": "", "hours": "24"})

    link = tab.shows(ShareState, "link")
    assert link.startswith("http://127.0.0.1:3000/s/")
    assert tab.shows(ShareState, "here_alone") is True
    assert await opened(wb, tab) == previewed
    (made,) = await list_shares(wb, LOCAL_OWNER)
    assert made.expires_at - made.created_at == timedelta(days=1)


async def test_the_link_opens_what_was_previewed_though_the_conversation_went_on(
    wb: Workbench, tab: Tab, conversation: str
) -> None:
    await tab.send(ShareState.ask)
    previewed = page(tab)
    await reply_to(wb, conversation, "/echo later")

    await tab.send(ShareState.make, form={"author": "", "hours": "24"})

    assert await opened(wb, tab) == previewed


@pytest.mark.usefixtures("conversation")
async def test_what_is_chosen_and_the_name_are_on_the_page(wb: Workbench, tab: Tab) -> None:
    await tab.send(ShareState.ask)
    await tab.send(ShareState.choose, part="system_prompt", shown=True)
    assert "Be brief." in page(tab)
    assert view(tab).system_prompt
    await tab.send(ShareState.sign, author=" Ada ")
    assert "Shared by Ada" in page(tab)

    await tab.send(ShareState.make, form={"author": "Grace", "hours": "1"})

    shown = await opened(wb, tab)
    assert "Shared by Grace" in shown
    assert "Be brief." in shown


async def test_only_what_the_filter_shows_is_shared(tab: Tab, conversation: str) -> None:
    tab.path = f"/c/{conversation}?f=c'one'"
    await tab.send(FilterState.open)

    await tab.send(ShareState.ask)

    assert (view(tab).pairs, view(tab).filtered) == ("1 pair is shared.", True)


async def test_why_nothing_can_be_shared_is_said(wb: Workbench, tab: Tab, conversation: str) -> None:
    tab.path = f"/c/{(await create_temporary(wb, LOCAL_OWNER)).id}"
    await tab.send(ShareState.ask)
    assert "Save it first" in tab.shows(ShareState, "fault")
    await tab.send(ShareState.make, form={"author": "", "hours": "24"})
    assert tab.shows(ShareState, "link") in (None, "")

    tab.path = f"/c/{conversation}"
    await tab.send(ShareState.ask)
    await tab.send(ShareState.make, form={"author": "two\nlines", "hours": "24"})
    assert "line break" in tab.shows(ShareState, "fault")
    await tab.send(ShareState.make, form={"author": "", "hours": "99999"})
    assert "99,999" in tab.shows(ShareState, "fault")
    assert await list_shares(wb, LOCAL_OWNER) == ()


@pytest.mark.usefixtures("conversation")
async def test_a_link_is_not_shown_again_once_its_dialog_was_closed(tab: Tab) -> None:
    await tab.send(ShareState.ask)
    await tab.send(ShareState.make, form={"author": "", "hours": "24"})

    await tab.send(ShareState.close)

    assert (tab.shows(ShareState, "view"), tab.shows(ShareState, "link"), page(tab)) == (None, "", "")


def test_a_large_page_is_previewed_without_its_images(monkeypatch: pytest.MonkeyPatch) -> None:
    html = '<img alt="x" src="data:image/png;base64,AAAA"><p>src="data:</p>'
    assert sharing._preview(html) == (html, False)  # pyright: ignore[reportPrivateUsage] - large pages take long to make

    monkeypatch.setattr(sharing, "MAX_PREVIEW", 10)

    assert sharing._preview(html)[0].startswith('<img alt="x" src="">')  # pyright: ignore[reportPrivateUsage] - as above


@pytest.mark.parametrize("payload", [{"part": "secrets", "shown": True}, {"part": "view", "shown": 1}])
@pytest.mark.usefixtures("conversation")
async def test_choices_that_there_are_none_change_nothing(tab: Tab, payload: dict[str, Any]) -> None:
    await tab.send(ShareState.ask)
    before = view(tab)

    await tab.send(ShareState.choose, **payload)

    assert view(tab) == before


async def test_links_are_listed_with_what_they_show_and_can_be_revoked(
    wb: Workbench, tab: Tab, conversation: str
) -> None:
    await tab.send(ShareState.ask)
    await tab.send(ShareState.choose, part="tools", shown=True)
    await tab.send(ShareState.make, form={"author": "Ada", "hours": "24"})
    await opened(wb, tab)

    await tab.send(SharesState.load)

    (item,) = tab.shows(SharesState, "items")
    assert item == ShareItem(
        id=item.id,
        name="Plans",
        path=f"/c/{conversation}",
        about="2 pairs are shared. · with tool calls · shared by Ada",
        views="Opened 1 time",
        created_at=item.created_at,
        expires_at=item.expires_at,
    )
    assert item.created_at <= now().isoformat() <= item.expires_at
    await tab.send(SharesState.revoke, share_id=item.id)

    toast = tab.shows(ToastState, "toast")
    assert isinstance(toast, Toast)
    assert toast.message == "Revoked the link to “Plans”. It opens nothing any more."
    assert tab.shows(SharesState, "items") == ()
    assert await opened(wb, tab) == ""


async def test_a_link_to_a_conversation_without_a_title_is_called_new(
    wb: Workbench, tab: Tab, conversation: str
) -> None:
    await change_conversation(wb, LOCAL_OWNER, conversation, title="")
    await tab.send(ShareState.ask)
    await tab.send(ShareState.make, form={"author": "", "hours": "24"})

    await tab.send(SharesState.load)

    assert [item.name for item in tab.shows(SharesState, "items")] == ["New conversation"]


@pytest.mark.parametrize("share_id", ["gone", "", "x" * 1_000])
async def test_revoking_what_is_no_link_is_said(tab: Tab, share_id: Any) -> None:
    await tab.send(SharesState.revoke, share_id=share_id)

    assert tab.shows(ToastState, "toast").fault


@pytest.mark.usefixtures("conversation")
async def test_costs_are_shared_if_they_are_chosen(tab: Tab) -> None:
    await tab.send(ShareState.ask)
    assert "output tokens" not in page(tab)

    await tab.send(ShareState.choose, part="cost", shown=True)

    assert page(tab).count("output tokens") == 2
    assert "Total: $" in page(tab)
    assert view(tab).cost
