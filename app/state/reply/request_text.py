"""The switch between the two forms of a request's text: the sent text, and formatted Markdown.

await tab.send(RequestTextState.turn, pair_id="p1")

Copying a request always copies the sent text.
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.reply.pair_lookup import find_pair

MAX_TURNED: Final = 200
"""Maximum number of requests that are switched to the other form. The oldest switch is undone first."""


class RequestTextState(rx.State):
    """The requests that were switched to the other form. `turned` are the ids of their pairs.

    `ScreenPairView.form` is the form that the page shows at first.
    """

    turned: rx.Field[tuple[str, ...]] = rx.field(())

    @rx.event
    async def turn(self, pair_id: str) -> None:
        """Switch the text of a request to the other form."""
        if (pair := await find_pair(self, pair_id)) is None:
            return
        others = tuple(each for each in self.turned if each != pair.id)
        self.turned = others if others != self.turned else (*others, pair.id)[-MAX_TURNED:]
