"""Names and secrets: decides which players may come in under which names.

roster               names bound to secrets
roster_file          reads the table that binds them
shared_roster        the same table in a database, for all halls
own_links            links to what is a player's alone
roll_call            who of the roster is here, missing, or here under nearly their name
similar_names        finds the name that somebody may have meant
secret_throttle      limits a connection's wrong secrets, and keeps the names under attack
secret_queue         checks secrets at a fixed rate for each name, in turn between those who try
lookalikes           names outside ASCII that look like another name
unicode_names        the Unicode tables behind lookalikes, imported when they are needed
"""
