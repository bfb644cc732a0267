"""Backups: a consistent copy of the database and what opens its secrets, in one checked and optionally encrypted file.

Not exports of conversations (`app/runs/transfer`), which hold what a person wrote, and not the commands themselves
(`app/cli`).
"""
