"""Commands on what a person keeps and sets: agents, prompts, topics, marks, preferences, providers, trash.

Not filters (`runs/filters`), and nothing that calls a provider for a reply.
"""
