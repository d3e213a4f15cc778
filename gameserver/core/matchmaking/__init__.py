"""Brings two players together: seeks, challenges, rooms and tickets, which meet in one matchmaker and nowhere else.

    matchmaker           pairs players, in whichever way the two look for an opponent
    match_opening        seats the players of a match and ends their searches
    seeks, waiting_list  anonymous searches, and the players in the queue of each game
    challenges           requests to one player, or to the house
    room_commands, room_places, room_reconciler
                         numbered meeting places: their commands, their places, and what follows from a change
    tickets, ticket_booking, ticket_search
                         searches over REST, how one begins, and the opponent for one
    takeover             lets a proven player replace their own live session
    identity_names       names made of identities, which stay with them
    ticket_arrivals, ticket_claims
                         the way of a ticket's owner from an id to a seat
    suggestions          names that are nearly right

`core.matches` carries out matches; tournaments only seat players through `match_opening`.
"""
