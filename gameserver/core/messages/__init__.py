"""Questions to the lobby and what it tells, as values that protocols, journal and core share.

    commands             everything that can be asked
    ticket_commands, tournament_commands
                         the part of it that is about tickets, and about tournaments
    capabilities         what a protocol can do for its player beyond a match
    events               answers, and what happens in a match
    lobby_events         what happens before one
    rejections           stable codes of refusals, which protocols put into words
    identity             names, and how sure the server is of the person behind one
    quoting              cuts what a player said before it is kept or repeated

Nothing here decides anything or knows a row of the lobby.
"""
