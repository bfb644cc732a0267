"""What the screen shows, one Reflex state per region of it, and the commands a person can give there.

The texts of the visible pairs are among it: values are frozen, so that only differences travel (`app/patches`). Every
state can be made again from the address and the database. Handlers read input, call one function, copy the result.
"""
