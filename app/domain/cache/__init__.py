"""Prompt caching: the cached part of a request, the predicted read of the next request, and the places of breakpoints.

`rules` are the vendors' rules. `prefix` is a request as a cache sees it. `warmth` is what is probably cached now.
`pauses` estimates whether the prefix will be needed again only after a pause. `plan` places breakpoints and predicts
the next read. `misses` explains why a prefix was not read. All of it is pure; `runs/request/caches.py` uses it.

Not here: the plans of earlier requests (`store/cache`) and the keep-alive calls (`runs/cache`).
"""
