"""Who may use an installation that others can reach: persons with their roles, and what they type to sign in.

Not whose a conversation is (each row names its owner), nor how a password is hashed (`runs/people`).
"""
