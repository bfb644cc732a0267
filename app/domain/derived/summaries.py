"""Summaries: the request that asks a model for one. `runs/derived/summaries.py` decides what becomes of it."""

from __future__ import annotations

INSTRUCTION = """\
Summarise the conversation above so that it can be continued from your summary alone. Keep every decision and its \
reason, open questions, names, numbers, file names and code that later work depends on. Write in the language of the \
conversation, without greeting or comment: the summary only."""
