"""Pictures and files of a message: a picture opens in the viewer, a text expands, any other file is downloaded."""

from __future__ import annotations

import reflex as rx

from app.state.shell.viewer import ViewerState
from app.ui.kit.containers.disclosure import Disclosure
from app.ui.kit.controls.copy_button import copy_button
from app.views.attachments.attachment import ScreenAttachment

ADDRESS = "/api/v1/attachments/"
AttachmentVar = rx.vars.ObjectVar[ScreenAttachment]


def attachments(items: rx.vars.ArrayVar[tuple[ScreenAttachment, ...]]) -> rx.Component:
    """Draw the files and images of a request."""
    return rx.cond(
        items.length() > 0,
        rx.el.ul(
            rx.foreach(items, lambda item: rx.el.li(_attachment(item))),
            aria_label="Sent with this request",
            class_name="attached",
        ),
    )


def picture(
    address: rx.Var[str], name: rx.Var[str] | str, width: rx.vars.NumberVar[int], height: rx.vars.NumberVar[int]
) -> rx.Component:
    """Draw a picture that opens the viewer. Sizes are in pixels, 0 if unknown."""
    known = (width > 0) & (height > 0)
    return rx.el.button(
        rx.el.img(
            src=address,
            alt=name,
            width=rx.cond(known, width, None),
            height=rx.cond(known, height, None),
            loading="lazy",
        ),
        type="button",
        title="View",
        on_click=ViewerState.open(address, name, width, height),
        class_name="picture",
    )


def text_file(name: rx.Var[str], text: rx.Var[str]) -> rx.Component:
    """Draw a text file. Its text expands below its name."""
    return Disclosure.create(
        rx.el.div(
            copy_button(text, label="Copy the file"),
            rx.el.pre(text, dir="auto", tab_index=0, class_name="tool-text"),
            class_name="file-text",
        ),
        summary=rx.el.span(name, class_name="file-name"),
        class_name="text-file",
    )


def saved_file(address: rx.Var[str], name: rx.Var[str]) -> rx.Component:
    """Draw a file that the browser downloads."""
    return rx.el.a(
        rx.cond(name != "", name, "File"),
        href=address,
        download=name,
        custom_attrs={"reloadDocument": True},  # otherwise the router treats the address as that of a page
        class_name="tool-file",
    )


def _attachment(item: AttachmentVar) -> rx.Component:
    address, name = item.address.to(str), item.name.to(str)
    return rx.fragment(
        rx.match(
            item.kind.to(str),
            ("image", picture(address, name, item.width.to(int), item.height.to(int))),
            ("file", saved_file(address, name)),
            ("lost", rx.el.span(name, class_name="tool-file text-danger")),
            text_file(name, item.text.to(str)),
        )
    )
