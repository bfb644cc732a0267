"""Assigns vars in a background handler without waiting, while nothing else works on the states of its tab.

    if not await assign(self, pairs=pairs):
        async with self:
            self.pairs = pairs

    streamed = StreamedVar(self, "pairs")
    streamed.go_on(Growth(path, before, now, text))     # False: as above

`async with self` makes the proxy writable, takes the lock of the tab, collects what changed in all its states, and
sends that through three callbacks, each in its turn: 130 µs for a text that goes on (docs/decisions/0082). Where nobody
holds the lock and nothing else has changed, the same comes of assigning and sending in one go. Where a text goes on
that went on before, and its place is known, neither Reflex's bookkeeping nor a comparison is needed.
"""

# What is looked at in Reflex is private, and typed in part.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false
# ruff: noqa: SLF001

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex.istate.manager.memory import StateManagerMemory
from reflex.state import StateUpdate
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.event.context import EventContext

from app.patches.growth import Growth
from app.patches.namespace import clients_of


async def assign(state: rx.State, **values: Any) -> bool:
    """Assign these vars of the handler's own state, and send them. False: it has to be done by `async with`.

    Nobody else has a turn between the two.
    """
    proxy: Any = state
    context = EventContext.get()
    own = _free_state(context.state_manager, proxy)
    clients = list(clients_of(context.token))
    if own is None or not clients:
        return False
    for name, value in values.items():
        setattr(own, name, value)
    if own.dirty_vars != values.keys():  # a var that is computed of them is to be sent as well
        return False
    own._get_root_state()._clean()
    update = StateUpdate(delta={own.get_full_name(): {f"{name}{FIELD_MARKER}": each for name, each in values.items()}})
    for namespace, client in clients:
        await namespace.send_update(client, update)
    return True


class StreamedVar:
    """A var of a background handler's own state, in which a text goes on. Made in the handler."""

    def __init__(self, state: rx.State, name: str) -> None:
        context = EventContext.get()
        self._proxy: Any = state
        self._manager, self._token, self._name = context.state_manager, context.token, name
        self._var = state.get_full_name(), f"{name}{FIELD_MARKER}"

    def go_on(self, growth: Growth) -> bool:
        """Assign what the var has become, and send the text. False: nothing was done, and `assign` may do it.

        It is done only if the var has the value before, the browser as well, nothing waits to be sent, and nobody else
        is at work on the states of the tab.
        """
        own = _free_state(self._manager, self._proxy)
        if own is None or own.__dict__.get(self._name) is not growth.before or not growth.is_sound():
            return False
        if self._name in own._var_dependencies or own._always_dirty_computed_vars or own._interval_computed_var_names:
            return False  # what is computed of it is to be sent as well
        clients = list(clients_of(self._token))
        if len(clients) != 1:
            return False
        [(namespace, client)] = clients
        if not namespace.send_text(client, self._var, growth):
            return False
        own.__dict__[self._name] = growth.now
        own._was_touched = True
        return True


def _free_state(manager: Any, proxy: Any) -> Any:
    """The state behind a background handler's proxy, None unless it is unchanged and nobody holds its lock."""
    if not isinstance(manager, StateManagerMemory) or proxy._self_parent_state_proxy is not None:
        return None
    token, own = proxy._self_substate_token, proxy.__wrapped__
    root: Any = own._get_root_state()
    lock = manager._states_locks.get(token.lock_key)
    if (lock is not None and lock.locked()) or manager.states.get(token.cache_key) is not root:
        return None  # in other hands, or expired
    if root.dirty_vars or root.dirty_substates or root._always_dirty_substates or not root.router_data:
        return None
    if getattr(root, "_reflex_internal_links", None) is not None:
        return None
    manager._track_token(token)
    return own
