"""The data that the screen shows, one Reflex state per region of the screen, and the commands that a person can give
there.

The data includes the texts of the visible pairs: values are frozen, so that only differences are sent (`app/patches`).
Every state can be rebuilt from the address and the database. Handlers read input, call one function, copy the result.
"""
