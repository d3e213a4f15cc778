"""How many examples a property is tried with: half as many in every run as with `--hypothesis-profile=thorough`."""

from hypothesis import settings

THOROUGH = 100
"""What hypothesis tries unless a test says otherwise, and what counts are a percentage of."""


def examples(thorough: int) -> int:
    """So many by the thorough profile, and in proportion by the one in force."""
    return max(1, thorough * settings.default.max_examples // THOROUGH)
