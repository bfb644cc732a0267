"""The settings of a person for all conversations.

Not here: parameters of a conversation (`domain/conversation`) and environment variables (`app/config`).
"""
