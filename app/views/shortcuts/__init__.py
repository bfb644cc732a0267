"""The keys of the page with their actions, and the rules for a person who changes them."""
