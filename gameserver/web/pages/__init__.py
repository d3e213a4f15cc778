"""The public pages, one module each.

    application          the routes
    lobby                who is here, what is open, what is played
    match                a match, live or on record
    tournament           standings and boards, for a projector
    archive              finished matches, and a player's results
    metrics              figures for Prometheus
    own_wire_log         a player's own wire log

Pages render values of the read model and change nothing.
"""
