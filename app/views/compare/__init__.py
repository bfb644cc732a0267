"""The compared replies of a comparison, as the page shows them."""
