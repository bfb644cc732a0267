"""`/metrics`: the figures of this process in Prometheus' text format, version 0.0.4.

Source: https://prometheus.io/docs/instrumenting/exposition_formats. Not there unless `INVIEW_METRICS=on`. Where people
sign in, it answers owners and admins alone: Prometheus sends an API token of one, with the scope `read`.

    GET /metrics  →  inview_runs_total{outcome="succeeded"} 12
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from app.domain.errors import ForbiddenError, NotFoundError
from app.domain.people.tokens import METRICS
from app.runs.caller import caller
from app.runs.measures.histogram import Histogram
from app.runs.people.administration import is_administrator
from app.runs.status import count_pages, count_runs
from app.runs.workbench import Workbench, current
from app.store.run.queues import count_all_waiting

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[tuple[tuple[str, str], ...], object]


async def show(_request: Request) -> Response:
    """Answer Prometheus."""
    wb = current()
    if not wb.settings.metrics:
        raise NotFoundError("page", METRICS)
    if not await is_administrator(wb, caller()):
        raise ForbiddenError("Metrics are for owners and admins. Use an API token of one.")
    async with wb.store.read() as session:
        waiting = await count_all_waiting(session)
    return Response("\n".join(_write(wb, waiting)) + "\n", media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})


def _write(wb: Workbench, waiting: int) -> Iterator[str]:
    seen, waits = wb.measures, wb.store.waits
    yield from _family("runs_total", "counter", "Replies that ended.", _labelled("outcome", seen.runs))
    calls = [((("model", model), ("outcome", outcome)), n) for (model, outcome), n in seen.calls.items()]
    yield from _family("calls_total", "counter", "Provider calls that ended.", calls)
    yield from _family("call_errors_total", "counter", "Provider calls that failed.", _labelled("class", seen.errors))
    tokens = [((("model", model), ("kind", kind)), n) for (model, kind), n in seen.tokens.items()]
    yield from _family("tokens_total", "counter", "Tokens that providers reported.", tokens)
    yield from _family(
        "cost_dollars_total", "counter", "US dollars, of models with a known price.", _labelled("model", seen.cost)
    )
    yield from _family("chunks_total", "counter", "Pieces of replies received.", [((), seen.chunks)])
    yield from _histogram("first_chunk_seconds", "From a provider call to its first piece.", seen.first_chunk)
    yield from _histogram("call_seconds", "Provider calls that succeeded, from begin to end.", seen.reply)
    yield from _histogram("event_loop_lag_seconds", "How late the event loop was, once a second.", seen.loop_lag)
    yield from _family("database_waits_total", "counter", "Turns to write the database.", [((), waits.count)])
    yield from _family("database_wait_seconds_total", "counter", "Waits for these turns.", [((), waits.seconds)])
    yield from _family("runs_in_flight", "gauge", "Replies that run.", [((), count_runs(wb))])
    turns = wb.engine.turns
    yield from _family("calls_on", "gauge", "Provider calls that are on.", [((), turns.count_on)])
    yield from _family("calls_waiting", "gauge", "Provider calls that wait for a turn.", [((), len(turns.waiting))])
    if wb.cluster is not None:
        yield from _family("redis_reached", "gauge", "1 while Redis answers, else 0.", [((), int(wb.cluster.reached))])
    yield from _family("queue_length", "gauge", "Texts that wait in queues.", [((), waiting)])
    yield from _family("open_pages", "gauge", "Who looks at a conversation.", [((), count_pages(wb))])
    yield from _family("uptime_seconds", "gauge", "Since the process began.", [((), seen.uptime)])


def _labelled(label: str, counts: Mapping[str, object]) -> list[Sample]:
    return [(((label, value),), n) for value, n in counts.items()]


def _family(name: str, kind: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP inview_{name} {text}"
    yield f"# TYPE inview_{name} {kind}"
    for labels, value in samples:
        yield f"inview_{name}{_write_labels(labels)} {value}"


def _histogram(name: str, text: str, seen: Histogram) -> Iterator[str]:
    *counts, total = seen.cumulated()
    yield f"# HELP inview_{name} {text}"
    yield f"# TYPE inview_{name} histogram"
    for bound, count in zip(seen.bounds, counts, strict=True):
        yield f'inview_{name}_bucket{{le="{bound}"}} {count}'
    yield f'inview_{name}_bucket{{le="+Inf"}} {total}'
    yield f"inview_{name}_sum {seen.sum}"
    yield f"inview_{name}_count {total}"


def _write_labels(labels: tuple[tuple[str, str], ...]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escape(value)}"' for name, value in labels) + "}"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
