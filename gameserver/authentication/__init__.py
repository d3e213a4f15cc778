"""Names and secrets: decides which players may come in under which names.

names          Judges newcomers' names by the names that they look like, and calls the roll
roster         The roster, which binds names to secrets, and the throttle of wrong secrets
secret_queue   Checks secrets at a fixed rate for each name, however many connections guess
unicode_names  Judges the letters of a name by Unicode's tables
"""
