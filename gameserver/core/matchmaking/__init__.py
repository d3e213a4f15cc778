"""How two players meet: seeks, challenges, rooms and tickets, which all end in one matchmaker.

    matchmaker           seats the players of a match and ends their searches
    seeks                anonymous searches, in a queue for each game
    challenges           directed offers, and those to house players
    rooms, room_places, room_reconciler
                         numbered meeting places: their commands, who sits where, and what follows from a row
    tickets              searches over REST; ticket_arrivals, ticket_claims and ticket_matches take them from an id
                         to a seat, and ticket_search finds the opponent
    suggestions          names that are nearly right

What happens inside a match is `core.matches`'s business; tournaments only call on players here.
"""
