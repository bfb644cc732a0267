"""The page: its look, its components and its addresses, written in Python, with the JavaScript they need beside them.

Not its behaviour (`app.state`) and no knowledge of stores, runs or providers.
"""
