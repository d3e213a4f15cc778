"""What players sent and were sent, byte by byte, to settle what a client did.

files                one file a player
recording_adapter    an adapter around another one that notes its bytes
redaction            masks secrets
owner_access         players who read their own log
"""
