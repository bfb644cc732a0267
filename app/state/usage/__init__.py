"""What was spent: the report with its chart, budgets, prices of one's own, the comparison with a provider's bill, and
what the conversation on screen has cost.

Not what single pairs cost: that is part of the transcript.
"""
