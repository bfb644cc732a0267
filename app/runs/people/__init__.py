"""Who is signed in: sessions, passwords, one-time links, and the end of what a revoked session has open.

Not whose a row is: commands and queries ask for the owner.
"""
