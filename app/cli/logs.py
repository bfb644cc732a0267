"""Where log lines go and how they look: one line each on standard error, from structlog and the standard library alike.

    2026-03-01T10:00:00Z warning  A reply was interrupted.  request_id=q1 run_id=r1

Each line says which request or event of the page it belongs to, and which reply: `runs/caller.py`, `runs/engine`.

Not what is logged. Whatever a library puts into a line, credentials in it are masked: Reflex logs the headers of a
connection, cookies included, when it does not know an event.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from app.settings import MASK

_CREDENTIALS: Final = (
    # 'cookie': 'sid=…', Authorization: Bearer …, "x-api-key": "…" - as a dict's repr, as JSON or as a header line.
    re.compile(
        r"""(?i)((?:set-)?cookie|(?:proxy-)?authorization|x-api-key|api[_-]key)(["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\n,;})\]]+)"""
    ),
    re.compile(r"(?i)(bearer)(\s+)([\w.~+/-]{8,}=*)"),
    re.compile(r"\b(sk)(-)([\w-]{8,})"),
)

_SECRET_NAME: Final = re.compile("(?i)(?:set-)?cookie|(?:proxy-)?authorization|x-api-key|api[_-]key|password|token")


def configure_logs(level: str, form: str = "text") -> None:
    """Send every log line of this process to standard error, from `level` on, as `text` or `json`."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="timestamp"),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(make_formatter(form, shared))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # One line per request or socket is what an access log is for, and a proxy writes that better.
    for chatty in ("uvicorn", "httpx2", "httpcore2", "websockets", "aiosqlite", "alembic.runtime"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLevelNamesMapping()[level.upper()]))


def mask_credentials(line: str) -> str:
    """The line with the values of cookies, keys and tokens masked."""
    for credential in _CREDENTIALS:
        line = credential.sub(rf"\1\2{MASK}", line)
    return line


def make_formatter(form: str, shared: Sequence[Processor] = ()) -> logging.Formatter:
    """What writes a line in this form; `shared` are the processors of lines of the standard library."""
    if form == "json":
        written = [_drop_internals, structlog.processors.format_exc_info, _mask_values, _write_json()]
        return structlog.stdlib.ProcessorFormatter(processors=written, foreign_pre_chain=shared)
    return _MaskingFormatter(processors=[_drop_internals, _renderer()], foreign_pre_chain=shared)


def _write_json() -> structlog.processors.JSONRenderer:
    def describe(value: object) -> str:
        return mask_credentials(repr(value))

    return structlog.processors.JSONRenderer(ensure_ascii=False, default=describe)


def _mask_values(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Mask before the line is JSON: masked afterwards, it might be none."""
    return {name: _mask_value(value, name) for name, value in event.items()}


def _mask_value(value: Any, name: str) -> Any:
    if _SECRET_NAME.fullmatch(name):
        return MASK
    if isinstance(value, str):
        return mask_credentials(value)
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value)
        return {str(key): _mask_value(each, str(key)) for key, each in entries.items()}
    if isinstance(value, list | tuple):
        return [_mask_value(each, "") for each in cast("Sequence[object]", value)]
    return value


class _MaskingFormatter(structlog.stdlib.ProcessorFormatter):
    def format(self, record: logging.LogRecord) -> str:
        return mask_credentials(super().format(record))


def _renderer() -> structlog.dev.ConsoleRenderer:
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback, pad_event_to=0
    )


def _drop_internals(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    return structlog.stdlib.ProcessorFormatter.remove_processors_meta(_logger, _name, event)
