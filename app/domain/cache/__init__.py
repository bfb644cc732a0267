"""Prompt caching: what a vendor keeps of a request, what the next one will read of that, and where to put breakpoints.

`rules` are the vendors', `prefix` is a request as a cache sees it, `warmth` what is believed to be kept, `pauses` how
likely it is that it will be needed late, `plan` where breakpoints go and what will be read, `misses` why something was
not. All of it is pure; see `runs/request/caches.py`.

Not what was planned for earlier requests (`store/cache`) and not the keep-alive calls themselves (`runs/cache`).
"""
