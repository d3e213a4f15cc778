"""In the tests values are really frozen: what changes one fails, as it would pass unseen in a server."""

from gameserver import values

values.freeze()
