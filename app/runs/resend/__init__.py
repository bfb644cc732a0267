"""What is done with a pair or a request that was sent before: again, edited, forked, compared, verified.

Not a first send (`runs/send`).
"""
