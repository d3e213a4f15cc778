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
"""
