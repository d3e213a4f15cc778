"""The lobby as a function: frozen values, command in, changes and events out; no clock, chance or socket.

broadcast      Events of a match that several handlers send in the same way, each to the seats that may hear it
challenges     Challenges
commands       Requests to the lobby
decide         The lobby as a function
draft          The lobby while one command is decided, and the decision that comes of it
events         Output of the lobby
identity       The names that a player may have, and how sure the server is of the person behind one
late_answers   Keeps account of answers that are still owed after a turn ended without one
lobby          The lobby as a value
match          A match as a value
match_course   Ends a match, whatever the reason
matchmaker     Pairs players, in whichever way the two look for an opponent
newcomers      Replaces a player's live session by a new one that has proven to be the same player's
organizer      Plays a tournament in the lobby
places         Keeps the places of players in rooms
playing        The transition table of a match
referee        The only caller of game code in the core
rooms          The commands in a room
seats          Empty seats
sessions       Lets players in and out
ticket_search  Pairs tickets
tickets        Tickets

A match from its first game to its end: moves, clocks, seats that empty and fill again.

`core.matchmaking` brings players together.

Brings two players together: seeks, challenges, rooms and tickets, which meet in one matchmaker and nowhere else.

`core.matches` carries out matches; tournaments only seat players through `match_opening`.

Questions to the lobby and what it tells, as values that protocols, journal and core share.

Nothing here decides anything or knows a row of the lobby.

Plays tournaments: turns acts into transitions of a tournament, and its pairings into matches.

`gameserver.tournaments` defines tournaments and their pairings, and knows no lobby.

The players who are here: coming, going, talking, and what a teacher or a restart does to all of them.

The lobby's frozen rows, and the draft through which a decision reads and writes them.

A row knows what it holds and what follows from that alone. Rules about several rows belong to the packages above.
"""
