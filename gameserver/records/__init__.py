"""Facts about finished matches and tournaments, as SQL tables that a teacher can open.

match_record, tournament_record
                     what is written once, as values
match_store, tournament_store
                     the tables
attendance           who came to the matches of tournaments, and the no-shows explained
restarts             when the server was away
schema               their columns, and conditions on them
reader               reads them while the server runs
hall_directory       the halls of one database, and the records of each
player_scores        one player's scores by seat and opponent, and the course of a rating
player_stats         one player's results, losses and times
own_moves            a player's moves with their times and limits
small_file           some matches in a data file of their own
house_strengths      how strong the house players are, as measured
rating_book          what matches do to ratings
loss_explanation     why a match was lost, in a few lines
pairing_explanation  the same for a pairing of a tournament
"""
