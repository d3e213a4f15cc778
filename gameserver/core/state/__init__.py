"""The lobby's frozen rows, and the draft through which a decision reads and writes them.

    lobby                the root value: sessions, players, challenges, queues and the tables below
    draft                the lobby while one command is decided, and the decision that comes of it
    follow_ups           what follows from a decision by itself, as values
    match                a match: seats, clock, games, result
    room                 a numbered meeting place of two players
    ticket, ticket_ids, ticket_lookup
                         a search over REST, the ids by which its player knows a match, and the way back from one
    tournament           a tournament as a row, and the players whom it reserves

A row knows what it holds and what follows from that alone. Rules about several rows belong to the packages above.
"""
