"""Numbers of entrants: every one up to 60 with `-m slow`, and in every run those at which something changes.

Up to twelve each is another case of byes, odd tables and short trees; then it is the powers of two, with their
neighbours, that make a round or a walkover more.
"""

import pytest

PLAYERS_MAX = 60
ALWAYS = frozenset({*range(2, 13), 15, 16, 17, 24, 31, 32, 33, PLAYERS_MAX})

FIELDS = [pytest.param(n, marks=() if n in ALWAYS else pytest.mark.slow) for n in range(2, PLAYERS_MAX + 1)]
