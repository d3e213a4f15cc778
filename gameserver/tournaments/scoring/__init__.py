"""What results count for: points, tie-breaks, standings, crosstable."""
