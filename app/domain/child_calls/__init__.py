"""Child calls: requests to a model for the title or the summary of a conversation.

Not here: the child conversations that hold these calls (`app/runs/child_calls`).
"""
