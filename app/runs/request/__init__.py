"""The request that would be sent, built from stored data: its pairs, sizes, attachments, cache plan and bytes.

Not here: commands, and code that uses the app context, because `app_context.py` imports this package. The pairs in view
are selected in `runs/send`.
"""
