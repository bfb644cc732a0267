"""Agents: a name with a system prompt, a model and tools; and work that one hands to another.

Not tools (`tools`) and not preferences (`preferences.py`).
"""
