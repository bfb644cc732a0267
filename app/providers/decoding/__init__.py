"""What the adapters share to decode an answer: server-sent events, JSON values, tool calls, token counts.

Not here: what is particular to one protocol (`protocols`).
"""
