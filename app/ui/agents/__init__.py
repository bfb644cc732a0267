"""The page of agents: the list of all agents, and the form of one agent."""
