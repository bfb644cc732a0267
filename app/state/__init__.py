"""The Reflex states, one for each region of the screen: the data that the region shows, and the commands of a person.

The data includes the texts of the visible pairs: values are frozen, so that only differences are sent (`app/patches`).
Every state can be rebuilt from the address and the database. Handlers read input, call one function, copy the result.
"""
