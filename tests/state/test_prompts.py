"""The page of prompts: its list, its form, and a link that fills in a new conversation."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from app.language.translation import translate
from app.runs.library.agent_commands import create_agent
from app.runs.library.prompt_commands import create_prompt, list_prompts
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench
from app.state.agents.choice import NOBODY, AgentState
from app.state.composer.inserting import InsertingState, OfferView
from app.state.composer.state import ComposerState
from app.state.composer.views import OrderKind, PromptRow
from app.state.model import ModelState
from app.state.prompts.form import REFUSED, PromptErrors, PromptForm, PromptFormState
from app.state.prompts.link import MAX_PROMPT, LinkState
from app.state.prompts.listing import PromptFolder, PromptItem, PromptListState
from app.state.shell.notice import NoticeState
from app.state.toasts import Toast, ToastState
from app.views.screen.options import OptionRow
from tests.state.conftest import Tab

TEXT = "Translate into {{language=German}}: {{text}}"


async def make(wb: Workbench, name: str = "translate", text: str = TEXT, **fields: str) -> str:
    return (await create_prompt(wb, LOCAL_OWNER, {"name": name, "text": text, **fields})).id  # pyright: ignore[reportArgumentType]


def toast(tab: Tab) -> Toast:
    return tab.shows(ToastState, "toast")


def ordered(tab: Tab) -> tuple[OrderKind, str] | None:
    order = tab.shows(ComposerState, "order")
    return None if order is None else (order.kind, order.text)


async def names(wb: Workbench) -> list[str]:
    return [one.name for one in await list_prompts(wb, LOCAL_OWNER)]


async def test_prompts_are_listed_by_folder(wb: Workbench, tab: Tab) -> None:
    translate = await make(wb, title="Put into a language", folder="work")
    long = await make(wb, "long", "x" * 300)

    await tab.send(PromptListState.load)

    assert tab.shows(PromptListState, "loaded") is True
    assert tab.shows(PromptListState, "folders") == (
        PromptFolder("", (PromptItem(long, "long", "", "x" * 119 + "…", ""),)),
        PromptFolder(
            "work",
            (PromptItem(translate, "translate", "Put into a language", TEXT, "Asks for: language, text"),),
        ),
    )


async def test_a_deleted_prompt_is_restored_by_what_the_toast_offers(wb: Workbench, tab: Tab) -> None:
    prompt = await make(wb)

    await tab.send(PromptListState.delete_prompt, prompt_id=prompt)
    assert (toast(tab).message, toast(tab).undo) == ("Deleted the prompt “translate”", True)
    assert tab.shows(PromptListState, "folders") == ()
    await tab.send(ToastState.undo, toast_id=toast(tab).id)

    assert await names(wb) == ["translate"]
    assert [folder.name for folder in tab.shows(PromptListState, "folders")] == [""]


async def test_a_prompt_whose_name_was_taken_meanwhile_stays_deleted_and_the_toast_says_why(
    wb: Workbench, tab: Tab
) -> None:
    prompt = await make(wb)
    await tab.send(PromptListState.delete_prompt, prompt_id=prompt)
    await make(wb, "Translate")

    await tab.send(ToastState.undo, toast_id=toast(tab).id)

    assert toast(tab).fault
    assert "Choose another name" in toast(tab).message
    assert await names(wb) == ["Translate"]


@pytest.mark.parametrize("prompt_id", ["gone", "", "x" * 1_000])
async def test_deleting_what_is_no_prompt_is_said(wb: Workbench, tab: Tab, prompt_id: Any) -> None:
    await make(wb)

    await tab.send(PromptListState.delete_prompt, prompt_id=prompt_id)

    assert toast(tab).fault
    assert await names(wb) == ["translate"]


async def test_the_form_begins_with_what_is_stored_and_saves_it(wb: Workbench, tab: Tab) -> None:
    prompt = await make(wb, title="T", folder="work")
    tab.path = f"/prompts?prompt={prompt}"
    await tab.send(PromptFormState.load)
    assert tab.shows(PromptFormState, "form") == PromptForm(prompt, "translate", "T", "work", TEXT)
    assert tab.shows(PromptFormState, "folders") == ("work",)

    form = {"id": prompt, "name": " /other ", "title": "", "folder": "home", "text": " x\n"}
    await tab.send(PromptFormState.save, form=form)

    assert toast(tab).message == "Saved the prompt “other”"
    (stored,) = await list_prompts(wb, LOCAL_OWNER)
    assert (stored.id, stored.name, stored.title, stored.folder, stored.text) == (prompt, "other", "", "home", " x\n")


async def test_a_copy_is_a_new_prompt_with_another_name(wb: Workbench, tab: Tab) -> None:
    prompt = await make(wb)
    tab.path = f"/prompts?copy={prompt}"
    await tab.send(PromptFormState.load)

    assert tab.shows(PromptFormState, "form") == PromptForm("", "translate-copy", "", "", TEXT)


async def test_what_is_refused_is_said_at_its_field_and_nothing_is_lost(wb: Workbench, tab: Tab) -> None:
    await make(wb)
    tab.path = "/prompts?prompt=new"
    await tab.send(PromptFormState.load)

    await tab.send(PromptFormState.save, form={"id": "", "name": "Translate", "title": "x", "text": "y"})
    errors = tab.shows(PromptFormState, "errors")
    assert ("already" in errors.name, errors.form) == (True, translate(REFUSED))
    assert tab.shows(PromptFormState, "form") == PromptForm("", "Translate", "x", "", "y")
    await tab.send(PromptFormState.save, form={"name": "new", "text": 7})

    assert tab.shows(PromptFormState, "errors") == PromptErrors(
        text="Is blank. Write what the prompt puts into a message.", form=translate(REFUSED)
    )
    assert await names(wb) == ["translate"]


async def test_the_form_of_a_prompt_that_is_gone_says_so(tab: Tab) -> None:
    tab.path = "/prompts?prompt=gone"
    await tab.send(PromptFormState.load)

    assert toast(tab).fault


async def test_own_prompts_are_offered_by_a_slash_and_in_the_list_of_all(wb: Workbench, tab: Tab) -> None:
    await make(wb, title="Put into a language", folder="work")
    await make(wb, "sum-up", "Sum it up.")

    await tab.send(InsertingState.find_prompts)
    assert tab.shows(InsertingState, "prompts") == (
        PromptRow(" Own sum-up", "/sum-up", "Sum it up.", "Prompts", "sum-up sum-up"),
        PromptRow("work Own translate", "/translate", "Put into a language", "work", "translate put into a language"),
    )
    await tab.send(InsertingState.ask)

    assert tab.shows(InsertingState, "rows") == (
        OptionRow(" Own sum-up", "sum-up", "/sum-up", "Prompts", words="Sum it up."),
        OptionRow("work Own translate", "Put into a language", "/translate", "Prompts · work", words=TEXT),
    )


async def test_a_prompt_without_variables_is_inserted_at_once_and_not_sent(wb: Workbench, tab: Tab) -> None:
    await make(wb, "sum-up", r"Sum it up.  {x} \{{y}}")
    await tab.send(InsertingState.find_prompts)

    await tab.send(InsertingState.choose_prompt, offer_id=" Own sum-up")

    assert ordered(tab) == (OrderKind.REPLACE, "Sum it up.  {x} {{y}}")
    assert not tab.shows(InsertingState, "opened")
    assert tab.shows(ComposerState, "answers") in (None, ())


async def test_variables_are_asked_for_and_begin_with_their_defaults(wb: Workbench, tab: Tab) -> None:
    await make(wb)
    await tab.send(InsertingState.find_prompts)
    await tab.send(InsertingState.choose_prompt, offer_id=" Own translate")

    offer = tab.shows(InsertingState, "offer")
    assert isinstance(offer, OfferView)
    assert [(one.name, one.required, one.value) for one in offer.fields] == [
        ("language", False, "German"),
        ("text", True, ""),
    ]
    assert (offer.server, tab.shows(InsertingState, "opened")) == ("", True)
    await tab.send(InsertingState.insert, form={"field-0": "French", "field-1": " "})
    assert [one.fault for one in tab.shows(InsertingState, "offer").fields] == ["", "Fill it in."]
    await tab.send(InsertingState.insert, form={"field-0": "French", "field-1": "{{language}}"})

    assert ordered(tab) == (OrderKind.REPLACE, "Translate into French: {{language}}")


async def test_a_prompt_that_was_deleted_meanwhile_is_said_to_be_gone(wb: Workbench, tab: Tab) -> None:
    prompt = await make(wb, "sum-up", "{{x}}")
    await tab.send(InsertingState.find_prompts)
    await tab.send(PromptListState.delete_prompt, prompt_id=prompt)

    await tab.send(InsertingState.choose_prompt, offer_id=" Own sum-up")
    await tab.send(InsertingState.insert, form={"field-0": "tea"})

    assert "prompt" in tab.shows(InsertingState, "offer").fault
    assert ordered(tab) is None


async def follow(tab: Tab, query: str) -> None:
    tab.path = f"/c/new?{query}"
    await tab.send(LinkState.take)
    tab.path = "/"
    await tab.send(ModelState.load)
    await tab.send(AgentState.load)
    await tab.send(LinkState.fill)


async def test_a_link_fills_in_a_new_conversation_and_sends_nothing(wb: Workbench, tab: Tab) -> None:
    agent = await create_agent(wb, LOCAL_OWNER, {"name": "Reviewer", "model": "offline:demo"})

    await follow(tab, urlencode({"prompt": "Hello\nthere & +1", "agent": "reviewer", "model": "offline:other"}))

    assert ordered(tab) == (OrderKind.PUT, "Hello\nthere & +1")
    assert (tab.shows(AgentState, "chosen"), tab.shows(ModelState, "chosen")) == (agent.id, "offline:other")
    assert tab.shows(NoticeState, "message") in (None, "")
    assert tab.shows(ModelState, "remembered") in (None, "")
    await tab.send(ModelState.load)
    assert tab.shows(ModelState, "chosen") == "offline:other"


async def test_an_agent_of_a_link_brings_its_model_unless_the_link_names_one(wb: Workbench, tab: Tab) -> None:
    await create_agent(wb, LOCAL_OWNER, {"name": "Reviewer", "model": "offline:own"})

    await follow(tab, "agent=Reviewer")

    assert tab.shows(ModelState, "chosen") == "offline:own"
    assert ordered(tab) is None


async def test_what_a_link_says_wrongly_is_told_and_the_rest_is_filled_in(tab: Tab) -> None:
    await follow(tab, "prompt=Hello&agent=Nobody&model=nothing:x")

    message = tab.shows(NoticeState, "message")
    assert "There is no agent “Nobody” here." in message
    assert "The model “nothing:x” cannot be used" in message
    assert ordered(tab) == (OrderKind.PUT, "Hello")
    assert tab.shows(AgentState, "chosen") in (None, NOBODY)


async def test_a_text_that_is_too_long_for_a_link_is_left_out_and_said(tab: Tab) -> None:
    await follow(tab, f"prompt={'x' * (MAX_PROMPT + 1)}")

    assert "20,000 characters" in tab.shows(NoticeState, "message")
    assert ordered(tab) is None


async def test_what_a_link_said_is_filled_in_once(tab: Tab) -> None:
    await follow(tab, "prompt=Hello")
    order = tab.shows(ComposerState, "order")

    await tab.send(LinkState.fill)

    assert tab.shows(ComposerState, "order") == order


async def test_an_import_says_what_came_or_why_nothing_did(tab: Tab) -> None:
    await tab.send(PromptListState.finish_import, file_name="p.json", answer='{"items": [{}], "known": 2}')
    assert toast(tab).message == "Imported 1 prompt; 2 were here already."

    await tab.send(PromptListState.finish_import, file_name="p.json", answer='{"detail": "It has no prompts."}')
    assert "It has no prompts." in toast(tab).message
