"""Commands for a pair or a request that was already sent: resend, edit, fork, compare, verify.

Not here: a first send (`runs/send`).
"""
