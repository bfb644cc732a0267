"""Prompts: texts that a person keeps to write with, and the variables in them.

Not system prompts (`agents`, `request`) and not the prompts of MCP servers (`tools`).
"""
