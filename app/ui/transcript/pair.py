"""A pair of the transcript: its request, its reply, and its outcome. `window.py` has the list of pairs."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.domain.context.context import OutReason
from app.domain.errors import ErrorClass
from app.state.composer.state import ComposerState
from app.state.usage.sent_call import SentCallState
from app.ui.inspector.cache import cache_line
from app.ui.inspector.fork_mark import fork_mark
from app.ui.kit.clock.moment import MomentText, TimeForm
from app.ui.kit.containers.boundary import boundary
from app.ui.kit.containers.disclosure import Disclosure
from app.ui.kit.controls.copy_button import copy_button
from app.ui.kit.vars import PairVar
from app.ui.reply.again import again
from app.ui.reply.attachment import ADDRESS, picture, saved_file, text_file
from app.ui.reply.damage import damage_note, missing_topic_note
from app.ui.reply.failure import failure_steps, recovered_mark
from app.ui.reply.markdown import markdown
from app.ui.reply.marks import marks
from app.ui.reply.more import more_menu
from app.ui.reply.request import request
from app.ui.reply.retry import retry
from app.ui.reply.stop import stop
from app.ui.reply.structured import structured_reply
from app.ui.reply.tool_card import tool_card
from app.ui.reply.tools import delete_mark, topic_mark
from app.ui.reply.versions import older_version, versions
from app.ui.transcript.fresh import new_badge
from app.views.reply.pair import ScreenPairView
from app.views.reply.tool_card import ToolCardView
from app.views.structured.shown_reply import ReadReplyView

_ENDINGS = {
    "max_tokens": "Stopped at the output limit.",
    "content_filter": "Stopped by the provider's content filter.",
    "repetition": "Stopped by the server because the reply repeated itself.",
    "tool_limit": "Stopped at the limit of tool calls.",
    "truncated": "The stream ended early.",
}

_CONTINUED = ("max_tokens", "truncated")
"""Stop reasons after which a model can continue the reply."""


@rx.memo
def pair_view(pair: rx.vars.ObjectVar[ScreenPairView], cached: rx.Var[bool]) -> rx.Component:
    """Draw a pair. `cached`: the cache line follows its request."""
    return rx.el.article(
        request(pair=pair),
        rx.cond(cached, cache_line()),
        rx.cond(
            _running(pair) & (pair.parts.length() == 0),
            rx.el.p(
                rx.el.span(class_name="pulse"),
                rx.el.span("thinking…"),
                retry(pair_id=pair.id),
                class_name="badge",
            ),
        ),
        new_badge(pair.id.to(str)),
        rx.el.div(
            rx.foreach(pair.parts.to(list[dict[str, str]]), lambda part, index: _part(pair, part, index)),
            class_name="reply",
        ),
        damage_note(pair),
        missing_topic_note(pair),
        _ending(pair),
        rx.cond(_running(pair), None, _meta(pair)),
        aria_label="Pair " + pair.position.to_string(),
        aria_describedby=rx.cond(has_notes(pair), "notes-" + pair.id.to(str), None),
        class_name="pair group/pair",
    )


def has_notes(pair: PairVar) -> rx.Var[bool]:
    """Return True if the gap above the pair contains a note (`row.py`)."""
    lacks = pair.unsupported.to(list[str])
    return pair.begins.to(bool) | pair.out.is_not_none() | (lacks.length() > 0) | (pair.out_for != "")


def _running(pair: PairVar) -> rx.Var[bool]:
    return (pair.lifecycle == "sending") | (pair.lifecycle == "awaiting")


def _part(pair: PairVar, part: rx.vars.ObjectVar[dict[str, str]], index: rx.Var[int]) -> rx.Component | rx.Var[Any]:
    last = index == pair.parts.length() - 1
    # When the version changes, its text is parsed again from its start.
    text = markdown(part["text"], key=pair.version.to_string(), live=_running(pair) & last)
    structured = structured_reply(
        pair_id=pair.id,
        version=pair.version,
        live=_running(pair) & last,
        text=part["text"],
        read=pair.read.to(ReadReplyView),
    )
    words = _within(rx.cond(pair.structured & last, structured, text), pair, "This reply", part["text"])
    thoughts = _within(_thinking(text, _running(pair) & last), pair, "This thinking", part["text"])
    return rx.match(
        part["type"],
        ("text", rx.el.div(words, **stop(pair, "Reply", index), class_name="mt-4")),
        (
            "thinking",
            rx.cond(  # a part that consists only of a signature has no text
                (part["text"] != "") | part["redacted"].to(bool),
                rx.el.div(thoughts, **stop(pair, "Thinking", index)),
                rx.fragment(),
            ),
        ),
        ("image", rx.el.div(_picture(part), **stop(pair, "Picture", index), class_name="mt-4")),
        (
            "file",
            rx.el.p(
                saved_file(ADDRESS + part["attachment_id"], part["name"]),
                **stop(pair, "File", index),
                class_name="mt-4",
            ),
        ),
        ("text_file", rx.el.div(text_file(part["name"], part["text"]), **stop(pair, "File", index), class_name="mt-4")),
        ("tool_call", _tool_call(pair, part, stop(pair, "Tool call", index))),
        rx.fragment(),
    )


def _picture(part: rx.vars.ObjectVar[dict[str, str]]) -> rx.Component:
    address = ADDRESS + part["attachment_id"].to(str)
    return picture(address, "Picture in the reply", part["width"].to(int), part["height"].to(int))


def _tool_call(pair: PairVar, part: rx.vars.ObjectVar[dict[str, str]], attributes: dict[str, Any]) -> rx.Component:
    card = tool_card(pair_id=pair.id, version=pair.version, live=_running(pair), card=part.to(ToolCardView))
    return rx.el.div(_within(card, pair, "This card", part["input_json"]), **attributes, class_name="mt-3")


def _within(drawn: Any, pair: PairVar, what: str, text: rx.Var[str]) -> rx.Component:
    """Draw a part of the pair within an error boundary. If it fails, `text` is shown, and the message names `what`."""
    return boundary(drawn, what=what, text=text, again=pair.version.to_string() + pair.lifecycle.to(str))


def _thinking(text: rx.Component, now: rx.Var[bool]) -> rx.Component:
    return Disclosure.create(
        rx.el.div(text, class_name="mt-2 border-s-2 border-line ps-4 text-[14px] text-muted"),
        summary=rx.cond(now, rx.el.span("Thinking…", class_name="thinking-now"), rx.el.span("Thought")),
        class_name="thinking mt-3",
    )


def _ending(pair: PairVar) -> rx.Component:
    error = pair.error.to(dict[str, str])
    note = "mt-3 max-w-measure text-[13.5px]"
    stopped = rx.el.p("Stopped.", _continue(pair), class_name=f"ended {note} text-muted")
    return rx.cond(
        pair.error,
        rx.cond(
            (pair.lifecycle == "canceled"),
            stopped,
            rx.el.div(
                rx.el.div(
                    rx.el.p(
                        error["message"],
                        recovered_mark(error["recovered"]),
                        class_name="font-medium [overflow-wrap:anywhere]",
                    ),
                    rx.el.p(
                        error["next_step"],
                        rx.cond(pair.out == OutReason.FAILED.value, " The next message is sent without this pair.", ""),
                        class_name="mt-0.5 text-ink opacity-80",
                    ),
                ),
                failure_steps(pair=pair),
                role="group",
                aria_label=error["label"],
                custom_attrs={"data-error": error["error_class"]},
                # A refusal by the provider is shown as a warning, not as an error.
                class_name=f"failure {note} rounded-lg px-3.5 py-2.5 "
                + rx.cond(
                    error["error_class"] == ErrorClass.CONTENT_FILTER.value,
                    "bg-warn-soft text-warn",
                    "bg-danger-soft text-danger",
                ).to(str),
            ),
        ),
        rx.cond(
            pair.lifecycle == "canceled",
            stopped,
            rx.match(
                pair.stop_reason.to(str),
                *(
                    (
                        reason,
                        rx.el.p(
                            words, _continue(pair) if reason in _CONTINUED else "", class_name=f"ended {note} text-warn"
                        ),
                    )
                    for reason, words in _ENDINGS.items()
                ),
                rx.fragment(),
            ),
        ),
    )


def _continue(pair: PairVar) -> rx.Component:
    """Draw the button that requests the rest of a pair's reply. The stylesheet shows it only at the last pair."""
    button = rx.el.button("Continue", type="button", on_click=ComposerState.continue_reply, class_name="continue")
    return rx.cond((pair.parts.length() > 0) & ~pair.out.bool(), button)


def _meta(pair: PairVar) -> rx.Component:
    reply = pair.parts.to(list[dict[str, str]])
    text = rx.Var(f"({reply!s}).filter((p) => p.type === 'text').map((p) => p.text).join('')", _var_type=str)
    about = rx.el.span(
        older_version(pair),
        MomentText.create(at=pair.made_at.to(str), form=TimeForm.CLOCK),
        rx.el.span(pair.model_name, title=pair.model.to(str), class_name="answered-by truncate"),
        rx.cond(
            pair.agent,
            rx.el.span(pair.agent.to(str), title="Agent of this reply", class_name="answered-under truncate"),
        ),
        rx.cond(
            pair.kept_back,
            rx.el.span(
                pair.kept_back.text,
                role="note",
                tab_index=0,
                title=pair.kept_back.title,
                aria_label=pair.kept_back.label,
                class_name="kept-mark",
            ),
        ),
        rx.cond(
            pair.replayed,
            rx.el.span(
                "replayed",
                title="Replayed from the database: no model was called, no tokens were used",
                class_name="flex-none",
            ),
        ),
        rx.cond(
            pair.asked != "",
            rx.el.span(pair.asked, role="note", title="Parameters: " + pair.asked.to(str), class_name="asked truncate"),
        ),
        _figures(pair),
        rx.cond(
            pair.spent.cached,
            rx.el.span(
                pair.spent.cached,
                role="note",
                title="Input tokens that the provider read from its cache, at a lower price",
                class_name="cache-hit",
            ),
        ),
        topic_mark(pair),
        class_name="about",
    )
    return rx.el.footer(
        about,
        rx.el.span(
            versions(pair),
            rx.el.span(marks(pair), fork_mark(pair_id=pair.id), delete_mark(pair), class_name="marks"),
            again(pair),
            rx.el.span(
                rx.cond(reply.length() > 0, copy_button(text, label="Copy the reply", words="Reply")),
                _copy_request(pair),
                class_name="actions flex gap-1",
            ),
            more_menu(pair),
            class_name="deeds",
        ),
        class_name="meta mt-2 flex min-h-7 items-center gap-x-2 whitespace-nowrap text-[12.5px] text-faint",
    )


def _copy_request(pair: PairVar) -> rx.Component:
    return copy_button(pair.user_text, label="Copy the request", words="Request")


def _figures(pair: PairVar) -> rx.Component:
    """Draw the usage and cost of the reply or, if they are unknown, the size of the pair.

    A tooltip has both, and screen readers read both. The usage and cost are a button that shows the request.
    """
    size = rx.Var.create("Takes ~") + _count(pair.tokens).to(str) + " tokens in a request."
    taken = rx.cond(pair.tokens, size, "").to(str)
    spent = rx.Var.create([pair.spent.title, taken]).join("\n")
    return rx.cond(
        pair.spent,
        rx.el.button(
            pair.spent.text,
            type="button",
            title=spent + "\nShow request",
            aria_label=pair.spent.text.to(str) + "\n" + spent + "\nShow request",
            on_click=SentCallState.open_reply(pair.run_id),
            class_name="figures",
        ),
        rx.cond(
            pair.tokens,
            rx.el.span(
                "~", _count(pair.tokens), " tokens", role="note", title=taken, aria_label=taken, class_name="flex-none"
            ),
        ),
    )


def _count(number: Any) -> rx.Var[str]:
    return rx.Var(f"({number!s}).toLocaleString()", _var_type=str)
