"""The web pages: players, live boards and results, as HTML made by the server, and the same as JSON.

application           `/metrics`, for Prometheus
bracket               The drawing of a knockout's tree
errors                Errors of pages as pages of their own, for people
halls                 The page of all halls
live_pages            Pages that keep themselves up to date
lobby                 The page of the lobby
made_once             Compression for many viewers
match                 The page of a match
own                   A player's own page
records               Pages of the records
responses             Style sheets, scripts and the icon
teacher_application   The teacher's pages as one application for the admin listener
teacher_confirmation  The page that asks again before an act upon the lobby
teacher_forms         Turns the teacher's form fields into admin requests, and keeps what was typed when one
                      is refused
teacher_pages         The page of one tournament
templating            Pictures as SVG
tournament            The page of a tournament, made for a projector
tournament_list       The list of tournaments, all of them or a player's

All data comes from `gameserver.read_model`. There is no build step, nothing is fetched from another
machine, and every page works without scripts. A little JavaScript keeps it up to date.

The teacher's pages on the admin listener: its requests as forms that work without scripts.

The public pages, one module each.

Pages render values of the read model and change nothing.

Tools that public and admin pages share.

No module here knows a particular page.
"""
