"""What the message box on the page shows: the context and the parameters of the next send, and lists to choose from."""
