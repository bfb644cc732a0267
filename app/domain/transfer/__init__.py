"""Records of pairs for export, import and copies.

Not here: the files (`runs/transfer`) and the queries (`store/transfer`).
"""
