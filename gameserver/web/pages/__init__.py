"""The public pages, one module each.

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
"""
