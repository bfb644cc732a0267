"""The button in the title bar that shares what is in view, and its dialog: a preview, and then the link."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.domain.sharing.shares import DEFAULT_HOURS, MAX_AUTHOR
from app.state.transfer.grants import GrantState
from app.state.transfer.share import HOURS, ShareState
from app.ui import routes
from app.ui.kit.copy_button import copy_button
from app.ui.kit.deferred import deferred
from app.ui.kit.dialog import Dialog, dialog_cancel, dialog_foot, dialog_text, dialog_title
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase
from app.ui.transfer.grants import people_of_share

_VIEW: Any = ShareState.view
_HOURS: Final = dict(zip(HOURS, ("share.hour", "share.day", "share.week", "share.month", "share.year"), strict=True))


def share_button() -> rx.Component:
    """The button, and its dialog."""
    return rx.fragment(
        rx.el.button(
            rx.icon("share-2", size=16),
            type="button",
            aria_label=phrase("share.title"),
            title=phrase("share.title"),
            aria_haspopup="dialog",
            on_click=[ShareState.ask, GrantState.load],
            class_name="grid size-8 flex-none place-items-center rounded-md text-muted hover:bg-hover",
        ),
        deferred(share_dialog, when=ShareState.view),
    )


@rx.memo
def share_dialog() -> rx.Component:
    """Open while `ShareState.view` is set."""
    return rx.cond(
        ShareState.link != "", _dialog(_made(), "made"), _dialog(rx.fragment(_asking(), people_of_share()), "asking")
    )


def _dialog(content: rx.Component, key: str) -> rx.Component:
    return Dialog.create(
        content, key=key, label=phrase("share.title"), on_close=ShareState.close, class_name="modal share-dialog"
    )


def _asking() -> rx.Component:
    return rx.el.form(
        dialog_title(phrase("share.title")),
        dialog_text(phrase("share.about")),
        rx.el.div(
            rx.el.fieldset(
                rx.el.legend(phrase("share.also")),
                _part("system_prompt", phrase("share.system_prompt"), _VIEW.system_prompt),
                _part("thinking", phrase("share.thinking"), _VIEW.thinking),
                _part("tools", phrase("share.tools"), _VIEW.tools),
                _part("cost", phrase("share.cost"), _VIEW.cost),
            ),
            rx.el.label(
                phrase("share.author"),
                rx.el.input(
                    name="author", type="text", max_length=MAX_AUTHOR, auto_complete="off", on_blur=ShareState.sign
                ),
            ),
            rx.el.label(
                phrase("share.expires"),
                rx.el.select(
                    *(rx.el.option(phrase(key), value=str(hours)) for hours, key in _HOURS.items()),
                    name="hours",
                    default_value=str(DEFAULT_HOURS),
                ),
            ),
            class_name="share-fields",
        ),
        rx.el.p(
            _VIEW.pairs,
            rx.cond(_VIEW.filtered, rx.el.span(" ", phrase("share.filtered"))),
            rx.foreach(_VIEW.notes.to(tuple[str, ...]), lambda note: rx.el.span(" ", note, key=note)),
            role="status",
            class_name="share-notes",
        ),
        rx.cond(
            ShareState.page != "",
            # No script, no origin, no form: the page is as harmless as where its link opens it.
            rx.el.iframe(
                src_doc=ShareState.page,
                title=phrase("share.preview"),
                custom_attrs={"sandbox": ""},
                class_name="share-preview",
            ),
            rx.el.div(class_name="share-preview"),
        ),
        rx.el.p(ShareState.fault, role="alert", class_name="form-fault"),
        dialog_foot(
            PageLink.create(
                phrase("share.all"), to=routes.SHARES, custom_attrs={"data-close": ""}, class_name="insert-more"
            ),
            dialog_cancel(phrase("share.cancel")),
            rx.el.button(phrase("share.make"), type="submit", disabled=ShareState.page == "", class_name="loud"),
        ),
        on_submit=ShareState.make,
        aria_label=phrase("share.title"),
    )


def _part(name: str, text: str, chosen: Any) -> rx.Component:
    def choose(shown: Any) -> Any:
        return ShareState.choose(name, shown)

    props: dict[str, Any] = {"default_checked": chosen, "on_change": choose}
    return rx.el.label(rx.el.input(type="checkbox", **props), text)


def _made() -> rx.Component:
    return rx.fragment(
        dialog_title(phrase("share.made")),
        dialog_text(phrase("share.made_about")),
        rx.el.div(
            rx.el.input(
                type="text",
                value=ShareState.link,
                read_only=True,
                aria_label=phrase("share.link"),
                dir="ltr",
                custom_attrs={"data-first": ""},
            ),
            copy_button(ShareState.link, label=phrase("share.copy"), words=phrase("share.copy")),
            class_name="share-link",
        ),
        rx.cond(ShareState.here_alone, dialog_text(phrase("share.here_alone"))),
        dialog_foot(
            PageLink.create(
                phrase("share.all"), to=routes.SHARES, custom_attrs={"data-close": ""}, class_name="insert-more"
            ),
            dialog_cancel(phrase("share.done")),
        ),
    )
