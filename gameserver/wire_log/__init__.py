"""Wire logs: the bytes that players sent and were sent, to settle what a client did.

files              The wire log
owner_access       Decides who may see a player's own page and wire log, and tells all others what to do instead
recording_adapter  An adapter that notes in the wire log what goes through it, and is otherwise the one inside
redaction          Masks secrets and tokens in the bytes of a connection, which must not get into a log
"""
