"""A request in the form that all providers share, and its content hashes.

Not what goes into one (`context`) and not a vendor's wire format (`app/providers`).
"""
