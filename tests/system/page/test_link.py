"""Reflex's runtime with the changes of the build: see app/ui/build/link.py."""

from __future__ import annotations

import pytest
from reflex_base.constants import Templates

from app.ui.build.link import LinkError, with_link

RUNTIME = (Templates.Dirs.WEB_TEMPLATE / "utils/state.js").read_text()


def test_the_runtime_reports_each_new_socket_to_the_link() -> None:
    changed = with_link(RUNTIME)

    made = changed.index("createSocket(endpoint, transports, session_token);")
    assert (
        made
        < changed.index("  attach(socket.current, event_queue);")
        < changed.index("socket.current.auth = bootAuth(true)")
    )
    assert 'import { admit, attach } from "$/islands/kit/connection/link.ts";' in changed


def test_the_runtime_queues_only_what_is_admitted() -> None:
    queue_events = with_link(RUNTIME).split("export const queueEvents", 1)[1]

    assert queue_events.index("admit(normalizeEvents(events))") < queue_events.index("event_queue.push")


def test_a_runtime_of_another_shape_fails_the_build() -> None:
    with pytest.raises(LinkError, match="exactly once"):
        with_link(RUNTIME.replace("createSocket", "makeSocket"))
