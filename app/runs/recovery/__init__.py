"""Recovery after a crash: runs that no process drives are ended, and open pages send back lost text.

Not here: ordinary ends of runs (`runs/engine`).
"""
