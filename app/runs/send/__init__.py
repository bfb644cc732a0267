"""A send, from the text of a person to a run that starts: context selection, plan, queue, replays.

Not what drives the run (`runs/engine`), and not pairs that were sent before (`runs/resend`).
"""
