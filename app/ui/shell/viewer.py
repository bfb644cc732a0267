"""The viewer of pictures, loaded when the first picture is opened."""

from __future__ import annotations

import reflex as rx

from app.state.viewer import ViewedPicture, ViewerState
from app.ui.kit.dialog import Dialog, dialog_cancel
from app.ui.phrase import phrase


@rx.memo
def viewer() -> rx.Component:
    """One picture above everything. Escape, a click beside it and Close lead back to where it was opened."""
    picture = ViewerState.picture.to(ViewedPicture)
    return Dialog.create(
        rx.el.div(
            rx.el.div(
                rx.el.span(picture.name, class_name="viewer-name"),
                rx.cond(
                    ViewerState.place != "",
                    rx.fragment(
                        _button("←", phrase("viewer.previous"), ViewerState.show_previous),
                        rx.el.span(ViewerState.place, role="status", class_name="viewer-size"),
                        _button("→", phrase("viewer.next"), ViewerState.show_next),
                    ),
                ),
                rx.el.span(ViewerState.said, role="status", class_name="viewer-size"),
                _button("-", phrase("shell.smaller"), ViewerState.reduce),
                _button("+", phrase("shell.larger"), ViewerState.magnify),
                _button(phrase("shell.fit"), phrase("shell.all_of_it_0"), ViewerState.fit),
                rx.el.a(
                    phrase("common.save"),
                    href=picture.address,
                    download=picture.name,
                    custom_attrs={"reloadDocument": True},  # else the router takes it for a page
                    class_name="quiet",
                ),
                dialog_cancel(phrase("common.close"), first=True),
                class_name="viewer-bar",
            ),
            rx.el.div(
                rx.el.img(
                    src=picture.address,
                    alt=picture.name,
                    style={"width": rx.cond(ViewerState.wide != "", ViewerState.wide, "auto")},
                ),
                tab_index=0,
                role="region",
                aria_label=phrase("common.picture"),
                custom_attrs={"data-fits": rx.cond(ViewerState.wide == "", "", None)},
                class_name="viewer-picture",
            ),
            class_name="viewer-inside",
        ),
        label=picture.name,
        keys="+ = - _ 0 ArrowLeft ArrowRight",
        on_close=ViewerState.close,
        on_key=ViewerState.press,
        class_name="modal viewer",
    )


def _button(text: str, title: str, on_click: rx.event.EventType[()]) -> rx.Component:
    return rx.el.button(text, type="button", title=title, aria_label=title, on_click=on_click, class_name="quiet")
