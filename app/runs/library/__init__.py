"""Commands for a user's data and settings: agents, topics, marks, preferences, providers, trash.

Not here: filters (`runs/filters`), and calls of a provider for a reply.
"""
