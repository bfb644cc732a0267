"""Commands for topics.

Not here: the topic of a pair, which is a mark (`runs/conversation`).
"""
