"""What is made of pairs to find and measure them: words, sizes, full text, filters as SQL.

Not the pairs themselves (`conversation`).
"""
