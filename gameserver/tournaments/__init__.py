"""Tournaments as values: who plays whom, what counts, who stands where.

Nothing here touches a socket, a clock or a source of chance.

The way round is always the same, whatever the format:

    act = next_pairings(tournament, free, now_ms)       pure, may be heavy: computed outside the lobby's loop
    tournament = apply(tournament, act)                 cheap: the act is journaled with the pairings in it
    for pairing in startable(tournament, free): ...     the lobby opens a match and says `Begin`
    tournament = apply(tournament, Report(...))         its end comes back as a result

So a replay of the acts gives the same tournament even where a new version of a library would pair differently.
Standings, tie-breaks and crosstables are worked out from the state when they are asked for, and kept nowhere.

    plan.py        what a tournament is to be          presets.py      plans by name
    model.py       what it is now                      acts.py         everything that can happen to it
    transitions.py which act is possible when (table)  entry.py results.py schedule.py    what each act does
    pairing.py     what is to be played next, by way of fixtures.py (berger.py), swiss.py, bracket.py, arena.py
    dice.py        which games share their dice, and what to say of it
    counting.py    what results count for              tie_breaks.py standings.py crosstable.py
    csv_tables.py trf.py json_lines.py                 files to take home
    view.py        what everybody may see of it        progress.py     how much is left
"""
