"""Limits of connections, commands and bytes, so that no client hurts another.

limits               every limit, as a setting
connection_limiter   how many connections there may be: in all, of an address, new ones a second
eviction             which idle connection gives way to a newcomer
rate_limiter         commands a second of one connection
token_bucket         the arithmetic of that
fair_scheduler       whose turn it is among those that flood the loop, and the gate during commits
shares               the one table: how long each kind of work may take in a row, and how long it rests
timers               calls at a later time
"""
