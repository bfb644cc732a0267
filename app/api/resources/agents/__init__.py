"""Routes of agents.

Routes of their tools are in `tools`.
"""
