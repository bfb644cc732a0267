"""Agents, each with a name, a system prompt, a model and tools; and tasks that one agent delegates to another.

Not here: tools (`tools`) and preferences (`settings`).
"""
