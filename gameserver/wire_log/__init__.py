"""Wire logs: the bytes that players sent and were sent, to settle what a client did.

files              Writes and reads the files, one for each player
owner_access       Lets players at their own page and wire log, by the roster's secret or by a link
recording_adapter  An adapter that notes in the wire log what goes through it, and is otherwise the one inside
redaction          Masks secrets and tokens in the bytes of a connection, which must not get into a log
"""
