/** The cheat sheet of the filter language. Generated from `app/domain/filters` by `make docs`. */
export const SHEET = [
 {
  "title": "Predicates",
  "heads": [
   "short",
   "long",
   "argument",
   "selects pairs that"
  ],
  "rows": [
   [
    "`t`",
    "`topic`",
    "name, path or pattern; none; N ≥ 1",
    "are filed under the topic; without an argument under the chosen one; with N are the last N under it"
   ],
   [
    "`s`",
    "`stars`",
    "comparison with 0 to 3",
    "have that star rating"
   ],
   [
    "`r`",
    "`recent`",
    "N ≥ 1",
    "are among the last N of the whole conversation, whatever else is filtered"
   ],
   [
    "`b`",
    "`flagged`",
    "",
    "carry the flag"
   ],
   [
    "`g`",
    "`unflagged`",
    "",
    "do not carry the flag"
   ],
   [
    "`in`",
    "`in`",
    "",
    "carry the include mark"
   ],
   [
    "`out`",
    "`out`",
    "",
    "carry the exclude mark"
   ],
   [
    "`m`",
    "`model`",
    "pattern; none",
    "were answered by a model of that name; without an argument by the model now chosen"
   ],
   [
    "`d`",
    "`date`",
    "comparison with an age (min h d w mo y) or a day",
    "were first sent then"
   ],
   [
    "`c`",
    "`text`",
    "pattern",
    "contain it in the request or the reply"
   ],
   [
    "`i`",
    "`images`",
    "",
    "have an image or a file"
   ],
   [
    "`e`",
    "`errors`",
    "",
    "ended in an error or carry one"
   ],
   [
    "`k`",
    "`tool`",
    "pattern; none",
    "called a tool of that name; without an argument any tool"
   ],
   [
    "`u`",
    "`tokens`",
    "comparison with N ≥ 0",
    "cost that many tokens in the present estimate"
   ],
   [
    "`a`",
    "`agent`",
    "pattern; none",
    "were answered under that agent; without an argument under the agent now chosen"
   ],
   [
    "`o`",
    "`context`",
    "none; N ≥ 0",
    "the context boundary keeps; with N also the newest N that it leaves out"
   ]
  ]
 },
 {
  "title": "Operators",
  "heads": [
   "typed",
   "means"
  ],
  "rows": [
   [
    "`!`",
    "not"
   ],
   [
    "`&`, or nothing at all",
    "and: `s2r3`, `s2 r3` and `s2 & r3` are the same"
   ],
   [
    "`|` or `+`",
    "or"
   ],
   [
    "`( )`",
    "what belongs together; otherwise `!` goes before `&`, and `&` before `|`"
   ],
   [
    "`@name`",
    "the filter saved under that name"
   ],
   [
    "`:command`",
    "does something with what the filter before it selects"
   ]
  ]
 },
 {
  "title": "Values",
  "heads": [
   "typed",
   "means"
  ],
  "rows": [
   [
    "`'text'` or `\"text\"`",
    "text; `\\'` `\\\"` `\\\\` `\\n` `\\t` `\\r` are escapes, `\\` keeps any other sign as is"
   ],
   [
    "`*` in quotes",
    "any run of characters; a star itself is `\\*`. Case does not matter"
   ],
   [
    "`=` `<` `<=` `>` `>=`",
    "comparisons; none means `=`, and `<=` for an age"
   ],
   [
    "`7d`",
    "an age, in `min` `h` `d` `w` `mo` (30 days) `y` (365 days); without a unit in days"
   ],
   [
    "`2025-01-31` or `25-01-31`",
    "a day in your time zone; `<` before it starts, `<=` up to its end"
   ]
  ]
 },
 {
  "title": "Topics",
  "heads": [
   "typed",
   "means"
  ],
  "rows": [
   [
    "`t'AI'`",
    "every topic of that name, without what is below"
   ],
   [
    "`t'AI > Planning'`",
    "by path from the root, or by as much of its end as is clear; `\\>` is no step"
   ],
   [
    "`t'AI...'`",
    "with all that is below"
   ],
   [
    "`t'*Learning'`",
    "names by pattern"
   ],
   [
    "`t`",
    "the topic now chosen in the composer, without what is below"
   ],
   [
    "`t10`",
    "the last 10 pairs of the chosen topic and all below it; `t'10'` is a topic called 10"
   ]
  ]
 },
 {
  "title": "Boundary",
  "heads": [
   "typed",
   "means"
  ],
  "rows": [
   [
    "`o`",
    "what the context boundary keeps of what the filter selects with every `o` left out"
   ],
   [
    "`o5`",
    "that, and the newest 5 that it leaves out; they are shown, and marked OUT, and not sent"
   ],
   [
    "`!o`",
    "what it leaves out"
   ]
  ]
 },
 {
  "title": "Examples",
  "heads": [
   "typed",
   "selects"
  ],
  "rows": [
   [
    "nothing",
    "all pairs"
   ],
   [
    "`t'AI...' s>=2`",
    "pairs under AI and below, with 2 or more stars"
   ],
   [
    "`s2r3`",
    "pairs with 2 stars, among the last 3"
   ],
   [
    "`(b | s3) d<1mo`",
    "pairs either flagged or with 3 stars, less than 1 month old"
   ],
   [
    "`m'claude*' !e`",
    "pairs answered by claude*, without an error"
   ],
   [
    "`t'AI...' o | r3`",
    "pairs under AI and below, within the context boundary; or among the last 3"
   ],
   [
    "`!out o5`",
    "pairs not marked out, within the context boundary or at most 5 beyond it"
   ],
   [
    "`c'mad*d' !k`",
    "pairs containing \"mad\" and then \"d\", that did not call a tool"
   ],
   [
    "`t'*Neural*...' | i`",
    "pairs under *Neural* and below, or with an image or file"
   ]
  ]
 },
 {
  "title": "Commands",
  "heads": [
   "typed",
   "does",
   "example"
  ],
  "rows": [
   [
    "`:export [json|md|html] [--filename=name] [--order=time|topic]`",
    "writes the selection to a file",
    "`s>=2 :export md --filename 'best of' --order topic`"
   ],
   [
    "`:topic ['path']`",
    "files the selection under a topic, the chosen one if none is given",
    "`c'budget' :topic 'Work > Money'`"
   ],
   [
    "`:star N`",
    "gives stars",
    "`r1 :star 3`"
   ],
   [
    "`:flag`",
    "sets the flag",
    "`e :flag`"
   ],
   [
    "`:unflag`",
    "takes the flag off",
    "`b :unflag`"
   ],
   [
    "`:in`",
    "sets the include mark",
    "`t'AI...' :in`"
   ],
   [
    "`:out`",
    "sets the exclude mark",
    "`e :out`"
   ],
   [
    "`:delete [--force]`",
    "deletes the selection, after asking; not by r, o, t or tN alone, whose meaning shifts as pairs vanish",
    "`e d>1mo :delete --dry-run`"
   ],
   [
    "`:fork`",
    "starts a new conversation from the selection",
    "`o :fork`"
   ],
   [
    "any of them with `--dry-run`",
    "says what would happen, and changes nothing",
    "`e :delete --dry-run`"
   ]
  ]
 }
];
