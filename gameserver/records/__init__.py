"""Facts about finished matches and tournaments, as SQL tables that a teacher can open.

explanations       Explains in a few lines how a match was lost or a pairing decided
house_strengths    The strength of house players, as it was measured before this version was published
ladder_records     Ladders on record
match_record       A finished match as a fact
player_stats       One player's statistics
rating_book        Ratings of players, brought up to date by finished matches
reader             The records, to be read while the server runs
store              The records as SQL tables that a teacher can query
tournament_record  Tournaments as records
"""
