"""A send, from the text of a person to the start of a run: context selection, plan, queue, replays.

Not here: driving the run (`runs/engine`), and sending pairs again (`runs/resend`).
"""
