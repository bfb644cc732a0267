"""A request in the form that all providers share, and its content hashes.

Not here: the content of a request (`context`) and a vendor's wire format (`app/providers`).
"""
