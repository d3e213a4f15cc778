"""A fault injector between any client and any server: `gameserver proxy`, and the wire of `gameserver check`.

faults  the faults of a wire, and how they are written
lane    one direction of a connection as a function of time
relay   connections through the proxy, and what happens to them
trace   the log of a proxy for people
units   bytes of a conversation as the units that people speak of
"""
