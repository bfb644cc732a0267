"""Topics: table and queries. The topic of a pair is a column of the pair (`conversation`)."""
