"""Tournaments as values: pairings, results, standings. Nothing here touches a socket, a clock or a source of chance.

plan           what is fixed when a tournament is created, and its JSON
presets        plans by name, for one line on a command line
model          a tournament as it is, and everything that can happen to it
stages         the groups of each of several stages, as tournaments by themselves
history        who met whom so far; lots that can be checked
round_robin    everybody meets everybody: round robins and gauntlets
knockout       the tree, and the names of its rounds
standings      points, tie-breaks and places; the crosstable
swiss          Swiss, and the best matching of its players
teams          team mates kept apart, team standings, and matches of teams
planner        what is to be played next, in every format
transitions    an act makes the next state
act_table      which act is possible when, and what does it
progress       how long it still takes, and what is still at stake
forecast       when it will end, as an interval
view           what everybody may see
podium         the first places
losses         what a destructive act costs, in sentences
csv_text       CSV for spreadsheets of any country
files          files to take home: FIDE's report, CSV
season         points by place over several tournaments, with grades and teams

The cycle is the same for every format:

    act = planner.next_pairings(tournament, free, ...)  pure, may be heavy: computed outside the lobby's loop
    tournament = apply(tournament, act)                 cheap: the act is journaled with the pairings in it
    for pairing in startable(tournament, free): ...     the lobby opens a match and says `Begin`
    tournament = apply(tournament, Report(...))         its end comes back as a result

So a replay of the acts gives the same tournament even where a new version of a library would pair differently.
Standings, tie-breaks and crosstables are worked out from the state when they are asked for, and kept nowhere. A module
imports only those that stand above it.
"""
