"""Tool calls in the stream of a reply: assigns their pieces to calls, and puts the calls into sequence."""
