"""The filter language: one line says which pairs are visible, and what is visible is what is sent.

    text ──parser──▶ syntax ──saved──▶ syntax ──lowering──▶ condition ──▶ selection (memory) or SQL (in `store`)
                       │  └──description──▶ plain words
                       └──formatter──▶ text

Nothing reads a filter's meaning from its syntax but `lowering`: it looks up names, topics, days and the chosen model
once and leaves a condition, a small tree of comparisons with a pair's columns. Memory and database both ask that
condition, so they can only differ in how they compare, never in what a filter means.

Start reading at `language/predicates.py` (the words of the language), then `language/syntax.py`, `parser/parser.py`,
`conditions/condition.py`, `conditions/lowering.py`. `saved` are filters with names, `bar` is what the filter bar shows.
Standard library only; `now`, the time zone and everything a filter can name arrive as arguments.

Not patterns with `*`, which others need too (`domain/pattern.py`), and not the SQL (`store/index/filter_queries.py`).
"""
