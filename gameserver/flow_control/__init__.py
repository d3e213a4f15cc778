"""Limits of connections, commands and bytes, so that no client hurts another.

connection_limiter  Limits connections
fair_scheduler      Gives turns to clients that ask for more than can be done at once
limits              Limits on what a connection may ask of the server
rates               Limits how fast a connection's commands are read
"""
