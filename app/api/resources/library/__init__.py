"""Routes of what a person keeps and sets: agents, prompts, topics, filters, preferences, models, trash.

Not tools and their servers (`tools`).
"""
