"""Tournaments as values: pairings, results, standings.

Nothing here touches a socket, a clock or a source of chance.

The cycle is the same for every format:

    act = next_pairings(tournament, free, now_ms)       pure, may be heavy: computed outside the lobby's loop
    tournament = apply(tournament, act)                 cheap: the act is journaled with the pairings in it
    for pairing in startable(tournament, free): ...     the lobby opens a match and says `Begin`
    tournament = apply(tournament, Report(...))         its end comes back as a result

So a replay of the acts gives the same tournament even where a new version of a library would pair differently.
Standings, tie-breaks and crosstables are worked out from the state when they are asked for, and kept nowhere.

    plan, presets        a tournament before anybody entered, and plans by name
    plan_json            plans in JSON, for journals and records
    model, acts          a tournament as it is, and everything that can happen to it
    formats              opponents by the plan: round robin, gauntlet, knockout
    scoring              points, tie-breaks, standings, crosstable
    pairing              opponents by results: Swiss, arena; and the planner for all formats
    lifecycle            the table of acts: when each is possible, and what it does
    output               views, CSV, FIDE's report

A subpackage imports only those named above it; `output` does without pairing and lifecycle.

Formats whose opponents follow from the plan alone: who plays whom is fixed at the start or by the tree.

round_robin          everybody against everybody, and gauntlets
berger               the schedule of rounds of a round robin
knockout             the tree, single or double
lots                 verifiable draws of lots
history              an index of the pairings so far

Acts upon a tournament: each a pure function from one state to the next.

act_table            the table of acts, and `apply`
act_spec             the rows of that table
entrants             entering, the draw, leaving, being put out
results              pairings and their results
course               pause, resume, finish, cancel, the end of an arena's time

A tournament as it is shown and saved. Nothing else in `gameserver.tournaments` imports this.

view                 what pages and commands show of it
arena                an arena's time, and the players who win game after game
podium               the first three places, with the best of each player
places               the final places, for lists and players' pages
podium_race          whose place on the podium is at risk, and who is out of a knockout
progress             how far it is, and how long it will go on
longest_chain        the player who has the most left to play
losses               what a destructive act takes away, in sentences
shared_dice          whether a pair had the same dice, and what that gives away
result_lines         every result that counts, with or without a game
round_names          the names of rounds, as a bracket has them
csv_files            standings, crosstable, results and grades as CSV
csv_text             CSV that spreadsheets of several countries read
trf                  FIDE's report

Pairings to come: formats that choose opponents by results, and the planner for all formats.

planner              next_pairings, for every format; remembers what has not changed since it was asked
swiss, arena         opponents with about as many points
matching             maximum-weight matching, under Swiss

Points for results, and what is worked out of them: tie-breaks, standings, crosstable.

scores               points, once the plan's rules for players who are out have been applied
tie_breaks           what separates players who are level
standings            who stands where, and why
crosstable           everybody against everybody
"""
