"""A tournament as it is shown and saved. Nothing else in `gameserver.tournaments` imports this.

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
"""
