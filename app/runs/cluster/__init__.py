"""Several processes on one database: what they tell and ask each other through Redis.

Here: the connection to Redis, events of conversations, replies that another process receives, requests to that process.
Not here: what each of them stores, which is in the database alone. A process without Redis has none of this.
"""
