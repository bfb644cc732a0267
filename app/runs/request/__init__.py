"""Builds from stored data the request that would be sent: pairs, sizes, attachments, cache plan, bytes.

Not here: commands, and code that uses the app context, because `app_context.py` imports this package. The pairs in view
are selected in `runs/send`.
"""
