"""Routes of agents, topics, filters, preferences, models and the trash.

Routes of tools and their servers are in `tools`.
"""
