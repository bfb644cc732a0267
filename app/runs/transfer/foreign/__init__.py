"""Files of other applications: opened, read item by item, and written in Inview's own format.

Not here: what a vendor's fields mean (`app/domain/transfer`), and storing the result (`runs/transfer/imports`).
"""
