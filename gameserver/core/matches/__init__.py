"""A match from its first game to its end: moves, clocks, seats that empty and fill again.

    playing              the transition table: moves, resigning, running out of time
    referee              the only caller of game code
    game_start           how each game of a match begins
    match_end            the one way out of a match
    reconnect            the grace period of an empty seat, its player's return, its forfeit
    faults               seats that a bug of ours emptied
    late_answers         answers still owed to a question that the server answered itself
    broadcast            sends each event to the seats that may hear it
    chance               draws that anybody can verify afterwards
    own_match            the queries of a player about their own match

`core.matchmaking` brings players together.
"""
