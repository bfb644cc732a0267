"""The picker of topics: a search field, which also adds topics ("AI > Planning"), and the tree with counts."""

from __future__ import annotations

import reflex as rx

from app.domain.topics.topic_rules import MAX_NAME
from app.state.topics.picker import TopicPickerState
from app.state.topics.rows import TopicParent, TopicTreeRow
from app.ui.kit.containers.dialog import Dialog
from app.ui.kit.island import Island, island
from app.ui.kit.keys.escape import escape
from app.ui.topics.chip import CHIP_ID


def _query_and_index(query: rx.Var[str], index: rx.Var[int]) -> tuple[rx.Var[str], rx.Var[int]]:
    return query, index


def _drop(topic: rx.Var[str], target: rx.Var[str], place: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[str], rx.Var[str]]:
    return topic, target, place


class TopicTreeField(Island):
    """The search field and the rows of the tree. `rows` are the rows that match the text `query`.

    - `start`: the index of the row that is highlighted at first.
    - `on_choose`: gets a query and the index of the chosen row among the rows for this query.
    - `by_hand`: topics are in manual order, so that a row can also be dropped above or below another row, not only into
      it.
    """

    library = island("topics/topic_tree.tsx")
    tag = "TopicTree"
    rows: rx.Var[tuple[TopicTreeRow, ...]]
    query: rx.Var[str]
    start: rx.Var[int]
    by_hand: rx.Var[bool]
    label: rx.Var[str]
    placeholder: rx.Var[str]
    tree_label: rx.Var[str]
    change_title: rx.Var[str]
    change_sign: rx.Var[str]
    on_search: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_choose: rx.EventHandler[_query_and_index]
    on_edit: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_drop: rx.EventHandler[_drop]


@rx.memo
def topic_picker_dialog() -> rx.Component:
    """Draw the picker of topics: the tree of topics or, while a topic is edited, its form."""
    picking = TopicPickerState.picking
    return Dialog.create(
        rx.cond(TopicPickerState.editing, _form(), _list()),
        label=picking.label,
        at=rx.cond(picking.pair_id != "", "topic-" + picking.pair_id.to(str), CHIP_ID),
        on_close=TopicPickerState.close,
        class_name="popup topics",
    )


def _list() -> rx.Component:
    by_hand = TopicPickerState.by_hand
    return rx.fragment(
        TopicTreeField.create(
            rows=TopicPickerState.rows,
            query=TopicPickerState.query,
            start=TopicPickerState.at,
            by_hand=by_hand,
            label=TopicPickerState.picking.label,
            placeholder="Search or create, e.g. AI > Planning",
            tree_label="Topics",
            change_title="Rename, move, delete",
            change_sign="⋯",
            on_search=TopicPickerState.search,
            on_choose=TopicPickerState.choose,
            on_edit=TopicPickerState.edit,
            on_drop=TopicPickerState.drop,
        ),
        _fault(),
        rx.el.div(
            rx.el.span(rx.cond(by_hand, "Manual order: drag, or use ⋯", "Last used first")),
            rx.el.button(
                rx.cond(by_hand, "Sort by last use", "Sort manually"), type="button", on_click=TopicPickerState.arrange
            ),
            class_name="topic-foot",
        ),
    )


def _form() -> rx.Component:
    topic = TopicPickerState.editing
    return escape(
        rx.el.form(
            rx.el.h2(topic.path, dir="auto"),
            rx.el.label(
                "Name",
                rx.el.input(
                    name="name",
                    auto_focus=True,
                    default_value=topic.name,
                    auto_complete="off",
                    max_length=MAX_NAME,
                    required=True,
                ),
            ),
            rx.el.label(
                "Parent topic",
                rx.el.select(
                    rx.el.option("None (top level)", value=""),
                    rx.foreach(topic.parents, _parent),
                    name="parent",
                    default_value=topic.parent_id,
                ),
            ),
            _fault(),
            _form_buttons(),
            key=topic.path,
            on_submit=TopicPickerState.save,
            class_name="topic-form",
        ),
        on_escape=TopicPickerState.escape,
    )


def _form_buttons() -> rx.Component:
    topic = TopicPickerState.editing
    return rx.el.div(
        rx.cond(
            TopicPickerState.by_hand,
            rx.fragment(
                _arrow("↑", "Move up", topic.first, TopicPickerState.move_up),
                _arrow("↓", "Move down", topic.last, TopicPickerState.move_down),
            ),
        ),
        rx.el.button(
            rx.cond(topic.held != "", "Not empty", "Delete"),
            type="button",
            disabled=topic.held != "",
            title=topic.held,
            on_click=TopicPickerState.delete,
            class_name="danger-quiet",
        ),
        rx.el.span(class_name="gap"),
        rx.el.button("Back", type="button", on_click=TopicPickerState.back, class_name="quiet"),
        rx.el.button("Save", type="submit", class_name="loud"),
        class_name="dialog-buttons",
    )


def _arrow(sign: str, label: str, disabled: rx.Var[bool], on_click: rx.event.EventType[()]) -> rx.Component:
    return rx.el.button(
        sign, type="button", disabled=disabled, on_click=on_click, aria_label=label, title=label, class_name="quiet"
    )


def _parent(parent: rx.vars.ObjectVar[TopicParent]) -> rx.Component:
    return rx.el.option(parent.path, value=parent.id)


def _fault() -> rx.Component:
    fault = TopicPickerState.fault
    return rx.el.p(fault, role="alert", hidden=fault == "", class_name="topic-fault")
