"""The Reflex states, one for each region of the screen.

A state holds the data that the region shows, and its event handlers.

The data includes the texts of the pairs on screen. Its values are frozen dataclasses: a new value is compared with the
old one, and only the differences are sent to the browser (`app/patches`). Every state can be rebuilt from the address
and the database. A handler reads its input, calls one function and copies the result into the vars.
"""
