"""Usage and costs: the report with its chart, budgets, the user's own prices, the check against a provider's bill.

The cost of the conversation on screen is here too. The cost of a single pair is part of the transcript.
"""
