"""What is asked of the lobby and what it tells, as values: what protocols, journal and core share.

    commands             everything that can be asked; part of them stand in ticket_commands, tournament_commands
    events               answers, and what happens in a match; lobby_events has what happens before one
    rejections           stable codes of refusals, which protocols put into words
    identity             names, and how sure the server is of the person behind one
    quoting              cuts what a player said before it is kept or repeated

Nothing here decides anything or knows a row of the lobby.
"""
