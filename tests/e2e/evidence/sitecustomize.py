"""Python runs this module at its start if this folder is on its path. `inview serve` then writes its tasks on request.

Each line is a task with the chain of its awaits, outermost first. The last lines are the tabs, the events that wait for
each of them, and the locks of their states.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any


def _chain(awaited: Any) -> str:
    places = list[str]()
    while awaited is not None:
        frame = next((f for name in ("cr_frame", "gi_frame", "ag_frame") if (f := getattr(awaited, name, None))), None)
        if frame is None:
            places.append(repr(awaited)[:100])
            break
        places.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}:{frame.f_code.co_name}")
        awaited = next(
            (a for name in ("cr_await", "gi_yieldfrom", "ag_await") if (a := getattr(awaited, name, None))), None
        )
    return " <- ".join(places)


def _describe() -> list[str]:
    # Reflex's names of states and handlers begin with all packages of the state, which need no place here.
    names = {task: task.get_name().rpartition("app___state___")[2][:90] for task in asyncio.all_tasks()}
    lines = [f"{name}: {_chain(task.get_coro())}" for task, name in names.items()]
    watching: Any = sys.modules.get("app.state.tab.tab_watchers")
    module: Any = sys.modules.get("app.app")
    if watching is not None and module is not None:
        reflex = module.app
        tabs = {token: tab.watcher.conversation_id for token, tab in watching._TABS.items()}
        waiting = {
            token: [entry.event.name for entry, _ in queue]
            for token, queue in reflex.event_processor._token_queues.items()
        }
        locks = {token: lock.locked() for token, lock in reflex.state_manager._states_locks.items()}
        sockets = {
            sid: (client.socket.queue.qsize(), client.socket.closed)
            for sid, client in reflex.event_namespace._clients.items()
        }
        lines += [f"tabs {tabs}", f"waiting events {waiting}", f"locks {locks}"]
        lines += [f"tokens {reflex.event_namespace.sid_to_token}", f"sockets (frames that wait, closed) {sockets}"]
    return lines


def _write(path: Path) -> None:
    try:
        lines = _describe()
    except Exception as error:  # noqa: BLE001 - evidence of one failure must not cause another
        lines = [f"could not be read: {error!r}"]
    path.write_text("\n".join([*lines, "end\n"]))


def _on_signal(*_: object) -> None:
    output = Path("/proc/self/fd/1").readlink()
    asyncio.get_running_loop().call_soon_threadsafe(_write, output.with_suffix(".tasks"))


if "serve" in sys.argv or "serve" in sys.orig_argv:
    signal.signal(signal.SIGUSR1, _on_signal)
