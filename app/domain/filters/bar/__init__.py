"""What the filter bar shows and offers: descriptions, warnings, completions, chips, the cheat sheet, rules of commands.

Not its state or components (`app/state/filters`, `app/ui/filters`).
"""
