"""The text of a filter line and its syntax tree: words, lexer, parser and formatter. No meaning: see `evaluation`."""
