"""Commands for a pair or a request that was already sent: resend, edit, restore, verify.

Not here: a first send (`runs/send`).
"""
