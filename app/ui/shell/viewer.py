"""The viewer of pictures: a dialog that covers the page. Its code is loaded when a picture is first opened."""

from __future__ import annotations

import reflex as rx

from app.state.shell.viewer import ViewedPicture, ViewerState
from app.ui.kit.containers.dialog import Dialog, dialog_cancel


@rx.memo
def viewer() -> rx.Component:
    """Draw the viewer with one picture.

    Escape, a click outside the viewer and the button Close close the viewer. Then the control that opened it gets the
    focus again.
    """
    picture = ViewerState.picture.to(ViewedPicture)
    return Dialog.create(
        rx.el.div(
            rx.el.div(
                rx.el.span(picture.name, class_name="viewer-name"),
                rx.el.span(ViewerState.said, role="status", class_name="viewer-size"),
                _button("-", "Zoom out (-)", ViewerState.reduce),
                _button("+", "Zoom in (+)", ViewerState.magnify),
                _button("Fit", "Fit to window (0)", ViewerState.fit),
                rx.el.a(
                    "Save",
                    href=picture.address,
                    download=picture.name,
                    custom_attrs={"reloadDocument": True},  # otherwise the router treats the address as that of a page
                    class_name="quiet",
                ),
                dialog_cancel("Close", first=True),
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
                aria_label="Picture",
                custom_attrs={"data-fits": rx.cond(ViewerState.wide == "", "", None)},
                class_name="viewer-picture",
            ),
            class_name="viewer-inside",
        ),
        label=picture.name,
        keys="+=-_0",
        on_close=ViewerState.close,
        on_key=ViewerState.press,
        class_name="modal viewer",
    )


def _button(text: str, title: str, on_click: rx.event.EventType[()]) -> rx.Component:
    return rx.el.button(text, type="button", title=title, aria_label=title, on_click=on_click, class_name="quiet")
