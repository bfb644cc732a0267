"""Pictures and PDFs from outside, each read in a process of its own that is killed after a time limit.

`pictures.py` and `documents.py` start and end these processes; `picture_worker.py` and `pdf_worker.py` run in them.
"""
