"""The page of agents: the list, and the form of one."""
