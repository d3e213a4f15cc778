"""A tournament as it is shown and saved: the view for pages, progress, CSV and JSON lines, FIDE's TRF.

Nothing else in `gameserver.tournaments` imports this.
"""
