"""What follows a crash: runs that no process drives are ended, and lost text comes back from open pages.

Not ordinary ends of runs (`runs/engine`).
"""
