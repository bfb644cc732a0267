"""Tools, their servers, calls and results; which are offered, and who may call them.

Not connections to servers (`app/tools`) and not what an agent may use (`agents`).
"""
