"""The web pages: players, live boards and results, as HTML made by the server, and the same as JSON.

All data comes from `gameserver.read_model`. There is no build step, nothing is fetched from another
machine, and every page works without scripts. A little JavaScript keeps it up to date.

    pages                the public pages
    admin_pages          the teacher's pages, on the admin listener
    ui                   tools of both kinds of pages

The teacher's pages on the admin listener: its requests as forms that work without scripts.

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

The public pages, one module each.

    application          the routes
    lobby                players, open offers, live matches
    match                a match, live or on record
    tournament_list      all tournaments, with dates and winners
    tournament           standings and boards, for a projector
    arena                the parts of it that only an arena has
    bottleneck           the players for whom everybody waits
    standings_layout     the standings in columns and pages, on a projector
    bracket              the drawing of a knockout's tree
    bracket_places       its columns and rows
    podium               the end of a tournament, for the prize-giving
    play                 the page to play on
    archive              finished matches, and a player's page
    player_results       a player's results in all halls
    halls                all halls, and the records of the others
    missing              the error of a page about what is not there
    error_pages          errors as pages, for people
    across_halls         matches of all halls in one list
    player_figures       a player's results at each game
    rating_graph         the drawing of a rating's course
    metrics              figures for Prometheus
    own_page             a player's own page
    own_file             everything on it as one file
    own_wire_log         a player's own wire log
    owner                the person behind a request for either
    rehearsals           scenarios that would have caught a loss
    think_graph          think times as a drawing

Pages render values of the read model and change nothing.

Tools that public and admin pages share.

    templating           Jinja's templates, escaping always on
    place                the hall that a page is about
    assets               style sheets, scripts, the icon
    security_headers     headers that restrict what a page may do
    svg                  pictures of boards
    phrases              sentences for people
    json_views           values of the read model as JSON
    live_pages, server_sent_events
                         pages that keep themselves up to date, and their streams
    single_flight        a page made once for all who ask at the same time
    rendered_once        markup kept until what it shows changes
    shared_compression   what is sent to many viewers, compressed once

No module here knows a particular page.
"""
