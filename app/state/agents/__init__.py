"""Agents: the choice of an agent in the composer, the list on the page of agents, and the form of an agent."""
