"""The filter language: one line selects the pairs in view, and the pairs in view are sent.

    text ──parser──▶ syntax ──saved──▶ syntax ──lowering──▶ condition ──▶ selection (memory) or SQL (in `store`)
                       │  └──sentence──▶ plain words
                       └──formatter──▶ text

Only `lowering` interprets the syntax of a filter. It looks up names, topics, days and the chosen model once and returns
a condition: a small tree of comparisons with a pair's columns. That condition is evaluated both in memory and in the
database, so a filter has the same meaning in both.

Start reading at `language/predicates.py` (the words of the language), then `syntax.py` and `parser.py`; in `evaluation`
follow `condition.py` and `lowering.py`. The code uses only the standard library. The current time, the time zone and
all names are arguments.

Not here: patterns with `*`, which other packages use too (`domain/text/pattern.py`), and SQL
(`store/filters/filter_queries.py`).
"""
