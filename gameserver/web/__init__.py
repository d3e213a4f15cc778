"""The pages: who is here, live boards, results, as HTML made by the server, and the same as JSON.

Everything shown comes from `gameserver.public`. There is no build step, nothing is fetched from
outside the machine, and every page works without scripts; a little JavaScript keeps it up to date.
"""
