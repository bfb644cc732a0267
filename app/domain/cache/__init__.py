"""Prompt caching: what a vendor caches of a request, what the next request will read, and where breakpoints go.

`rules` are the vendors' rules, `prefix` is a request as a cache sees it, `warmth` is what is probably cached, `pauses`
is the probability that it is needed late, `plan` places breakpoints and predicts the read, `misses` explains why
something was not read. All of it is pure; see `runs/request/caches.py`.

Not here: the plans of earlier requests (`store/cache`) and the keep-alive calls (`runs/cache`).
"""
