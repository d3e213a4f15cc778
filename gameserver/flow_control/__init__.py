"""Limits of connections, commands and bytes, so that no client hurts another.

limits               every limit, as a setting
connection_limiter   limits connections: in all, of one address, new ones a second
eviction             finds the idle connection that gives way to a newcomer
trusted_proxies      the addresses of proxies that say whose connection they pass on
rate_limiter         limits the commands a second of one connection
token_bucket         the arithmetic of rates and bursts
fair_scheduler       turns for work that floods the loop, and the gate during commits
shares               the table of slices and rests, a line for each kind of work
timers               calls at a later time
"""
