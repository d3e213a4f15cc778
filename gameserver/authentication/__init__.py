"""Names and secrets: decides which players may come in under which names.

names          Judges names outside ASCII
roster         The roster
secret_queue   Checks secrets at a fixed rate for each name, however many connections guess
unicode_names  Judges the letters of a name by Unicode's tables
"""
