"""Comparison of a provider's own export with the ledger."""

from __future__ import annotations

from datetime import date

import pytest

from app.domain.costs.reconciliation import Verdict, compare, read_statement
from app.domain.errors import InputError
from app.domain.usage import Usage

DAY = date(2026, 5, 1)
ANTHROPIC = """\
usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,\
usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,\
web_search_count
2026-05-01,claude-sonnet-4-5-20250929,a,w,message,0-200k,10,1,2,30,5,0
2026-05-01 13:00,claude-sonnet-4-5-20250929,b,w,message,0-200k,5,0,0,0,1,0
2026-05-02,Claude Haiku 4.5,a,w,message,0-200k,7,0,0,0,3,0
"""
OPENAI = """\
start_time,end_time,start_time_iso,end_time_iso,num_model_requests,model,input_tokens,output_tokens,input_cached_tokens
1777593600,1777680000,2026-05-01T00:00:00+00:00,2026-05-02T00:00:00+00:00,2,gpt-5-2025-08-07,100,9,60
1777680000,1777766400,2026-05-02T00:00:00+00:00,2026-05-03T00:00:00+00:00,,,,,
"""


def test_anthropics_lines_of_a_day_and_model_are_added_up() -> None:
    statement = read_statement("\ufeff" + ANTHROPIC)

    lines = compare(
        statement,
        {
            (DAY, "claude-sonnet-4-5"): Usage(15, 6, 30, 1, 2),
            (date(2026, 5, 2), "claude-haiku-4-5"): Usage(7, 4),
            (date(2026, 5, 2), "claude-opus-4-5"): Usage(1, 1),
            (date(2026, 5, 2), "claude-3-haiku"): Usage(),
        },
    )

    assert (statement.vendor, statement.first, statement.last) == ("anthropic", DAY, date(2026, 5, 2))
    assert [(line.model, line.verdict) for line in lines] == [
        ("claude-sonnet-4-5", Verdict.MATCHES),
        ("claude-haiku-4-5", Verdict.DIFFERS),
        ("claude-opus-4-5", Verdict.ONLY_HERE),
    ]


def test_openais_cached_tokens_are_a_part_of_its_input() -> None:
    statement = read_statement(OPENAI)

    (match,) = compare(statement, {(DAY, "gpt-5"): Usage(40, 9, 60)})
    (missing,) = compare(statement, {})

    assert (match.verdict, missing.verdict) == (Verdict.MATCHES, Verdict.ONLY_THERE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a known usage export"),
        ("a,b\n1,2\n", "not a known usage export"),
        (ANTHROPIC.replace(",10,1,2", ",ten,1,2"), "in line 2"),
        (ANTHROPIC.splitlines()[0], "has no usage"),
        (ANTHROPIC.replace(",10,1,2", f",{'x' * 200_000},1,2"), "larger than field limit"),
        ("x" * 200_000, "larger than field limit"),
        (ANTHROPIC.replace(",10,1,2", ",1e300,1,2"), "in line 2: 1e300 is not a number of tokens"),
        (ANTHROPIC.replace(",10,1,2", ",NaN,1,2"), "in line 2"),
        (ANTHROPIC.replace(",10,1,2", ",-7,1,2"), "in line 2: -7 is not a number of tokens"),
    ],
)
def test_a_file_that_is_no_export_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_statement(text)
