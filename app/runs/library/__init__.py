"""Commands for a user's data and settings: agents, topics, marks, preferences, providers.

Not here: filters (`runs/filters`), the trash (`runs/trash`), and calls of a provider for a reply.
"""
