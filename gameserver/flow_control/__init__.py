"""Limits of connections, commands and bytes, so that no client hurts another.

connection_limiter  who may connect, and who gives way
fair_scheduler      turns, slices of the event loop, calls at a later time
limits              the settings of all limits
rates               how fast a connection's commands are read
"""
