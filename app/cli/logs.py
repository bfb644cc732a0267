"""Configures the log: one line per event on standard error, for structlog and the standard library.

    2026-03-01T10:00:00Z warning  A reply was interrupted.  run_id=r1

Credentials are masked in every line, including lines of libraries: for an unknown event, Reflex logs the headers of the
connection with its cookies. A line of MCP's SDK can contain data of a server and a traceback, so another line replaces
it: the place in the SDK and, after an error, the class of the error.
"""

from __future__ import annotations

import logging
import re
import sys
from typing import Final

import structlog
from structlog.typing import EventDict, WrappedLogger

from app.config.settings import MASK

_CREDENTIALS: Final = (
    # This matches 'cookie': 'sid=…' (a dict's repr), Authorization: Bearer … (a header line) and "x-api-key": "…"
    # (JSON).
    re.compile(
        r"""(?i)((?:set-)?cookie|(?:proxy-)?authorization|x-api-key|api[_-]key)(["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\n,;})\]]+)"""
    ),
    re.compile(r"(?i)(bearer)(\s+)([\w.~+/-]{8,}=*)"),
    re.compile(r"\b(sk)(-)([\w-]{8,})"),
)


_SDK_NAMES: Final = ("mcp", "client")
"""The first parts of the logger names in MCP's SDK."""


def configure_logs(level: str) -> None:
    """Send the log lines of this process that have at least this level to standard error."""
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
    handler.setFormatter(_MaskingFormatter(processors=[_drop_internals, _renderer()], foreign_pre_chain=shared))
    handler.addFilter(drop_server_words)
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # These loggers write a line per request or socket. A proxy can write a better access log.
    for chatty in ("uvicorn", "httpx2", "httpcore2", "websockets", "aiosqlite", "alembic.runtime"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLevelNamesMapping()[level.upper()]))


def silence_logs() -> None:
    """Turn the log off, for a command whose own output reports the same events."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def mask_credentials(line: str) -> str:
    """Return a log line with the values of cookies, keys and tokens masked."""
    for credential in _CREDENTIALS:
        line = credential.sub(rf"\1\2{MASK}", line)
    return line


def drop_server_words(record: logging.LogRecord) -> bool:
    """Replace a line of MCP's SDK by one without text of a server and without a traceback.

    This is a filter of log records. It always returns True, so it removes no record.
    """
    if record.name.partition(".")[0] in _SDK_NAMES:
        kind = record.exc_info[0] if record.exc_info else None
        error = f" ({kind.__name__})" if kind else ""
        place = f"{record.module}.{record.funcName}"
        record.msg = f"The MCP SDK reported a problem with a server in {place}{error}."
        record.args, record.exc_info, record.exc_text, record.stack_info = (), None, None, None
    return True


class _MaskingFormatter(structlog.stdlib.ProcessorFormatter):
    def format(self, record: logging.LogRecord) -> str:
        return mask_credentials(super().format(record))


def _renderer() -> structlog.dev.ConsoleRenderer:
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback, pad_event_to=0
    )


def _drop_internals(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    return structlog.stdlib.ProcessorFormatter.remove_processors_meta(_logger, _name, event)
