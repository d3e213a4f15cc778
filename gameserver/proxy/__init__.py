"""A fault injector between any client and any server: `gameserver proxy`, and the wire of `gameserver check`.

faults  The faults of a wire, and how they are written
lane    One direction of a connection as a function of time
relay   The relay
trace   The log of a proxy for people
units   Bytes of a conversation as the units that people speak of
"""
