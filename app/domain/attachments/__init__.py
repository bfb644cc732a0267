"""Attachments and uploads: the images and files of messages, and those that are not sent yet.

Not here: the bytes of a request (`runs/request/attachments.py`) and the conversion of pictures (`app/media`).
"""
