"""A send, from the text of a person to a run that starts: context selection, plan, queue, replays.

Not here: driving the run (`runs/engine`), and sending pairs again (`runs/resend`).
"""
