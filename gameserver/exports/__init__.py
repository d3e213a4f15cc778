"""Finished matches for other eyes: step by step, as text, as tables, and in the formats of other programs."""
