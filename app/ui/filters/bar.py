"""The filter bar: the line that selects the pairs in view, with feedback below while a person types."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState, WrittenLine
from app.state.filters.saved import SavedFilterState
from app.state.filters.sheet import FILTER, SheetState
from app.ui.filters.chips import filter_chips
from app.ui.filters.confirm_dialog import confirm_command_dialog
from app.ui.filters.saved_panel import saved_filters_panel
from app.ui.kit.clock.passing import Passing
from app.ui.kit.containers.deferred import deferred
from app.ui.kit.controls.icon import icon
from app.ui.kit.controls.provider_link import with_provider_link
from app.ui.kit.island import Island, island
from app.views.filters.line_feedback import LineFeedbackView

_LATER_MS = 2_000
_CROSS = "m4.5 4.5 7 7m0-7-7 7"
_BOOKMARK = "M4.5 2.5h7v11L8 10.8l-3.5 2.7z"
_QUESTION = "M5.8 6.2a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6m0 2.1v.1"
_FUNNEL = "M2.5 3.5h11L9.4 8.4v4.1l-2.8-1.4V8.4z"


def _line_and_cursor(line: rx.Var[str], cursor: rx.Var[int]) -> tuple[rx.Var[str], rx.Var[int]]:
    return line, cursor


class FilterLine(Island):
    """The line of the filter bar with its panel, which is open while a person types.

    The line shows `applied`, the filter in force, until a person types.

    - `feedback`: describes the typed line.
    - `written`: the last line that a chip wrote.
    - `done`: each time it increases, the panel closes and the focus moves to the transcript.
    - `past`: the earlier lines that the arrow keys recall; None: not loaded yet.
    - `failed`: the filter that was entered last was not applied.
    - `saved_open`: the panel of saved filters is open.

    These props are components:

    - `icon`, `buttons`: in front of the line and after it.
    - `summary`: below the line while the panel is closed.
    - `chips`, `says`, `keys`: in the panel. `says` is the feedback, `keys` are hints about keys.
    """

    library = island("filters/filter_line.tsx")
    tag = "FilterLine"
    applied: rx.Var[str]
    feedback: rx.Var[LineFeedbackView]
    past: rx.Var[tuple[str, ...] | None]
    done: rx.Var[int]
    written: rx.Var[WrittenLine]
    failed: rx.Var[bool]
    saved_open: rx.Var[bool]
    label: rx.Var[str]
    placeholder: rx.Var[str]
    fold_label: rx.Var[str]
    fold_title: rx.Var[str]
    list_label: rx.Var[str]
    icon: rx.Var[rx.Component]
    summary: rx.Var[rx.Component]
    chips: rx.Var[rx.Component]
    says: rx.Var[rx.Component]
    keys: rx.Var[rx.Component]
    buttons: rx.Var[rx.Component]
    on_begin: rx.EventHandler[rx.event.no_args_event_spec]
    on_check: rx.EventHandler[_line_and_cursor]
    on_enter: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_leave: rx.EventHandler[rx.event.no_args_event_spec]
    on_close_saved: rx.EventHandler[rx.event.no_args_event_spec]


class FilterAddress(Island):
    """An invisible component that writes `filter` into the address of the page. None: the address is not changed.

    - `steps`: if it has increased, the new address becomes an entry of the browser's history, so that Back returns to
      the previous filter.
    - `read`: the page and the filter of the address that the server read last. While the browser shows another address,
      nothing is written, because the server has not applied the filter of that address yet.
    """

    library = island("filters/address.tsx")
    tag = "FilterAddress"
    filter: rx.Var[str | None]
    steps: rx.Var[int]
    read: rx.Var[str]


def filter_bar() -> rx.Component:
    """Draw the filter bar of a conversation."""
    # The browser stores addresses on disk, so the filter of a temporary conversation is not written into the address.
    unwritten = ~FilterState.known | FilterState.temporary | FilterState.refusal.bool()
    return rx.fragment(
        FilterAddress.create(
            filter=rx.cond(unwritten, None, FilterState.filter), steps=FilterState.steps, read=FilterState.read
        ),
        FilterLine.create(
            deferred(saved_filters_panel, when=SavedFilterState.shown),
            deferred(confirm_command_dialog, when=FilterLineState.asking),
            applied=FilterState.filter,
            feedback=FilterLineState.feedback,
            past=FilterLineState.past,
            done=FilterState.done,
            written=FilterLineState.written,
            failed=FilterState.refusal.bool(),
            saved_open=SavedFilterState.shown,
            label="Filter",
            placeholder="Filter what is sent",
            fold_label=rx.cond(FilterState.filter != "", "Filter: " + FilterState.filter, "Filter"),
            fold_title="Filter (/)",
            list_label="Suggestions",
            icon=icon(_FUNNEL, class_name="funnel"),
            summary=filter_summary(),
            chips=filter_chips(),
            says=line_feedback(),
            keys=_keys(),
            buttons=filter_buttons(),
            on_begin=FilterLineState.begin,
            on_check=FilterLineState.check,
            on_enter=FilterLineState.enter,
            on_leave=FilterLineState.leave,
            on_close_saved=SavedFilterState.close,
        ),
    )


def reader_zone() -> rx.Component:
    """Create an invisible component that sends the reader's time zone. Each page with a composer has exactly one."""
    # Finding the zone takes the browser tens of milliseconds, so the page requests it only after it has opened.
    zone = rx.Var("Intl.DateTimeFormat().resolvedOptions().timeZone", _var_type=str)
    return Passing.create(milliseconds=_LATER_MS, on_end=FilterState.learn_zone(zone).temporal)


@rx.memo
def nothing_found() -> rx.Component:
    """Draw the reason why the filter selects no pair, with a button that shows all pairs."""
    return rx.el.div(
        rx.el.p("No pairs match the filter: " + FilterState.description + "."),
        rx.foreach(FilterState.notices, lambda notice: rx.el.p(notice, class_name="filter-notice")),
        rx.el.button("Show all pairs", type="button", on_click=FilterState.clear),
        class_name="nothing-found",
    )


# A component that is passed as a prop must be a memo, because Reflex cannot draw a foreach there.
@rx.memo
def filter_summary() -> rx.Component:
    """Draw the description of the filter in force, or the reason why the last entered filter was not applied."""
    refusal = FilterState.refusal
    tip = rx.Var.create([FilterState.description, FilterState.notices.join("\n")]).join("\n")
    return rx.el.p(
        rx.cond(
            refusal,
            rx.el.span(
                "Not applied. ",
                with_provider_link(refusal.message),
                " Still showing: ",
                _in_force(),
                ".",
                class_name="filter-wrong",
            ),
            rx.fragment(
                FilterState.description,
                rx.foreach(FilterState.notices, lambda notice: rx.el.span(" · ", notice, class_name="filter-notice")),
            ),
        ),
        id="filter-says",
        title=tip,
        hidden=(FilterState.filter == "") & ~refusal.bool(),
        class_name="filter-sentence",
    )


def _in_force() -> rx.Var[str]:
    return rx.cond(FilterState.filter != "", FilterState.description, "all pairs").to(str)


@rx.memo
def line_feedback() -> rx.Component:
    """Draw the feedback about the typed line: the answer to its command, else its mistake, else its meaning."""
    feedback = FilterLineState.feedback
    return rx.cond(
        feedback.answer != "",
        rx.el.p(feedback.answer, class_name=rx.cond(feedback.refused, "filter-wrong", "")),
        rx.cond(
            feedback.mistake,
            _mistake(),
            rx.cond(
                feedback.line.strip() == "",
                rx.el.p("Only pairs that match are in view and sent. Empty: all pairs."),
                rx.fragment(
                    rx.el.p(
                        rx.cond(feedback.command != "", rx.el.strong(feedback.command, ": ")),
                        feedback.description,
                    ),
                    rx.cond(feedback.count != "", rx.el.p(feedback.count)),
                    rx.foreach(feedback.notices, lambda notice: rx.el.p(notice, class_name="filter-notice")),
                ),
            ),
        ),
    )


def _mistake() -> rx.Component:
    """Draw the reason why a line cannot be used: as a hint while it is typed, as an error once it was entered."""
    mistake = FilterLineState.feedback.mistake
    wrong = rx.cond(FilterLineState.feedback.entered, " filter-wrong", "").to(str)
    return rx.fragment(
        rx.cond(
            mistake.has_place,
            rx.el.pre(
                mistake.before,
                rx.el.mark(mistake.wrong),
                mistake.after,
                aria_hidden="true",
                class_name=f"filter-place{wrong}",
            ),
        ),
        rx.el.p(
            mistake.message,
            rx.cond(mistake.has_place, rx.el.span(" ", mistake.place, class_name="unseen")),
            class_name=wrong,
        ),
        rx.el.p("Still showing: ", _in_force(), "."),
    )


def _keys() -> rx.Component:
    return rx.el.p(
        rx.el.kbd("Enter"),
        " apply ",
        rx.el.kbd("Tab"),
        " complete ",
        rx.el.kbd("Esc"),
        " leave ",
        rx.el.kbd("↑"),
        " earlier filters, in an empty line",
        aria_hidden="true",
        class_name="filter-keys",
    )


@rx.memo
def filter_buttons() -> rx.Component:
    """Draw the buttons that clear the filter, open the saved filters and open the help."""
    return rx.fragment(
        rx.cond(FilterState.filter != "", _button("Clear the filter", _CROSS, on_click=FilterState.clear)),
        _button(
            "Saved filters", _BOOKMARK, on_click=SavedFilterState.toggle, aria_expanded=SavedFilterState.shown.to(str)
        ),
        _button("Filter help", _QUESTION, aria_haspopup="dialog", on_click=SheetState.show(FILTER)),
    )


def _button(label: str, path: str, **props: Any) -> rx.Component:
    return rx.el.button(icon(path), type="button", aria_label=label, title=label, class_name="filter-button", **props)
