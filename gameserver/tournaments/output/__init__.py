"""A tournament as it is shown and saved. Nothing else in `gameserver.tournaments` imports this.

view                 what pages and commands show of it
progress             how far it is, and how long it will go on
losses               what a destructive act takes away, in sentences
shared_dice          whether a pair had the same dice, and what that gives away
csv_files            standings, crosstable and grades as CSV
trf                  FIDE's report
"""
