"""What is above the composer and in its menus, the card of the summary, the form of a topic."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.state.composer.parameters import ParametersState
from app.state.composer.parameters_form import ParametersFormView, ParameterTarget
from app.state.composer.permission_cards import list_cards
from app.state.composer.permissions import PermissionsState
from app.state.composer.queue import QueueState
from app.state.composer.state import ComposerState
from app.state.composer.tooltip import TooltipState
from app.state.composer.views import QueueRow, SendWaitView
from app.state.conversation.model import MissingKey, ModelChoice, ModelState
from app.state.conversation.parameter_texts import ParameterTexts, RetryTexts
from app.state.conversation.system_prompt import SystemPromptState
from app.state.reply.summary import SummaryState
from app.state.shell.menus import Menu, MenuState
from app.state.topics.picker import TopicPickerState, TopicPickerView
from app.state.topics.rows import TopicFormView, TopicParent
from app.state.transcript.chat import ChatState
from app.state.transcript.checkpoint import CheckpointState
from app.ui.pages.conversation import conversation
from app.views.composer.context import OmittedToolView, ToolCountView
from app.views.reply.panels import PermissionItemView, QueuedItemView
from tests.builders import EPOCH
from tests.ui.drawn import Element, draw, sent

LACKING = "Echo does not support images."
ALREADY_SENT = "This message was already sent or removed."


def test_model_without_images_is_named_with_buttons_of_models_that_accept_them() -> None:
    model = {"chosen_name": "Echo", "images": False, "capable": (ModelChoice("offline:demo", "Demo"),)}

    page = draw(conversation, {ModelState: model, ComposerState: {"has_images": True}})

    assert f"{LACKING} Choose a model that does: Demo" in page.text
    assert page.find("button", "Demo").sends("on_click") == [sent(ModelState.choose, model="offline:demo")]
    assert LACKING not in draw(conversation, {ModelState: model}).text
    assert LACKING not in draw(conversation, {ModelState: {**model, "images": True}}).text


def test_model_without_images_is_named_if_no_other_accepts_them() -> None:
    page = draw(
        conversation, {ModelState: {"chosen_name": "Echo", "images": False}, ComposerState: {"has_images": True}}
    )

    assert f"{LACKING} Remove them, or add a provider." in page.text


def test_menu_of_models_chooses_names_providers_without_a_key_and_leads_to_settings() -> None:
    keyless = MissingKey("anthropic", "Anthropic"), MissingKey("openai", "OpenAI")

    page = draw(conversation, {MenuState: {"shown": "model"}, ModelState: {"keyless": keyless}})

    menu = page.find("Dialog", "Model")
    assert "Add a key: Anthropic, OpenAI" in menu.text
    assert {one.text: one.props["to"] for one in menu.list("NavLink")} == {
        "Anthropic": "/settings#provider-anthropic",
        "OpenAI": "/settings#provider-openai",
        "Set up providers…": "/settings",
    }
    assert all("data-close" in one.props for one in menu.list("NavLink"))
    assert menu.find("OptionList").sends("on_choose") == [
        sent(ModelState.choose, model="<0>"),
        sent(ParametersState.refresh),
    ]
    assert "Add a key" not in draw(conversation, {MenuState: {"shown": "model"}}).text
    assert not draw(conversation, {}).list("Dialog", "Model")


def page_of_summary(*, editing: bool) -> Element:
    form = {"editing": editing, "initial": "They met."}
    return draw(conversation, {ChatState: {"summary": "They met."}, CheckpointState: form})


def test_tool_call_of_an_agent_can_be_allowed_always_for_this_agent() -> None:
    item = PermissionItemView("r1", "c1", "c1", "run", "p", "t", "Files", "write", "Write", "", "{}", 30.0)
    now = datetime(2026, 11, 23, tzinfo=UTC)
    (plain,) = list_cards((item,), None, now)
    (own,) = list_cards((replace(item, agent="Reviewer"),), None, now)

    page = draw(conversation, {PermissionsState: {"cards": (own,)}})

    button = page.find("button", "Always allow for Reviewer")
    assert button.sends("on_click") == [sent(PermissionsState.choose, request_id="r1", answer="always_allow_agent")]
    assert page.list("button", "Always allow")
    without = draw(conversation, {PermissionsState: {"cards": (plain,)}})
    assert without.list("button", "Always allow")
    assert "Always allow for" not in without.text


def test_pairs_in_view_are_summarised_from_the_menu_of_the_conversation() -> None:
    split = {"x": "1", "y": "1", "rows": (), "any_in_view": True}
    opened = {ChatState: {"opened": "c1"}, MenuState: {"shown": Menu.CONVERSATION.value}}

    page = draw(conversation, {**opened, ComposerState: {"split": split}})
    empty = draw(conversation, {**opened, ComposerState: {"split": {**split, "any_in_view": False}}})

    menu = page.find("Dialog", "Conversation menu")
    assert menu.find("button", "Summarise…").sends("on_click") == [sent(SummaryState.ask, pair_id="")]
    assert not empty.find("Dialog", "Conversation menu").list("button", "Summarise…")


def test_card_of_the_summary_has_buttons_that_edit_and_remove_it() -> None:
    (card,) = [one for one in page_of_summary(editing=False).list("details") if "checkpoint" in one.props["className"]]

    assert card.find("button", "Edit").sends("on_click") == [sent(CheckpointState.edit)]
    assert card.find("button", "Remove").sends("on_click") == [sent(CheckpointState.remove)]
    assert not card.list("form")


def test_summary_that_is_edited_is_saved_by_its_form_or_left() -> None:
    (card,) = [one for one in page_of_summary(editing=True).list("details") if "checkpoint" in one.props["className"]]

    (field,) = card.list("textarea")
    assert (field.props["name"], field.props["defaultValue"]) == ("summary", "They met.")
    assert card.find("form").sends("on_submit") == [sent(CheckpointState.save, form="<form>")]
    assert card.find("form").find("button", "Save").props["type"] == "submit"
    assert card.find("button", "Cancel").sends("on_click") == [sent(CheckpointState.end_edit)]
    assert card.find("FormKeys").sends("on_escape") == [sent(CheckpointState.end_edit)]


def queue_with_edit(*, lost: bool) -> Element:
    row = QueueRow("q1", "Later", "", 0 if lost else 1, last=True)
    queue = {"rows": (row,), "edited": QueuedItemView("q1", "Later", "", 1), "lost": lost, "draft": "Later!"}
    return draw(conversation, {QueueState: queue}).find("section", "Queue")


def test_edit_of_a_queued_text_that_was_sent_meanwhile_says_so_and_moves_to_the_message_box() -> None:
    lost, waiting = queue_with_edit(lost=True), queue_with_edit(lost=False)

    (alert,) = [one for one in lost.list("p") if one.props.get("role") == "alert"]
    assert alert.text == ALREADY_SENT
    assert ALREADY_SENT not in waiting.text
    for queue, names in ((lost, ["Discard", "Move to message box"]), (waiting, ["Cancel", "Save"])):
        form = queue.find("form")
        assert form.sends("on_submit") == [sent(QueueState.save, form="<form>")]
        leave, keep = form.list("button")
        assert [leave.name, keep.name] == names
        assert leave.sends("on_click") == [sent(QueueState.leave)]
        assert keep.props["type"] == "submit"
    # Enter would move the text before its writer has seen that it was sent.
    assert (lost.find("FormKeys").props["enter"], waiting.find("FormKeys").props["enter"]) == (False, True)


def form_of_topic(*, by_hand: bool = True, **changed: Any) -> Element:
    parents = TopicParent("a", "AI"), TopicParent("b", "Books")
    topic = TopicFormView("p", "Planning", "AI > Planning", "a", parents, first=False, last=False, held="")
    picker = {"picking": TopicPickerView("Topic"), "editing": replace(topic, **changed), "by_hand": by_hand}
    return draw(conversation, {TopicPickerState: picker}).find("Dialog", "Topic").find("form")


def test_form_of_a_topic_chooses_its_parent_moves_and_deletes_it() -> None:
    form = form_of_topic()

    parent = form.find("select")
    assert (parent.props["name"], parent.props["defaultValue"]) == ("parent", "a")
    assert [(one.props["value"], one.text) for one in parent.list("option")] == [
        ("", "None (top level)"),
        ("a", "AI"),
        ("b", "Books"),
    ]
    assert form.sends("on_submit") == [sent(TopicPickerState.save, form="<form>")]
    assert form.find("button", "Save").props["type"] == "submit"
    for name, handler in (
        ("Move up", TopicPickerState.move_up),
        ("Move down", TopicPickerState.move_down),
        ("Delete", TopicPickerState.delete),
    ):
        assert form.find("button", name).sends("on_click") == [sent(handler)], name
        assert form.find("button", name).props["disabled"] is False, name


def test_form_of_a_topic_disables_what_is_impossible() -> None:
    assert form_of_topic(first=True).find("button", "Move up").props["disabled"] is True
    assert form_of_topic(last=True).find("button", "Move down").props["disabled"] is True
    held = form_of_topic(held="Pairs are filed under this topic").find("button", "Not empty")
    assert (held.props["disabled"], held.props["title"]) == (True, "Pairs are filed under this topic")
    assert not form_of_topic(by_hand=False).list("button", "Move up")


def test_card_of_a_tool_call_says_when_it_is_denied_and_shows_an_argument_once() -> None:
    item = PermissionItemView("r1", "c1", "c1", "run", "p", "t", "Inview", "fetch", "", "It reads.", '{"url":"a"}', 9.0)
    (card,) = list_cards((replace(item, built_in=True),), None, EPOCH)

    page, bounding = (
        draw(conversation, {PermissionsState: {"cards": (one,)}}).find("section", "Tool calls waiting for permission")
        for one in (card, replace(card, bounding=True))
    )

    assert page.find("summary").text == "Description"
    assert [str(one.children[0]) for one in page.find("header").list("span") if one.list("Countdown")] == ["Denied in "]
    assert page.find("pre").text == "url: a"
    assert bounding.list("pre") == []
    assert [one.props.get("defaultValue") for one in bounding.list("input")] == [None, "a"]
    assert bounding.list("button", "Do not limit")


def test_tooltip_of_the_estimate_counts_exactly_where_the_provider_can() -> None:
    split = {"x": "1", "y": "1", "rows": (), "tokens": "~5", "countable": True, "exact": False}
    split |= {"limited_by": "the model's window"}
    opened = {ChatState: {"opened": "c1"}, ComposerState: {"split": split}}

    page = draw(conversation, {**opened, TooltipState: {"exact": "Anthropic cannot count this."}})
    without = draw(conversation, {**opened, ComposerState: {"split": {**split, "countable": False}}})

    assert "Limit: up to 94 % of the model's window" in page.text
    buttons = page.list("button", "Count exactly")  # in the tooltips of the counter and of the estimate
    assert [one.sends("on_click") for one in buttons] == [[sent(TooltipState.count)]] * 2
    assert "Anthropic cannot count this." in page.text
    assert not without.list("button", "Count exactly")


def test_middleware_is_chosen_in_the_parameters_of_the_conversation_only() -> None:
    form = ParametersFormView(
        ParameterTarget.CONVERSATION, ParameterTexts(), ParameterTexts(), (), "", "", "exponential", RetryTexts(),
        "false", "true", is_set=True,
    )  # fmt: skip

    page = draw(conversation, {ParametersState: {"form": form}})
    send = draw(conversation, {ParametersState: {"form": replace(form, scope=ParameterTarget.SEND)}})

    menus = {one.props.get("name"): one for one in page.list("select")}
    assert (menus["user_context"].props["defaultValue"], menus["redaction"].props["defaultValue"]) == ("false", "true")
    assert [one.props["value"] for one in menus["redaction"].list("option")] == ["", "true", "false"]
    assert [one.text for one in menus["user_context"].list("option")] == ["As in Settings", "Not sent"]
    assert not {"user_context", "redaction"} & {one.props.get("name") for one in send.list("select")}


def test_price_beside_send_says_that_the_reply_costs_extra() -> None:
    split = {"x": "1", "y": "1", "rows": (), "tokens": "~174", "cost": "$0.0005", "priced": True}

    priced = draw(conversation, {ComposerState: {"split": split}})
    free = draw(conversation, {ComposerState: {"split": {**split, "cost": "free", "priced": False}}})

    assert "· $0.0005 + reply" in priced.text
    assert "The reply costs extra" in priced.text
    assert "+ reply" not in free.text


def test_comparison_can_be_pressed_without_a_text_but_not_while_a_reply_is_running() -> None:
    for running in ("", "p1"):
        page = draw(conversation, {MenuState: {"shown": "model"}, ComposerState: {"running": running}})

        (button,) = [one for one in page.all() if one.type == "DraftButton"]
        assert button.sends("on_empty") == [sent(ComposerState.require_text)]
        assert button.props["disabled"] is bool(running)
        assert "Write a message first" not in button.text


def test_menu_of_tools_names_those_that_are_not_sent_with_the_reason() -> None:
    omitted = OmittedToolView("fetch_page", "Fetch page", "Inview", "the model cannot call tools")
    tools = ToolCountView(0, 1, able=False, omitted=(omitted,))

    page = draw(conversation, {MenuState: {"shown": Menu.TOOLS.value}, ComposerState: {"tools": tools}})

    (scrolls,) = [one for one in page.list("div") if one.props.get("className") == "sent-tools-scroll"]
    assert [one.name for one in scrolls.list("ul")] == ["Tools that are sent", "Tools that are not sent"]
    (listed,) = page.find("ul", "Tools that are not sent").list("li")
    assert listed.text == "Fetch page Inviewthe model cannot call tools"


def test_refused_send_counts_down_and_send_waits_for_the_end() -> None:
    until, now = "2026-12-01T12:00:30+00:00", "2026-12-01T12:00:00+00:00"
    wait = SendWaitView("You can send 1 message per minute. Nothing was sent.", "30 seconds", until, now)

    page = draw(conversation, {ComposerState: {"wait": wait}})

    (button,) = page.list("SubmitButton", "Send")
    assert (button.props["until"], button.props["now"]) == (until, now)
    assert f"{wait.reason} Try again in 30 seconds." in page.text
    assert [one.props["until"] for one in page.list("Countdown")] == [until]
    assert draw(conversation, {}).list("SubmitButton", "Send")[0].props["until"] == ""


@pytest.mark.parametrize(("changed", "name"), [(True, "Discard"), (False, "Cancel")])
def test_form_of_the_system_prompt_is_closed_by_discard_if_its_text_changed(changed: bool, name: str) -> None:
    page = draw(conversation, {SystemPromptState: {"editing": True, "changed": changed}})

    closing = [one for one in page.list("button") if sent(SystemPromptState.end_edit) in one.sends("on_click")]
    assert [one.name for one in closing] == [name]


@pytest.mark.parametrize(("changed", "name"), [(True, "Discard"), (False, "Cancel")])
def test_form_of_the_summary_is_closed_by_discard_if_its_text_changed(changed: bool, name: str) -> None:
    form = {"editing": True, "changed": changed}

    page = draw(conversation, {ChatState: {"summary": "They met."}, CheckpointState: form})

    closing = [one for one in page.list("button") if sent(CheckpointState.end_edit) in one.sends("on_click")]
    assert [one.name for one in closing] == [name]
    (field,) = [one for one in page.list("textarea") if one.name == "Summary"]
    assert field.sends("on_change") == [sent(CheckpointState.write, text="<value>")]


def test_edit_of_a_queued_text_is_left_by_discard_if_the_text_changed() -> None:
    row = QueueRow("q1", "Later", "", 1, last=True)
    queue = {"rows": (row,), "edited": QueuedItemView("q1", "Later", "", 1), "draft": "Later!", "changed": True}

    page = draw(conversation, {QueueState: queue})

    leave, _ = page.find("section", "Queue").find("form").list("button")
    assert leave.name == "Discard"


def test_add_menu_of_a_phone_opens_the_options_that_the_empty_composer_hides() -> None:
    page = draw(conversation, {MenuState: {"shown": Menu.ADD}, ModelState: {"chosen_name": "Echo"}})

    menu = page.find("Dialog", "Add to the message")
    narrow = [one for one in menu.list("button") if "narrow" in one.props["className"]]
    assert [one.text for one in narrow] == ["ModelEcho", "Topic of the next messages"]
    assert narrow[0].sends("on_click")[0] == sent(MenuState.show_models)
    assert "data-close" not in narrow[0].props, "it would close the menu that it opens"
    assert narrow[1].sends("on_click") == [sent(TopicPickerState.pick_for_composer)]


def test_add_menu_of_a_phone_opens_the_menu_of_tools() -> None:
    tools = ToolCountView(2, 3, able=True)

    page = draw(conversation, {MenuState: {"shown": Menu.ADD}, ComposerState: {"tools": tools}})

    (item,) = [one for one in page.find("Dialog", "Add to the message").list("button") if one.text == "Tools2 of 3"]
    assert item.sends("on_click") == [sent(MenuState.show, menu="tools")]
    assert "narrow" in item.props["className"]
