"""Tool calls in the stream of a reply: their pieces are assigned, and the calls are put into sequence."""
