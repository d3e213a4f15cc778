"""The teacher's pages on the admin listener: what its requests do, as forms that work without scripts.

application          the routes
overview             the page of the whole server
tournament           the page of one tournament
lookup               a finished match, and a player with the wire log
forms                form fields into admin requests
layout               what these pages share
"""
