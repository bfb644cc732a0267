"""Copies what the composer shows of a watcher's screen into its vars.

Not what a person does there: those are the handlers of `state.py`.
"""

from __future__ import annotations

from dataclasses import replace

from app.runs.watch.screen import Screen
from app.state.composer.split import describe_counting, describe_secrets, describe_split
from app.state.composer.state import ComposerState
from app.state.watching import watcher_of
from app.views.screen.context import ContextView


def show_composer(state: ComposerState, screen: Screen, shown: Screen | None) -> None:
    """Copy what the composer shows of a screen, as far as it is not what was shown before."""
    if shown is None or screen.running != shown.running:
        state.running = screen.running
    if shown is None or screen.counting != shown.counting:
        state.counting = describe_counting(screen.counting)
    if shown is None or screen.context is not shown.context:
        _show_context(state, screen.context, None if shown is None else shown.context)


def _show_context(state: ComposerState, context: ContextView | None, before: ContextView | None) -> None:
    if context is None:
        state.estimate, state.split = None, None
        return
    if before is None or context.estimate != before.estimate:
        state.estimate = context.estimate
    if before is None or (context.model, context.x, context.y) != (before.model, before.x, before.y):
        state.model, state.x, state.y = context.model, context.x, context.y
    if before is None or context.tools != before.tools:
        state.tools = context.tools
    if before is None or (context.secrets, context.prelude) != (before.secrets, before.prelude):
        state.secrets, state.prelude = context.secrets, context.prelude
        state.kept_back = describe_secrets(context.secrets, previewed=True)
    state.split = describe_split(context)


def clear_composer(state: ComposerState) -> None:
    """Another conversation: nothing of it is known yet."""
    state.estimate, state.split, state.tools, state.prelude = None, None, None, None
    state.model, state.running, state.stopping, state.x, state.y = "", "", "", 0, 0
    state.secrets, state.kept_back, state.counting = (), "", ""


def set_schema(composer: ComposerState, schema: str) -> None:
    """Let this schema go with the draft; "": none."""
    composer.schema = schema
    if (watcher := watcher_of(composer)) is not None:
        watcher.write(composer.text, replace(watcher.view.asked, reply_schema=schema or None))
