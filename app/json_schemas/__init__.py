"""JSON schemas that somebody else wrote: whether one can be used, and whether a value fits it.

A schema may ask for more work than anybody has time for, so all of it is done in a process that can be killed.
"""
