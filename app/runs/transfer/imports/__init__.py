"""What arrives: a file is kept and described (`staging.py`, `job.py`), checked, and stored in slices (`storing.py`).

Not here: files of other applications before they are in Inview's own format (`runs/transfer/foreign`).
"""
