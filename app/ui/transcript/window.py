"""The scrolling area of the transcript: first the cards (the system prompt, for example), then the pairs in view."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.comparison import ComparisonState
from app.state.composer.state import ComposerState
from app.state.filters.applied import FilterState
from app.state.settings.preferences import PreferencesState
from app.state.shell.keyboard import KeyboardState
from app.state.sidebar.conversation_rows import FoundWords
from app.state.sidebar.sidebar import SidebarState
from app.state.transcript.chat import ChatState
from app.state.transcript.transcript import TranscriptState
from app.ui.composer.prelude import prelude_card
from app.ui.filters.bar import nothing_found
from app.ui.inspector.cache import cache_line, cache_notes, cached_after, cached_before_all
from app.ui.inspector.fork_mark import forked_from
from app.ui.kit.island import Island, island
from app.ui.kit.texts.folded_text import SHOW_LESS, SHOW_MORE
from app.ui.shell.toasts import toasts
from app.ui.transcript.checkpoint import checkpoint_card
from app.ui.transcript.damage import damaged_settings, damaged_title
from app.ui.transcript.row import pair_row
from app.ui.transcript.system_prompt import system_prompt_card
from app.views.reply.pair import ScreenPairView


def _copied(
    pair_id: rx.Var[str], request: rx.Var[bool], copied: rx.Var[bool]
) -> tuple[rx.Var[str], rx.Var[bool], rx.Var[bool]]:
    return pair_id, request, copied


class TranscriptWindow(Island):
    """The scrolling window of pairs. It draws the rows near the visible ones, and only on the page at `path`.

    Its children are drawn over the end of the pairs and take no space.

    Components:

    - `rows`: one for each of `pairs`.
    - `above`: shown above the first pair of the conversation.
    - `waiting`: shown instead of `above` while there are earlier pairs.
    - `sending`: shown below a request that has no pair yet.
    - `notes`: shown below the window.
    - `jump`: the icon of the button that leads to the newest pair.

    Values:

    - `earlier`, `later`: the conversation has older or newer pairs in view than those in `pairs`.
    - `more`, `less`: the words of the button that shows all of a long request that has no pair yet.
    - `first_sent`: the position of the oldest pair that the next send includes, 0 for none.
    - `running`, `ended`: the id of the pair whose reply is running, and of the pair whose reply ended last, "" for
      none.
    - `enters_view`: if a running reply becomes taller than the scrolling area, scrolling stops at the start of the
      reply.
    - `new_label`: the label of the button to the newest pair; `{count}` in it is the number of new pairs below.
    - `compared`: the request of the open comparison, if it has no pair yet, otherwise "".
    - `found`: the words of a search, which are marked in the pairs.
    - `on_copied`: sent after a part of a pair was copied to the clipboard, or could not be copied.
    """

    library = island("transcript/window.tsx")
    tag = "TranscriptWindow"
    path: rx.Var[str]
    pairs: rx.Var[tuple[ScreenPairView, ...]]
    rows: rx.Var[list[rx.Component]]
    earlier: rx.Var[bool]
    later: rx.Var[bool]
    first_sent: rx.Var[int]
    running: rx.Var[str]
    ended: rx.Var[str]
    enters_view: rx.Var[bool]
    compared: rx.Var[str]
    label: rx.Var[str]
    above: rx.Var[rx.Component]
    waiting: rx.Var[rx.Component]
    sending: rx.Var[rx.Component]
    more: rx.Var[str]
    less: rx.Var[str]
    jump: rx.Var[rx.Component]
    jump_label: rx.Var[str]
    jump_title: rx.Var[str]
    new_label: rx.Var[str]
    notes: rx.Var[rx.Component]
    found: rx.Var[tuple[FoundWords, ...]]
    on_earlier: rx.EventHandler[rx.event.no_args_event_spec]
    on_later: rx.EventHandler[rx.event.no_args_event_spec]
    on_newest: rx.EventHandler[rx.event.no_args_event_spec]
    on_position: rx.EventHandler[rx.event.passthrough_event_spec(int)]
    on_copied: rx.EventHandler[_copied]


def transcript() -> rx.Component:
    """Draw the transcript of the conversation on screen."""
    is_known = TranscriptState.known & ~TranscriptState.gone
    return TranscriptWindow.create(
        toasts(),
        path=rx.cond(is_known, "/c/" + TranscriptState.conversation, ""),
        pairs=TranscriptState.pairs,
        rows=_rows(),
        earlier=TranscriptState.earlier,
        later=TranscriptState.later,
        first_sent=TranscriptState.first_sent,
        running=TranscriptState.running,
        ended=TranscriptState.ended,
        enters_view=PreferencesState.preferred.auto_enter_view_on_overflow,
        compared=_compared_text(),
        label="Conversation",
        above=transcript_head(),
        waiting=rx.el.p("Loading earlier messages…", class_name="older"),
        sending=sending_note(),
        more=SHOW_MORE,
        less=SHOW_LESS,
        jump=rx.el.span("↓", aria_hidden=True),
        jump_label="Jump to the newest message",
        jump_title="Newest message",
        new_label="{count} new",
        notes=cache_notes(),
        found=SidebarState.found_words,
        on_earlier=TranscriptState.show_earlier.temporal,
        on_later=TranscriptState.show_later.temporal,
        on_newest=TranscriptState.show_newest,
        on_position=TranscriptState.show_position,
        on_copied=KeyboardState.tell_copied,
    )


def _rows() -> rx.Var[Any]:
    """Return the rows as a list, from which the island chooses. With `rx.foreach` they would be one component."""
    return TranscriptState.pairs.map(
        lambda pair: pair_row(pair=pair, cached=cached_after(pair.id), key=pair.id),
    )


@rx.memo
def transcript_head() -> rx.Component:
    """Draw everything above the first pair: notes about damage, the origin, the cards, a text if there are no pairs."""
    return rx.fragment(
        damaged_title(),
        damaged_settings(),
        forked_from(),
        _card("Agent: " + ChatState.agent_name, ChatState.agent_prompt),
        rx.cond(
            (ChatState.system_prompt != "") | ~ChatState.derived,
            system_prompt_card(ChatState.system_prompt),
        ),
        prelude_card(opened=True),
        checkpoint_card(),
        rx.cond(TranscriptState.pairs.length() == 0, _empty()),
        rx.cond(cached_before_all(), cache_line()),
    )


@rx.memo
def sending_note() -> rx.Component:
    """Draw the note below a request that has no pair yet."""
    return rx.el.p(
        rx.cond(
            ComposerState.over_budget.is_not_none(),
            "Not sent yet",
            rx.cond(
                _compared_text() != "",
                rx.fragment("Keep one reply to continue.", _show_replies()),
                rx.fragment(rx.el.span(class_name="pulse"), "Sending…"),
            ),
        ),
        class_name="badge flex-wrap",
    )


def _compared_text() -> rx.Var[str]:
    """Return the request of the open comparison. "": none is open, or the request belongs to a pair."""
    comparison: Any = ComparisonState.comparison
    return rx.cond(ComparisonState.comparison, rx.cond(comparison.pair_id == "", comparison.text, ""), "").to(str)


def _show_replies() -> rx.Component:
    return rx.el.button(
        "Show the replies to choose from",
        type="button",
        on_click=ComparisonState.show,
        class_name="text-accent underline",
    )


def _empty() -> rx.Component:
    return rx.cond(
        FilterState.filter != "",
        nothing_found(),
        rx.cond(
            _compared_text() == "",
            rx.el.p(
                rx.cond(ComparisonState.comparison, _show_replies(), "No messages yet. Write below to start."),
                class_name="pt-[22dvh] text-center text-muted",
            ),
        ),
    )


def _card(name: rx.Var[str] | str, text: rx.Var[str]) -> rx.Component:
    return rx.cond(
        text != "",
        rx.el.details(
            rx.el.summary(name, class_name="w-fit text-[13px] font-medium text-muted"),
            rx.el.p(text, dir="auto", class_name="mt-2 max-w-measure whitespace-pre-wrap text-[14px]"),
            open=True,
            class_name="card mb-6 rounded-xl border border-line bg-surface px-4 py-3",
        ),
    )
