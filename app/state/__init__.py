"""What the screen shows, one Reflex state per region of it, and the commands a person can give there.

Not what is said in a conversation: pairs come to the browser over the live socket and never enter a state. Every state
can be made anew from the address and the database. Handlers read input, call one function, copy the result.
"""
