"""Views of usage and cost, and functions that write figures as text."""
