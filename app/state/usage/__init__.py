"""Usage and costs: the report with its chart, budgets, the user's own prices, and the comparison with a provider's
bill.

The cost of the conversation on screen is here too. The cost of a single pair is part of the transcript.
"""
