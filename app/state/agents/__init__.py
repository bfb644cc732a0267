"""Agents: the choice of one in the composer, the list on the page of agents, and the form of one."""
