"""Parts of the page whose code is loaded when they are first shown, such as dialogs.

    @rx.memo
    def delete_dialog() -> rx.Component: ...

    deferred(delete_dialog, when=TrashState.deleting)

The component takes no arguments (it reads its state). Its Python module must contain nothing that is drawn at once,
because one Python module becomes one JavaScript file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import reflex as rx

from app.ui.kit.island import Island, IslandError, island


class Deferred(Island):
    """The island that the function `deferred` creates. The function sets its props.

    While `when` is true, the island draws the component `name` of the JavaScript module that the function `load` loads.
    """

    library = island("kit/containers/deferred.tsx")
    tag = "Deferred"
    when: rx.Var[bool]
    name: rx.Var[str]
    load: rx.Var[Callable[[], object]]


def deferred(view: Callable[[], rx.Component], *, when: rx.Var[Any]) -> rx.Component:
    """Draw `view`, a component made by `rx.memo`, while `when` is true in Python's sense.

    The browser loads the code of `view` when it is first drawn.

    Raises:
        IslandError: the view was not made by `rx.memo`.
    """
    drawn = view()
    if not (drawn.tag and drawn.library and drawn.library.startswith("$/")):
        raise IslandError(f"{view!r} has no file of its own: make it with rx.memo.")
    return Deferred.create(when=when.bool(), name=drawn.tag, load=rx.Var(f'() => import("{drawn.library}")'))
