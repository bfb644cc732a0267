"""Checks JSON schemas of users, programs and servers, and values against them.

A check of a schema can take unlimited time, so it runs in a process that can be killed.
"""
