"""From stored data to the request that would be sent: pairs, sizes, attachments, cache plan, bytes.

Not here: commands, and code that uses the app context, because these modules are parts of it. The pairs in view are
selected in `runs/send`.
"""
