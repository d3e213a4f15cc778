"""Wire logs: the bytes that players sent and were sent, to settle what a client did.

files                one file a player
passing_adapter      an adapter around another one
recording_adapter    an adapter around another one that notes its bytes
redaction            masks secrets
reading              lines back from a file, with what went wrong in them
owner_access         players who read what is theirs alone
"""
