"""What the process counts and times of its own work: calls, replies, waits and the event loop.

Not what is kept: the ledger says for ever what was used (`store/ledger`); these figures begin anew with the process.
"""
