"""The text of a filter line and its syntax tree: words, lexer, parser and formatter. The meaning is in `evaluation`."""
