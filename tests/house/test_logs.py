"""Log lines: whatever a library writes into one, credentials in it are masked."""

from __future__ import annotations

import logging

import orjson
import pytest

from app.cli.logs import make_formatter, mask_credentials


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


@pytest.mark.parametrize(
    "said",
    [
        "headers={'cookie': 'sid=hidden-value; a=hidden-value'}",
        {"headers": {"Cookie": "sid=hidden-value", "accept": ["Bearer hidden-value1"]}},
    ],
)
def test_a_line_is_json_and_masked(said: object) -> None:
    record = logging.LogRecord("library", logging.INFO, "", 0, said, None, None)

    line = make_formatter("json").format(record)

    assert orjson.loads(line)["event"]
    assert "hidden-value" not in line
    assert "•••" in line


def test_a_fault_is_one_line_of_json_without_the_secret_in_its_message() -> None:
    fault = ValueError("refused: api_key='hidden-value' and more")
    record = logging.LogRecord("library", logging.ERROR, "", 0, "failed", None, (ValueError, fault, None))

    line = make_formatter("json").format(record)

    assert "ValueError" in orjson.loads(line)["exception"]
    assert "\n" not in line
    assert "hidden-value" not in line
