"""The states for usage and costs: the report with its chart, budgets, the user's own prices, the comparison with a
provider's bill, and the cost of the conversation on screen.

The cost of a single pair is part of the transcript.
"""
