"""The card of the system prompt: added, edited, removed, undone, counted, and sent with a first text."""

from __future__ import annotations

import pytest

from app.domain.errors import NotFoundError
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.temporary.temporary import create_temporary
from app.state.composer.state import ComposerState
from app.state.conversation.system_prompt import MAX_PROMPT, TOO_LONG, SystemPromptState
from app.state.conversation.temporary import TemporaryState
from app.state.messages.toasts import ToastState
from app.state.tab.visit import VisitState
from app.store.conversation.conversations import load_conversation
from tests.state.conftest import Tab
from tests.state.watched import watching
from tests.waiting import until


@pytest.fixture
async def conversation(ctx: AppContext, tab: Tab) -> str:
    """Show a conversation with a system prompt in the tab."""
    made = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo", system_prompt="Be brief.")
    tab.path = f"/c/{made.id}"
    await tab.send(SystemPromptState.open)
    return made.id


async def stored(ctx: AppContext, conversation_id: str) -> str:
    async with ctx.store.read() as session:
        return (await load_conversation(session, LOCAL_OWNER, conversation_id)).system_prompt


async def undo(tab: Tab) -> None:
    await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)


async def test_an_edited_prompt_is_stored_and_undo_brings_the_old_one_back(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    await tab.send(SystemPromptState.edit)
    assert (tab.shows(SystemPromptState, "editing"), tab.shows(SystemPromptState, "begun")) == (True, "Be brief.")

    await tab.send(SystemPromptState.save, form={"prompt": "  Be long.\n"})
    assert await stored(ctx, conversation) == "  Be long.\n", "it is sent as it was written"
    assert tab.shows(SystemPromptState, "editing") is False
    assert tab.shows(ToastState, "toast").message == "The system prompt was changed."

    await undo(tab)
    assert await stored(ctx, conversation) == "Be brief."


async def test_the_browser_keeps_the_text_under_a_new_name_for_each_edit(tab: Tab, conversation: str) -> None:
    await tab.send(SystemPromptState.edit)
    first = tab.shows(SystemPromptState, "edit_id")
    await tab.send(SystemPromptState.end_edit)
    await tab.send(SystemPromptState.edit)

    assert first
    assert tab.shows(SystemPromptState, "edit_id") not in {"", first}


async def test_the_browser_keeps_no_text_of_a_temporary_conversation(ctx: AppContext, tab: Tab) -> None:
    made = await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{made.id}"
    await tab.send(SystemPromptState.open)
    await tab.send(SystemPromptState.edit)

    assert (tab.shows(SystemPromptState, "editing"), tab.shows(SystemPromptState, "edit_id")) == (True, "")


async def test_the_browser_keeps_no_text_of_a_conversation_that_is_going_to_be_temporary(tab: Tab) -> None:
    tab.path = "/"
    await tab.send(SystemPromptState.open)
    await tab.send(TemporaryState.want, wanted=True)
    await tab.send(SystemPromptState.edit)

    assert (tab.shows(SystemPromptState, "editing"), tab.shows(SystemPromptState, "edit_id")) == (True, "")


async def test_a_blank_prompt_is_none_and_undo_brings_it_back(ctx: AppContext, tab: Tab, conversation: str) -> None:
    await tab.send(SystemPromptState.edit)
    await tab.send(SystemPromptState.save, form={"prompt": " \n"})
    assert await stored(ctx, conversation) == ""
    assert tab.shows(ToastState, "toast").message == "The system prompt was removed."

    await undo(tab)
    await tab.send(SystemPromptState.remove)
    assert await stored(ctx, conversation) == ""
    await undo(tab)
    assert await stored(ctx, conversation) == "Be brief."


async def test_a_left_form_changes_nothing_and_an_unchanged_one_says_nothing(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    await tab.send(SystemPromptState.edit)
    await tab.send(SystemPromptState.write, text="Something else")
    await tab.send(SystemPromptState.end_edit)
    assert (await stored(ctx, conversation), tab.shows(SystemPromptState, "editing")) == ("Be brief.", False)

    await tab.send(SystemPromptState.edit)
    assert tab.shows(SystemPromptState, "begun") == "Be brief."
    await tab.send(SystemPromptState.save, form={"prompt": "Be brief."})
    assert not tab.shows(ToastState, "toast")


async def test_closing_the_form_is_called_discard_only_if_text_would_be_lost(tab: Tab, conversation: str) -> None:
    await tab.send(SystemPromptState.edit)
    stored = tab.shows(SystemPromptState, "begun")
    changes: list[bool] = []
    for text in (stored, f"{stored} Briefly.", stored):
        await tab.send(SystemPromptState.write, text=text)
        changes.append(tab.shows(SystemPromptState, "changed") or False)
    assert changes == [False, True, False]

    await tab.send(SystemPromptState.write, text="Other.")
    await tab.send(SystemPromptState.end_edit)
    await tab.send(SystemPromptState.edit)
    assert not tab.shows(SystemPromptState, "changed")


async def test_its_size_follows_what_is_written(ctx: AppContext, tab: Tab, conversation: str) -> None:
    async with watching(ctx, tab, conversation) as watcher:
        await tab.send(SystemPromptState.edit)
        small = tab.shows(SystemPromptState, "size")
        await tab.send(SystemPromptState.write, text="Answer in whole sentences. " * 40)
        large = tab.shows(SystemPromptState, "size")
        await tab.send(SystemPromptState.write, text="")

        assert [small.startswith("~"), large.endswith(" tokens")] == [True, True]
        assert int(large[1:].split()[0].replace(",", "")) > 100
        assert tab.shows(SystemPromptState, "size") == "Nothing is sent."

        before = watcher.counted.terms.system if watcher.counted else 0
        await tab.send(SystemPromptState.save, form={"prompt": "Answer in whole sentences. " * 40})
        await until(lambda: watcher.counted is not None and watcher.counted.terms.system > before)
        assert watcher.counted is not None
        assert large == f"~{watcher.counted.terms.system} tokens", "the figure of the card is that of the estimate"


async def test_a_text_too_long_for_the_page_is_refused_and_the_form_stays(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    await tab.send(SystemPromptState.edit)
    await tab.send(SystemPromptState.save, form={"prompt": "x" * (MAX_PROMPT + 1)})

    assert (tab.shows(SystemPromptState, "fault"), tab.shows(SystemPromptState, "editing")) == (TOO_LONG, True)
    assert await stored(ctx, conversation) == "Be brief."


@pytest.mark.parametrize("prompt", [None, 7, ["x"]])
async def test_what_is_no_text_changes_nothing(ctx: AppContext, tab: Tab, conversation: str, prompt: object) -> None:
    await tab.send(SystemPromptState.save, form={"prompt": prompt})
    await tab.send(SystemPromptState.put_back, conversation_id=conversation, text=prompt)

    assert await stored(ctx, conversation) == "Be brief."


async def test_what_is_written_outlives_a_reload_and_not_another_page(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    await tab.send(SystemPromptState.edit)
    await tab.send(SystemPromptState.write, text="Half a sent")
    await tab.connect("second", anew=True)
    await tab.send(VisitState.begin)
    assert (tab.shows(SystemPromptState, "editing"), tab.shows(SystemPromptState, "begun")) == (True, "Half a sent")

    tab.path = "/"
    await tab.send(VisitState.begin)
    assert tab.shows(SystemPromptState, "editing") is False


async def test_undo_belongs_to_the_conversation_it_was_changed_in(ctx: AppContext, tab: Tab, conversation: str) -> None:
    await tab.send(SystemPromptState.save, form={"prompt": "Be long."})
    tab.path = "/"

    await undo(tab)

    assert await stored(ctx, conversation) == "Be brief."
    assert not tab.shows(SystemPromptState, "new")


async def test_the_first_text_takes_the_new_prompt_along(ctx: AppContext, tab: Tab) -> None:
    await tab.send(SystemPromptState.open)
    await tab.send(SystemPromptState.save, form={"prompt": "Be brief."})
    assert tab.shows(SystemPromptState, "new") == "Be brief."

    await tab.send(ComposerState.send, send_id="1", text="/echo one", order_id="")
    made = tab.shows(ComposerState, "made")
    assert await stored(ctx, made) == "Be brief."

    tab.path = f"/c/{made}"
    await tab.send(SystemPromptState.open)
    assert tab.shows(SystemPromptState, "new") == ""


async def test_a_missing_conversation_is_reported(ctx: AppContext, tab: Tab) -> None:
    tab.path = "/c/nothing"
    await tab.send(SystemPromptState.edit)

    assert tab.shows(SystemPromptState, "editing") is not True
    assert tab.shows(ToastState, "toast").fault
    with pytest.raises(NotFoundError):
        await change_conversation(ctx, LOCAL_OWNER, "nothing", SettingChanges(system_prompt="x"))
