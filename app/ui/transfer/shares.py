"""The list of shares, each with its Revoke button."""

from __future__ import annotations

import reflex as rx

from app.state.transfer.shares import ShareItem, SharesState
from app.ui.kit.moment import Moment, TimeForm
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase


def share_list() -> rx.Component:
    """Everything on the page of shares."""
    return rx.cond(
        SharesState.loaded,
        rx.fragment(
            rx.el.div(rx.el.p(phrase("shares.about")), class_name="agents-head mb-[30px]"),
            rx.cond(
                SharesState.items.length() > 0,
                rx.el.ul(
                    rx.foreach(SharesState.items, lambda item: rx.fragment(share_row(item=item), key=item.id)),
                    class_name="agents-list",
                ),
                rx.el.p(phrase("shares.empty"), class_name="trash-empty"),
            ),
        ),
        rx.el.p(phrase("shares.loading"), role="status", class_name="trash-said"),
    )


@rx.memo
def share_row(item: rx.vars.ObjectVar[ShareItem]) -> rx.Component:
    """A link, and the button that revokes it."""
    return rx.el.li(
        rx.el.div(
            rx.el.p(
                PageLink.create(item.name, to=item.path, dir="auto", class_name="hover:underline"),
                class_name="trash-name",
            ),
            rx.el.p(item.about, dir="auto", class_name="trash-about"),
            rx.el.p(
                item.views,
                " · ",
                phrase("shares.made"),
                " ",
                Moment.create(at=item.created_at),
                " · ",
                phrase("shares.expires"),
                " ",
                Moment.create(at=item.expires_at, form=TimeForm.FULL),
                class_name="trash-about",
            ),
        ),
        rx.el.button(
            phrase("shares.revoke"),
            type="button",
            aria_label=phrase("shares.revoke_name", name=item.name),
            on_click=SharesState.revoke(item.id),
            class_name="quiet",
        ),
    )
