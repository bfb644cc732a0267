"""JSON to read, limits for drawn texts, and text areas."""
