"""Tournaments as values: pairings, results, standings.

act_table    The life of a tournament as a table
csv_text     CSV for spreadsheets
files        The tournament report file that FIDE and its pairing programs read (TRF16, with the XXR and XXS lines
             of TRFx)
history      Index of the pairings so far, because each new pairing needs all of them
knockout     Knockouts
losses       Describes the losses of a destructive act, in sentences for the person who is about to carry it out
model        A tournament as it is
plan         Plan of a tournament
planner      Works out what is to be played next, in every format
podium       The podium of a tournament
presets      Tournaments by name, for one line on a command line
progress     The time that a tournament still takes, by the longest chain of games and of waits for players who do
             not come
round_robin  Round robins and gauntlets
standings    Standings, each place with its reason
swiss        Swiss
transitions  Acts upon pairings
view         A tournament as everybody may see it

Nothing here touches a socket, a clock or a source of chance.

The cycle is the same for every format:

    act = next_pairings(tournament, free, now_ms)       pure, may be heavy: computed outside the lobby's loop
    tournament = apply(tournament, act)                 cheap: the act is journaled with the pairings in it
    for pairing in startable(tournament, free): ...     the lobby opens a match and says `Begin`
    tournament = apply(tournament, Report(...))         its end comes back as a result

So a replay of the acts gives the same tournament even where a new version of a library would pair differently.
Standings, tie-breaks and crosstables are worked out from the state when they are asked for, and kept nowhere.

A subpackage imports only those named above it; `output` does without pairing and lifecycle.

Formats whose opponents follow from the plan alone: who plays whom is fixed at the start or by the tree.

Acts upon a tournament: each a pure function from one state to the next.

A tournament as it is shown and saved. Nothing else in `gameserver.tournaments` imports this.

Pairings to come: formats that choose opponents by results, and the planner for all formats.

Points for results, and what is worked out of them: tie-breaks, standings, crosstable.
"""
