"""Tournaments as values: who plays whom, what counts, who stands where.

Nothing here touches a socket, a clock or a source of chance.

The way round is always the same, whatever the format:

    act = next_pairings(tournament, free, now_ms)       pure, may be heavy: computed outside the lobby's loop
    tournament = apply(tournament, act)                 cheap: the act is journaled with the pairings in it
    for pairing in startable(tournament, free): ...     the lobby opens a match and says `Begin`
    tournament = apply(tournament, Report(...))         its end comes back as a result

So a replay of the acts gives the same tournament even where a new version of a library would pair differently.
Standings, tie-breaks and crosstables are worked out from the state when they are asked for, and kept nowhere.

    plan, presets        what a tournament is to be, and plans by name
    plan_json            plans in JSON, for journals and records
    model, acts          what it is now, and everything that can happen to it
    lifecycle            which act is possible when, and what each one does
    formats, pairing     who plays whom: by the plan, or by results
    scoring              what results count for
    output               what is shown and saved of it
"""
