"""How two players meet: seeks, challenges, rooms and tickets, which all end in one matchmaker.

    matchmaker           seats the players of a match and ends their searches
    seeks                anonymous searches, in a queue for each game
    challenges           directed offers, and those to house players
    rooms, room_places, room_reconciler
                         numbered meeting places: their commands, who sits where, and what follows from a row
    tickets, ticket_search
                         searches over REST, and the opponent for one
    ticket_arrivals, ticket_claims, ticket_matches
                         the way of a ticket's owner from an id to a seat
    suggestions          names that are nearly right

What happens inside a match is `core.matches`'s business; tournaments only call on players here.
"""
