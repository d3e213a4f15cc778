"""The teacher's pages on the admin listener: its requests as forms that work without scripts.

application          the routes
overview             the page of the whole server
roster               who of the roster is here, missing, or here under nearly their name
tournament           the page of one tournament
troubles             what is wrong right now, with what can be done
who_is_here          the players of a tournament who are here, and who could be added
lookup               a finished match, and a player with the wire log
forms                form fields into admin requests
act_forms            the forms for acts upon a tournament, out of their table
confirmation         the page that asks again before a destructive act upon a tournament
lobby_confirmation   the same before a connection, a match or the server ends
layout               what these pages share
"""
