"""Privacy: secrets, redaction, invisible characters, and the text about a person (prelude).

Not here: permissions of tools (`tools`).
"""
