"""A fault injector between any client and any server: `gameserver proxy`, and the wire of `gameserver check`.

faults          the faults of one direction, and the words for them
measures        durations and rates as people write them
lane            one direction as a function of time: what goes in comes out late, cut, joined
units           bytes to lines, WebSocket messages and HTTP
crossings       values: bytes that passed, and what else happened
streams         sockets that are reset, prompt, or have little room
connection      one client's connection and the one to the server
relay           accepts clients, and does to their connections what faults say
wire_trace      the log for people, line by line
tally           the summary at the end
"""
