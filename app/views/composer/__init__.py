"""Values of the message box on the page: the context and the parameters of the next send, and lists to choose from."""
