"""Log lines: credentials are masked, whatever a library writes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from app.cli.logs import mask_credentials


@pytest.mark.parametrize(
    "line",
    [
        "headers={'host': 'localhost', 'cookie': 'sid=hidden-value; a=hidden-value', 'accept': '*/*'}",
        'RouterData(headers=HeaderData(cookie="sid=hidden-value", host="localhost"))',
        '{"Authorization": "Bearer hidden-value", "accept": "*/*"}',
        "Set-Cookie: sid=hidden-value\naccept: */*",
        "x-api-key=hidden-value, accept=*/*",
        "connect with api_key='hidden-value' accept",
        "sent bearer hidden-value1 to accept",
        "key sk-hidden-value-012345 accept",
    ],
)
def test_credentials_are_masked_and_the_rest_stays(line: str) -> None:
    masked = mask_credentials(line)

    assert "hidden-value" not in masked
    assert "•••" in masked
    assert "accept" in masked or "localhost" in masked


def test_an_ordinary_line_stays_as_it_is() -> None:
    line = "A reply was interrupted. run_id=r1 output_tokens=12 risk-free"

    assert mask_credentials(line) == line


LOGGED = """
import logging
from app.cli.logs import configure_logs

def post_writer():
    try:
        raise ValueError("sent by a server")
    except ValueError:
        logging.getLogger("mcp.client.streamable_http").exception("Error in %s", "what a server sent")
        logging.getLogger("elsewhere").exception("kept")

configure_logs("info")
post_writer()
"""


def test_line_of_the_mcp_sdk_is_one_line_without_what_a_server_sent() -> None:
    ended = subprocess.run([sys.executable, "-c", LOGGED], capture_output=True, text=True, check=True)
    first, _, others = ended.stderr.partition("\n")

    assert "The MCP SDK reported a problem with a server in <string>.post_writer (ValueError)." in first
    assert "server sent" not in ended.stderr
    assert "kept" in others.partition("\n")[0]
    assert others.count("Traceback") == 1
