"""The lobby as a function: frozen values, command in, changes and events out; no clock, chance or socket.

decide               one command upon a lobby: the table of handlers
consequences         what follows from a decision by itself
long_moves           spells long moves short before they are journaled
messages             what is asked and told
state                frozen rows, and the draft of a decision
matches              a match from its first game to its end
matchmaking          how two players meet
organizer            plays tournaments
sessions             the players who are here, and what a teacher or a restart does to them

A match from its first game to its end: moves, clocks, seats that empty and fill again.

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

Brings two players together: seeks, challenges, rooms and tickets, which meet in one matchmaker and nowhere else.

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

Questions to the lobby and what it tells, as values that protocols, journal and core share.

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

Plays tournaments: turns acts into transitions of a tournament, and its pairings into matches.

    conduct              creates tournaments and carries out the acts of teachers and of time
    scheduling           begins the matches of pairings and reports their results
    availability         which entrants can be seated now
    terms                the terms of a tournament's matches

`gameserver.tournaments` defines tournaments and their pairings, and knows no lobby.

The players who are here: coming, going, talking, and what a teacher or a restart does to all of them.

login                entering under a name, and leaving
blocking             finds the player in the way of a newcomer
restart              carries the lobby of the last run over a start
admin                kick, drain, look at everything
chat, directory      messages, lists of players and games

The lobby's frozen rows, and the draft through which a decision reads and writes them.

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
