"""Summaries: the instruction to the model that writes a summary. `runs/child_calls/summaries.py` makes the call."""

from __future__ import annotations

INSTRUCTION = """\
Summarise the conversation above so that it can be continued from your summary alone. Keep every decision and its \
reason, open questions, names, numbers, file names and code that later work depends on. Write in the language of the \
conversation, without greeting or comment: the summary only."""
