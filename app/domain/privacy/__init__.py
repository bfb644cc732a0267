"""What is kept from others or told about a person: secrets, redaction, invisible characters, prelude.

Not permissions of tools (`tools`).
"""
