"""The whole composer: the text area with its buttons, the queue and waiting tool calls above it, and its dialogs."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.agents.choice import AgentState
from app.state.compare.choice import ComparisonChoiceState
from app.state.composer.inserting import InsertingState
from app.state.composer.message_box import MAX_TEXT
from app.state.composer.parameters import ParametersState
from app.state.composer.queue import QueueState
from app.state.composer.schema import SchemaState
from app.state.composer.state import ComposerState
from app.state.conversation.model import ModelState
from app.state.conversation.system_prompt import SystemPromptState
from app.state.conversation.temporary import TemporaryState
from app.state.inspector.frame import InspectorState
from app.state.shell.viewer import ViewerState
from app.state.transcript.chat import ChatState
from app.ui.composer import icons
from app.ui.composer.add_menu import add_menu
from app.ui.composer.attached import attached_files, file_chooser
from app.ui.composer.choices import agent_menu, agent_used, model_menu
from app.ui.composer.compare_button import comparing_button, models_compared
from app.ui.composer.estimate import estimate
from app.ui.composer.insert_dialog import insert_dialog
from app.ui.composer.over_budget import over_budget_dialog
from app.ui.composer.parameters import parameters_button, parameters_dialog, parameters_set
from app.ui.composer.permissions import waiting_calls
from app.ui.composer.queue import waiting_texts
from app.ui.composer.schema_dialog import schema_dialog
from app.ui.composer.text_area import SendNotice, SubmitButton, TextArea
from app.ui.composer.tools_menu import tools_menu
from app.ui.filters.bar import reader_zone
from app.ui.kit.clock.countdown import Countdown, Until
from app.ui.kit.containers.deferred import deferred
from app.ui.kit.containers.on_change import OnChange
from app.ui.kit.controls.icon import line_icon
from app.ui.kit.controls.provider_link import with_provider_link
from app.ui.kit.keys.place import Place
from app.ui.kit.keys.place_button import PlaceButton
from app.ui.shell.keyboard import keys_bar
from app.ui.shell.viewer import viewer
from app.ui.topics.chip import topic_chip

_QUEUE: Any = QueueState.queue
_WORK: Any = ComposerState.work
_WAIT: Any = ComposerState.wait


def composer(*dialogs: rx.Component, first: bool = False) -> rx.Component:
    """Draw the composer. `first`: there is no conversation yet, and the first send creates one.

    `dialogs` are dialogs of other regions that buttons of the composer open.
    """
    return rx.el.div(
        _estimate_first() if first else rx.fragment(),
        reader_zone(),
        waiting_calls(),
        waiting_texts(),
        keys_bar(),
        rx.el.form(
            SendNotice.create(
                with_provider_link(ComposerState.fault, ComposerState.fault_provider),
                refused=ComposerState.fault != "",
                lost="Connection lost. Reconnecting…",
                unsent="Inview cannot be reached. Your text is saved; send it again in a moment.",
                long="This text is too long to send at once. Shorten it, or send it in parts.",
            ),
            _wait(),
            _kept_back(),
            _work(),
            models_compared(),
            agent_used() if first else rx.fragment(),
            parameters_set(),
            attached_files(),
            _text_area(),
            _controls(),
            file_chooser(),
            aria_label="Message",
            class_name="composer",
        ),
        deferred(over_budget_dialog, when=ComposerState.over_budget),
        *dialogs,
        deferred(viewer, when=ViewerState.picture),
        deferred(insert_dialog, when=InsertingState.opened),
        deferred(schema_dialog, when=SchemaState.writing),
        deferred(parameters_dialog, when=ParametersState.form),
        class_name="composer-place",
    )


def _controls() -> rx.Component:
    """Draw the row of menus and buttons below the text area."""
    chosen = model_menu(), agent_menu(), tools_menu(), topic_chip()
    return rx.el.div(add_menu(), *chosen, _sending(), class_name="tools")


def _estimate_first() -> rx.Component:
    """Request an estimate of the first message: once at first, and when one of its options changes (not its text)."""
    depends_on = (
        ModelState.chosen,
        AgentState.chosen,
        SystemPromptState.new,
        ParametersState.summary,
        ComposerState.file_ids,
        ComposerState.schema,
        ComposerState.compared,
    )
    return OnChange.create(value=rx.Var.create(list(depends_on)).to_string(), on_change=ComposerState.estimate_first)


def _text_area() -> rx.Component:
    return TextArea.create(
        label="Message",
        placeholder="Message",
        most=MAX_TEXT,
        schema=ComposerState.schema,
        files=ComposerState.file_ids,
        restored=ComposerState.restored,
        attached=ComposerState.files.length() > 0,
        lasting=rx.cond(ChatState.temporary | TemporaryState.wanted, None, ChatState.opened),
        answers=ComposerState.answers,
        order=ComposerState.order,
        busy=ComposerState.running != "",
        queued=_QUEUE["items"].length() > 0,
        prompts=InsertingState.prompts,
        prompts_label="Server prompts",
        prompts_said="Prompts: {count}. Arrow keys choose, Enter inserts, Escape returns to the text.",
        on_send=ComposerState.send,
        on_write=ComposerState.write.temporal,
        on_restore=ComposerState.restore,
        on_finish=ComposerState.finish_order,
        on_preview=InspectorState.show("preview"),
        on_compare=ComparisonChoiceState.ask,
        on_empty=ComposerState.require_text,
        on_slash=InsertingState.find_prompts,
        on_prompt=InsertingState.choose_prompt,
    )


def _sending() -> rx.Component:
    busy = ComposerState.running != ""
    return rx.el.div(
        comparing_button(),
        _schema_button(),
        parameters_button(),
        rx.el.div(estimate(), class_name="estimate-place"),
        rx.cond(
            busy,
            rx.fragment(
                SubmitButton.create(
                    icons.queue(),
                    label="Queue",
                    title="Queue: sent after the current reply (Enter)",
                    idle=False,
                    class_name="send",
                ),
                PlaceButton.create(
                    icons.stop(),
                    place=Place.STOP,
                    label="Stop the reply",
                    title="Stop the reply (Esc twice)",
                    disabled=ComposerState.stopping == ComposerState.running,
                    on_press=ComposerState.stop_reply,
                    class_name="stop",
                ),
            ),
            SubmitButton.create(
                icons.send(),
                label="Send",
                title="Send (Enter)",
                idle=True,
                until=rx.cond(_WAIT, _WAIT.until, ""),
                now=rx.cond(_WAIT, _WAIT.now, ""),
                class_name="send",
            ),
        ),
        class_name="sending",
    )


def _schema_button() -> rx.Component:
    """Draw the button that shows the JSON schema of the reply; nothing if none is set."""
    return rx.cond(
        ComposerState.schema != "",
        rx.el.button(
            line_icon(icons.BRACES),
            type="button",
            aria_label="JSON schema of the reply: set",
            aria_haspopup="dialog",
            title="Show the JSON schema of the reply",
            on_click=SchemaState.ask,
            custom_attrs={"data-set": ""},
            class_name="schema-button",
        ),
    )


def _wait() -> rx.Component:
    """Draw the notice that a rate limit refused the last send, with the time until Send is enabled again."""
    return rx.el.div(
        rx.cond(
            _WAIT,
            Until.create(
                rx.el.p(
                    _WAIT.reason,
                    rx.el.span(" Try again in ", _WAIT.wait, ".", class_name="unseen"),
                    # Hidden, because a screen reader would read each second aloud.
                    rx.el.span(
                        " Try again in ",
                        Countdown.create(until=_WAIT.until, now=_WAIT.now, after=".", hours=" h", seconds=" s"),
                        aria_hidden="true",
                    ),
                    class_name="notice",
                ),
                until=_WAIT.until,
                now=_WAIT.now,
            ),
        ),
        role="status",
    )


def _kept_back() -> rx.Component:
    """Draw the notice that secrets of the draft are redacted."""
    return rx.cond(
        ComposerState.secrets.length() > 0,
        rx.el.p(ComposerState.kept_back, role="status", class_name="notice kept-back"),
    )


def _work() -> rx.Component:
    """Draw the progress of a summary that a model writes before the send, with a button that stops it."""
    return rx.cond(
        ComposerState.work,
        rx.el.p(
            _WORK.message,
            " ",
            rx.el.button("Stop", type="button", on_click=ComposerState.stop_summary),
            role="status",
            class_name="notice work",
        ),
    )
